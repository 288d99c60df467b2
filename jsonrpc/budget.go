package jsonrpc

import (
	"sync"
	"sync/atomic"
	"time"
)

// A budget bounds what has arrived and waits (W6). All fields but paused are guarded by Conn.mu.
//
// The reader stops while the budget is spent, which in the end stops the peer's writer. That would be a deadlock when a
// handler here waits for the peer: for an answer that stands behind the messages that nobody reads, or for the peer to
// read what the handler writes while the peer is waiting for us likewise. So the reader goes on while any handler is
// waiting inside this package, up to a multiple of the budget, where such waits begin to fail and the handlers thereby
// go on.
type budget struct {
	limit    int
	share    int
	timer    *time.Timer          // ends a pause in which handlers wait and nothing moves
	held     int                  // bytes of waiting messages
	waiters  map[*waiter]struct{} // handlers inside a call, notification or answer
	readable *sync.Cond           // signalled when the reader may be able to go on
	paused   atomic.Bool          // the reader is waiting
}

// A waiter is a handler that is waiting inside this package.
type waiter struct {
	handler *handlerContext
	failed  chan struct{} // closed when the wait must end with ErrOverloaded
}

func (b *budget) init(c *Conn) {
	b.limit, b.share = c.opts.Budget, c.opts.SessionShare
	b.waiters = map[*waiter]struct{}{}
	b.readable = sync.NewCond(&c.mu)
}

// awaitBudget is called by the reader before it reads. It returns when there is room, or when there is nobody to read
// for any more.
func (c *Conn) awaitBudget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	b := &c.budget
	if b.held >= overload*b.limit {
		b.relieveLocked()
	}
	for !c.closed && b.spent(&c.out) {
		b.paused.Store(true)
		if len(b.waiters) > 0 && b.timer == nil {
			b.timer = time.AfterFunc(overloadPatience, c.relieveAll)
		}
		b.readable.Wait()
	}
	b.paused.Store(false)
	if b.timer != nil {
		b.timer.Stop()
		b.timer = nil
	}
}

// overloadPatience is how long handlers of modest sessions may wait while the reader does because of others.
const overloadPatience = time.Second

// relieveAll fails every wait, if the reader still can't go on.
func (c *Conn) relieveAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget.timer = nil
	if c.budget.held >= overload*c.budget.limit {
		for w := range c.budget.waiters {
			c.budget.failLocked(w)
		}
	}
	c.budget.readable.Signal()
}

func (b *budget) spent(out *out) bool {
	if out.unasked >= max(b.limit, leastLimit) && out.err == nil {
		return true // a peer that sends what is answered at once, for ever, and never reads an answer
	}
	return b.held >= b.limit && len(b.waiters) == 0 || b.held >= overload*b.limit
}

// takeLocked counts a message that waits in q from now on.
func (b *budget) takeLocked(q *queue, size int) {
	b.held += size
	q.bytes += size
}

// giveLocked gives back what takeLocked or a running request took.
func (b *budget) giveLocked(size int) {
	b.held -= size
	b.readable.Signal()
}

// relieveLocked fails waiting handlers: those whose own session is over its share, or all if there is none. The others
// then get a chance that the flood abates.
func (b *budget) relieveLocked() {
	failed := false
	for w := range b.waiters {
		if q := w.handler.queue; q != nil && q.bytes > b.share {
			b.failLocked(w)
			failed = true
		}
	}
	if failed {
		return
	}
	for w := range b.waiters {
		b.failLocked(w)
	}
}

func (b *budget) failLocked(w *waiter) {
	close(w.failed)
	b.removeLocked(w)
}

func (b *budget) removeLocked(w *waiter) {
	if _, ok := b.waiters[w]; !ok {
		return
	}
	delete(b.waiters, w)
	w.handler.waits--
}

// enter notes that a handler begins to wait, on whatever connection. Without a handler there is nothing to note, and
// the channel never closes.
func (h *handlerContext) enter() *waiter {
	if h == nil {
		return nil
	}
	w := &waiter{handler: h, failed: make(chan struct{})}
	c := h.conn
	c.readOn()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget.waiters[w] = struct{}{}
	h.waits++
	if h.ordered && h.queue.running.Load() == h { // not a goroutine that has kept the context of an earlier handler
		c.liftLocked(h.queue)
	}
	c.budget.readable.Signal()
	return w
}

// overloaded is closed when the wait must end. It is nil, which never is, for a nil waiter.
func (w *waiter) overloaded() <-chan struct{} {
	if w == nil {
		return nil
	}
	return w.failed
}

// leave notes that the wait is over.
func (w *waiter) leave() {
	if w == nil {
		return
	}
	c := w.handler.conn
	c.mu.Lock()
	c.budget.removeLocked(w)
	c.mu.Unlock()
}
