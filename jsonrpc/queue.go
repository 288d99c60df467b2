package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
)

// A queue holds the messages of one session that wait to be handled, in the order they arrived. While it is busy, one
// goroutine works on it. The messages that belong to no session share one queue.
type queue struct {
	key string

	// Guarded by Conn.mu.
	items []item
	busy  bool
	bytes int // of what waits or is being handled

	// liftable are the requests, and the calls of handlers, among what waits, in order. While the handler that is running
	// waits for the peer, these must not wait for it: the peer may be waiting for just them.
	liftable []*ticket

	running atomic.Pointer[handlerContext] // of the notification that is being handled, set by the worker

	// The worker's own.
	batch   []item // taken from items
	next    int    // index into batch
	handled int    // bytes of what has been handled and not yet been given back
}

// An item is a notification, or the ticket of something whose turn comes here.
type item struct {
	notification *Request
	ticket       *ticket
}

// A ticket is for a request that starts, or a call whose answer is delivered, at its turn or before: then both are nil.
// It is guarded by Conn.mu.
type ticket struct {
	req  *Request
	call *call
}

// queues are guarded by Conn.mu.
type queues struct {
	conn  *Conn
	byKey map[string]*queue
}

// maxIdleQueues is how many queues may exist for one that has become idle to be kept for its session's next message,
// and maxIdleKey how long its key may be then, in bytes.
const (
	maxIdleQueues = 256
	maxIdleKey    = 256
)

func (qs *queues) init(c *Conn) { qs.conn, qs.byKey = c, map[string]*queue{} }

func (qs *queues) getLocked(key []byte) *queue {
	if q, ok := qs.byKey[string(key)]; ok {
		return q
	}
	qs.evictLocked()
	q := &queue{key: string(key)}
	qs.byKey[q.key] = q
	return q
}

// evictLocked makes room for a new queue if there are many: some of those that are idle go. The map's order is random.
func (qs *queues) evictLocked() {
	if len(qs.byKey) < maxIdleQueues {
		return
	}
	looked := 0
	for key, q := range qs.byKey {
		if !q.busy {
			delete(qs.byKey, key)
		}
		if looked++; looked == 16 {
			return
		}
	}
}

// isBlockedLocked reports whether the queue waits for a handler that itself waits for the peer.
func (q *queue) isBlockedLocked() bool {
	h := q.running.Load()
	return h != nil && h.waits > 0
}

// behindLocked puts the answer of a call behind the messages of its session that came before it (W5). It returns false
// if there are none, or none that the call has to wait for.
func (qs *queues) behindLocked(call *call) bool {
	if call.key == "" {
		return false
	}
	q := qs.byKey[call.key]
	if q == nil || !q.busy || call.byHandler && q.isBlockedLocked() {
		return false
	}
	tk := &ticket{call: call}
	q.items = append(q.items, item{ticket: tk})
	if call.byHandler {
		q.liftable = append(q.liftable, tk)
	}
	return true
}

// pushLocked adds a message and reports whether the queue needs a worker.
func (c *Conn) pushLocked(q *queue, req *Request) (start bool) {
	c.budget.takeLocked(q, req.size)
	if req.IsNotification() {
		q.items = append(q.items, item{notification: req})
	} else {
		tk := &ticket{req: req}
		q.items = append(q.items, item{ticket: tk})
		q.liftable = append(q.liftable, tk)
	}
	if q.busy {
		return false
	}
	q.busy = true
	c.active++
	return true
}

// liftLocked lets go what must not wait for a handler that itself waits for the peer (W6).
func (c *Conn) liftLocked(q *queue) {
	for _, tk := range q.liftable {
		c.redeemLocked(q, tk)
	}
	q.liftable = nil
}

// redeemLocked does what a ticket is for, unless that was done before.
func (c *Conn) redeemLocked(q *queue, tk *ticket) {
	req, call := tk.req, tk.call
	tk.req, tk.call = nil, nil
	switch {
	case call != nil:
		c.deliverLocked(call)
	case req != nil && c.closed:
		c.dropLocked(q, req)
	case req != nil:
		q.bytes -= req.size
		c.budget.giveLocked(req.size)
		c.active++
		go c.serve(req)
	}
}

