package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
)

// A queue holds the messages of one session that wait to be handled, in the order they arrived. While it is busy, one
// goroutine works on it. The messages that belong to no session share one queue.
type queue struct {
	key string
	ctx *handlerContext // of its notifications

	// Guarded by Conn.mu.
	items []item
	busy  bool
	bytes int // of what waits or is being handled

	// blocked counts the waits of the notification's handler that is running. While it waits for the peer, requests of
	// the peer's must not wait for it, nor answers that other handlers need: the peer may be waiting for just these.
	blocked  int
	liftable []item // the requests, and the calls of handlers, among what waits; in order

	// The worker's own.
	batch   []item // taken from items
	next    int    // index into batch
	handled int    // bytes of what has been handled and not yet been given back
}

// An item is a notification, a request that starts when its turn has come, or a call whose answer is delivered then.
type item struct {
	req  *Request
	call *call
}

// queues are guarded by Conn.mu.
type queues struct {
	conn  *Conn
	byKey map[string]*queue
}

// maxIdleQueues is how many queues may exist for one that has become idle to be kept for its session's next message.
const maxIdleQueues = 256

func (qs *queues) init(c *Conn) { qs.conn, qs.byKey = c, map[string]*queue{} }

func (qs *queues) getLocked(key []byte) *queue {
	if q, ok := qs.byKey[string(key)]; ok {
		return q
	}
	q := &queue{key: string(key)}
	q.ctx = &handlerContext{Context: qs.conn.base, conn: qs.conn, queue: q, ordered: true}
	qs.byKey[q.key] = q
	return q
}

// behindLocked puts the answer of a call behind the messages of its session that came before it (W5). It returns false
// if there are none, or none that the call has to wait for.
func (qs *queues) behindLocked(call *call) bool {
	if call.key == "" {
		return false
	}
	q := qs.byKey[call.key]
	if q == nil || !q.busy || q.blocked > 0 && call.byHandler {
		return false
	}
	q.items = append(q.items, item{call: call})
	if call.byHandler {
		q.liftable = append(q.liftable, item{call: call})
	}
	return true
}

// pushLocked adds a message and reports whether the queue needs a worker.
func (c *Conn) pushLocked(q *queue, req *Request) (start bool) {
	c.budget.takeLocked(q, req.size)
	q.items = append(q.items, item{req: req})
	if !req.IsNotification() {
		q.liftable = append(q.liftable, item{req: req})
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
	for i, it := range q.liftable {
		q.liftable[i] = item{}
		if it.call != nil {
			c.deliverLocked(it.call)
		} else if c.takeTurnLocked(q, it.req) {
			go c.serve(it.req)
		}
	}
	q.liftable = q.liftable[:0]
}

// takeTurnLocked prepares a request that waited for serve. It returns false if that was done before.
func (c *Conn) takeTurnLocked(q *queue, req *Request) bool {
	if req.started {
		return false
	}
	req.started = true
	q.bytes -= req.size
	c.budget.giveLocked(req.size)
	c.startLocked(req)
	return true
}

// passLocked removes an item from liftable, now that its turn has come.
func (q *queue) passLocked(it item) {
	if len(q.liftable) > 0 && q.liftable[0] == it {
		q.liftable[0] = item{}
		q.liftable = q.liftable[1:]
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
			if it.req != nil {
				c.dropLocked(q, it.req)
			} else {
				c.deliverLocked(it.call)
			}
		}
		q.items, q.liftable = nil, nil
	}
	if len(q.items) == 0 {
		q.busy, q.batch, q.next = false, nil, 0
		if cap(q.items) > 64 {
			q.items = nil
		}
		if len(c.queues.byKey) > maxIdleQueues {
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
	if req.started {
		return
	}
	q.bytes -= req.size
	c.budget.giveLocked(req.size)
	if !req.IsNotification() {
		req.started = true
		c.forgetLocked(req)
		req.cancel(nil)
	}
}

func (c *Conn) handleItem(q *queue, it item) {
	if it.call != nil {
		c.mu.Lock()
		q.passLocked(it)
		c.deliverLocked(it.call)
		c.mu.Unlock()
		return
	}
	req := it.req
	if !req.IsNotification() {
		c.mu.Lock()
		q.passLocked(it)
		start := c.takeTurnLocked(q, req)
		c.mu.Unlock()
		if start {
			go c.serve(req)
		}
		return
	}
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
	if q.ctx.Err() != nil && c.isClosed() {
		return
	}
	_, err := c.invoke(q.ctx, req)
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
