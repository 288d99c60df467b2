package jsonrpc

import "context"

// Handled waits until the messages of a session that have been read so far have been handled: what a call that names the
// session in its params does by itself (W5). It is for calls whose answer names the session. In the context of a handler
// of this connection it doesn't wait, as a call doesn't.
func (c *Conn) Handled(ctx context.Context, session string) error {
	if h := handlerOf(ctx); session == "" || h != nil && (h.conn == c || h.ordered) {
		return nil
	}
	call := &call{id: c.lastWait.Add(-1), key: session, barrier: true, settled: true, done: make(chan struct{})}
	c.mu.Lock()
	c.pending[call.id] = call
	if c.closed || !c.queues.behindLocked(call) {
		c.deliverLocked(call)
	}
	c.mu.Unlock()
	select {
	case <-call.done:
		return nil
	case <-ctx.Done():
		c.abandon(call, false)
		return ctx.Err()
	}
}

// Settled reports whether the messages of a session that have been read so far have been handled.
func (c *Conn) Settled(session string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.queues.byKey[session]
	return q == nil || !q.busy
}