// passLocked removes a ticket from liftable, now that its turn has come.
func (q *queue) passLocked(tk *ticket) {
	if len(q.liftable) > 0 && q.liftable[0] == tk {
		q.liftable[0] = nil
		if q.liftable = q.liftable[1:]; len(q.liftable) == 0 {
			q.liftable = nil
		}
	}
}

// Handled bytes are given back when they come to this many, or at once when the reader waits for them.
const giveBack = 64 << 10

// work handles what is in a queue until it is empty. It ends early only in a handler that calls runtime.Goexit, and
// then another goroutine goes on.
func (c *Conn) work(q *queue) {
	completed := false
	defer func() {
		if !completed {
			go c.work(q)
			return
		}
		c.release()
	}()
	for {
		for q.next < len(q.batch) {
			it := q.batch[q.next]
			q.batch[q.next] = item{}
			q.next++
			c.handleItem(q, it)
		}
		if !c.takeBatch(q) {
			break
		}
	}
	completed = true
}

// takeBatch gives back what was handled and takes what has come. It returns false, with the queue idle, if there is
// nothing.
func (c *Conn) takeBatch(q *queue) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBackLocked(q)
	if c.closed {
		for _, it := range q.items {
			if it.ticket != nil {
				c.redeemLocked(q, it.ticket)
			} else {
				c.dropLocked(q, it.notification)
			}
		}
		q.items, q.liftable = nil, nil
	}
	if len(q.items) == 0 {
		q.busy, q.batch, q.next = false, nil, 0
		if cap(q.items) > 64 {
			q.items = nil
		}
		if len(c.queues.byKey) > maxIdleQueues || len(q.key) > maxIdleKey {
			delete(c.queues.byKey, q.key) // nobody else has it: it is idle
		}
		return false
	}
	spare := q.batch[:0]
	if cap(spare) > 4096 {
		spare = nil // don't keep the memory of a burst
	}
	q.batch, q.items, q.next = q.items, spare, 0
	return true
}

func (c *Conn) giveBackLocked(q *queue) {
	if q.handled > 0 {
		q.bytes -= q.handled
		c.budget.giveLocked(q.handled)
		q.handled = 0
	}
}

// dropLocked forgets a message that will not be handled because the connection was closed.
func (c *Conn) dropLocked(q *queue, req *Request) {
	q.bytes -= req.size
	c.budget.giveLocked(req.size)
	if !req.IsNotification() {
		c.forgetLocked(req)
		req.cancel(nil)
	}
}

func (c *Conn) handleItem(q *queue, it item) {
	if it.ticket != nil {
		c.mu.Lock()
		q.passLocked(it.ticket)
		c.redeemLocked(q, it.ticket)
		c.mu.Unlock()
		return
	}
	req := it.notification
	// The bytes count as handled even if the handler ends the goroutine.
	q.handled += req.size
	c.notify(q, req)
	if q.handled >= giveBack || c.budget.paused.Load() {
		c.mu.Lock()
		c.giveBackLocked(q)
		c.mu.Unlock()
	}
}

// notify runs the handler of a notification.
func (c *Conn) notify(q *queue, req *Request) {
	if c.base.Err() != nil && c.isClosed() {
		return
	}
	req.ctx = handlerContext{Context: c.base, conn: c, queue: q, ordered: true}
	q.running.Store(&req.ctx)
	defer q.running.Store(nil) // also if the handler calls runtime.Goexit
	_, err := c.invoke(&req.ctx, req)
	if err != nil && !errors.Is(err, ErrMethodNotFound) && !errors.Is(err, errHandlerDied) {
		c.diagnose(HandlerError, req.Method, nil, err)
	}
}

func (c *Conn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// errHandlerDied is the error of a handler that panicked or called runtime.Goexit (W9).
var errHandlerDied = errors.New("the handler failed")

// invoke runs the handler and turns a panic into an error. runtime.Goexit can't be stopped: it is reported, and ends
// the goroutine.
func (c *Conn) invoke(ctx context.Context, req *Request) (result any, err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		cause := errors.New("runtime.Goexit in the handler")
		if p := recover(); p != nil {
			cause = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		result, err = nil, errHandlerDied
		c.diagnose(HandlerPanic, req.Method, nil, cause)
	}()
	result, err = c.handler.Handle(ctx, req)
	returned = true
	return result, err
}
