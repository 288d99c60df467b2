package jsonrpc

// MaxIdleQueues is maxIdleQueues.
const MaxIdleQueues = maxIdleQueues

// HeldQueues returns how many sessions have a queue.
func (c *Conn) HeldQueues() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.queues.byKey)
}

// Held returns the bytes that count for the budget, and those that wait for the writer.
func (c *Conn) Held() (held, backlog int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.budget.held, c.out.bytes
}

// InFlight returns how many calls wait for their answer and how many requests for theirs.
func (c *Conn) InFlight() (calls, requests int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending), len(c.incoming)
}
