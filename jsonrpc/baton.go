package jsonrpc

import (
	"context"
	"sync/atomic"
	"time"
)

// A baton is the right to read. One goroutine holds it, the reader, or it lies there for whoever picks it up.
//
// Waking another thread costs as much as a message's way through a pipe, so on a stream that leads out of the process
// messages are not handed from one goroutine to another where it can be helped. The reader runs the handler of what it
// has read itself, and puts the baton down for that time. It also puts it down when all calls have been answered, and
// then ends; the goroutine that makes the next call picks it up and reads the answer itself.
//
// The reader must not be missing for long: cancels, and everything else, are acted on as soon as they arrive. A handler
// that begins to wait inside this package has another goroutine read on. In all other cases a watch finds that the baton
// has not been touched for a while. Arming a timer wakes a thread as well, so the watch is not armed each time: once
// begun, it goes on for as long as the baton moves.
//
// On a stream within the process nothing is gained by this, and the baton is passed on at once.
type baton struct {
	stream Outsider    // nil on a stream within the process
	down   atomic.Bool // whoever clears it is the reader from then on
	moves  atomic.Uint64

	watched atomic.Bool // the watch is armed, or about to be armed again
	watch   *time.Timer
	last    uint64 // moves at the watch's last look; the watch's own
}

// batonTime is the interval of the watch. So the baton lies for twice that at most or, if a handler computes without a
// pause on the only processor there is, for the runtime's time slice of 10 ms. A shorter one would cost more than it
// gains: the watch, too, is a thread that wakes.
const batonTime = time.Millisecond

func (b *baton) init(c *Conn) {
	if s, ok := c.stream.(Outsider); ok && s.Outside() {
		b.stream = s
		b.watch = time.AfterFunc(time.Hour, c.watchBaton)
		b.watch.Stop()
	}
}

// putDown is called by the reader, which no longer is.
func (b *baton) putDown() {
	b.moves.Add(1)
	b.down.Store(true)
	if b.stream != nil && b.watched.CompareAndSwap(false, true) {
		b.watch.Reset(batonTime)
	}
}

// pickUp makes the caller the reader if nobody is.
func (b *baton) pickUp() bool { return b.down.CompareAndSwap(true, false) }

// watchBaton picks up a baton that has been lying since the last look.
func (c *Conn) watchBaton() {
	b := &c.baton
	moves := b.moves.Load()
	if moves == b.last {
		c.readOn()
		b.watched.Store(false)
		// Who has put it down since then found the watch armed.
		if b.moves.Load() == moves || !b.watched.CompareAndSwap(false, true) {
			return
		}
	}
	b.last = moves
	b.watch.Reset(batonTime)
}

// readOn starts a reader if there is none.
func (c *Conn) readOn() {
	if c.baton.pickUp() {
		go c.read() // in the place of the one before in Conn.active
	}
}

// workAsReader runs a handler or works on a queue, either of which is counted in Conn.active already, on the reader's
// goroutine. It reports whether that still is the reader's.
func (c *Conn) workAsReader(req *Request, q *queue) (reads bool) {
	c.baton.putDown()
	if c.baton.stream == nil {
		c.readOn()
	}
	returned := false
	defer func() {
		reads = c.baton.stream != nil && c.baton.pickUp()
		if reads && !returned { // runtime.Goexit in the handler
			go c.read()
		}
	}()
	if req != nil {
		c.serve(req)
	} else {
		c.work(q)
	}
	returned = true
	return false
}

// rest puts the baton down if nothing is expected at the moment.
func (c *Conn) rest() bool {
	if c.baton.stream == nil || c.expectsAnswers() {
		return false
	}
	c.baton.putDown()
	if c.expectsAnswers() { // to a call that came in between and did not find the baton down
		c.readOn()
	}
	return true
}

func (c *Conn) expectsAnswers() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.pending) > 0
}

// readAsCaller reads once, in the goroutine of a call that has picked up the baton, and passes that on unless the answer
// was all there is to read for. It reports whether the answer is there. Handlers are not run here.
func (c *Conn) readAsCaller(ctx context.Context, call *call) (answered bool) {
	state := reading // also if a function of the Options panics
	defer func() {
		if state == reading {
			go c.read()
		}
	}()
	if !c.mayReadFor(call) {
		return false
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, c.baton.stream.Interrupt)
		defer stop()
	}
	state = c.readOnce(false)
	select {
	case <-call.done:
		return true
	default:
		return false
	}
}

// mayReadFor reports whether a call's answer is still to be read, and there is room for what comes before it.
func (c *Conn) mayReadFor(call *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[call.id] == call && !call.settled && !c.budget.spent(&c.out)
}
