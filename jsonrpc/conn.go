package jsonrpc

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A Conn is one side of a JSON-RPC connection: it makes calls to the peer and handles the peer's. Both sides are equal.
// All methods are safe for concurrent use, also inside a handler.
//
// A Conn owns its goroutines: one that reads, at most one that writes and only while it has to, one for each session
// whose messages are being handled, and one for each request that is being answered. All of them end after Close or the
// end of input, as soon as handlers return; Wait waits for that.
type Conn struct {
	stream    Stream
	try       TryWriter   // stream, if it can; otherwise nil
	piecewise PieceWriter // the same
	handler   Handler
	opts      Options

	messages [][]byte // for whoever writes, to use again

	base       context.Context // of all handlers
	cancelBase context.CancelFunc
	lastID     atomic.Int64
	arrivals   atomic.Uint64 // requests and notifications that have been read
	lastWait   atomic.Int64  // what Handled waits for stands among the calls, with ids below zero
	names      names         // the reader's
	tasks      tasks         // the reader's
	baton      baton
	done       chan struct{} // closed by endLocked
	finished   chan struct{} // closed by finish

	// translate is held while Options.Translator works and until what it made has been queued, so that it sees and
	// makes one order. It comes before mu.
	translate sync.Mutex

	// mu guards everything below: all that is in flight. Nothing is called with it held except Options.Observe.
	mu         sync.Mutex
	ended      bool  // there is no more input, or Close was called: calls fail
	closed     bool  // Close was called: nothing more is handled either
	cause      error // why it ended; nil for Close
	reads      int   // how often the stream has returned something
	active     int   // goroutines of the connection, counting handlers
	pending    map[int64]*call
	incoming   map[string]*Request             // by ID.same, until the answer is handed over
	most       struct{ pending, incoming int } // sizes the maps have had
	running    int                             // bytes of the requests whose handlers run, with runningCost for each
	queues     queues
	budget     budget
	out        out
	graceTimer *time.Timer // cancels the handlers
	stallTimer *time.Timer // closes the stream of a peer that has stopped
	stalled    bool        // stallTimer has done so
	finishing  bool        // the last goroutine has ended
}

// NewConn starts a connection on a stream, which it owns from now on. A nil handler knows no method.
func NewConn(stream Stream, handler Handler, opts Options) *Conn {
	if handler == nil {
		handler = HandlerFunc(func(context.Context, *Request) (any, error) { return nil, ErrMethodNotFound })
	}
	c := &Conn{
		stream:   stream,
		handler:  handler,
		opts:     opts.withDefaults(),
		done:     make(chan struct{}),
		finished: make(chan struct{}),
		pending:  map[int64]*call{},
		incoming: map[string]*Request{},
		active:   1, // the reader
	}
	c.try, _ = stream.(TryWriter)
	c.piecewise, _ = stream.(PieceWriter)
	c.base, c.cancelBase = context.WithCancel(context.Background())
	c.queues.init(c)
	c.budget.init(c)
	c.baton.init(c)
	go c.read()
	return c
}

// Close ends the connection at once: every call fails with a *ClosedError, the contexts of all handlers are cancelled,
// and messages that wait to be handled are dropped. What was accepted for writing before is still written, for at most
// a second. Close waits for none of that and may be called inside a handler; Wait waits. It always returns nil.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.endLocked(nil)
	for _, call := range c.pending { // those that wait behind messages that are dropped now
		c.deliverLocked(call)
	}
	writing := c.out.writing
	if writing {
		c.closeOnStallLocked()
	}
	c.mu.Unlock()
	c.cancelBase()
	if !writing {
		_ = c.stream.Close()
	}
	return nil
}

// Done is closed when the connection has ended: Close was called, or there is no more input. Err then says why.
// Handlers may still be running, and answering if the peer still reads.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns nil while the connection lives, and then a *ClosedError.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		return nil
	}
	return c.closedErrorLocked()
}

func (c *Conn) closedErrorLocked() error { return &ClosedError{Cause: c.cause} }

// Wait waits until the connection has ended, its handlers have returned and the stream is closed, and returns Err. It
// must not be called inside a handler.
func (c *Conn) Wait() error {
	<-c.finished
	return c.Err()
}

// endLocked makes the connection refuse what is new and fails the calls that wait, each behind the messages of its
// session that came before (W8).
func (c *Conn) endLocked(cause error) {
	if c.ended {
		return
	}
	c.ended, c.cause = true, cause
	close(c.done)
	for _, call := range c.pending {
		if call.settled {
			continue // on its way
		}
		if c.closed || !call.barrier || !c.queues.behindLocked(call) {
			c.deliverLocked(call)
		}
	}
	c.budget.readable.Broadcast()
	c.out.wakeLocked()
}

// inputEnded is called by the reader when there is nothing more to read.
func (c *Conn) inputEnded(cause error) {
	c.mu.Lock()
	if c.out.err != nil && c.stalled {
		cause = c.out.err // the stream was closed because nothing could be written
	}
	c.endLocked(cause)
	wait := c.opts.HandlerGrace
	if wait > 0 && !c.closed {
		c.graceTimer = time.AfterFunc(wait, c.cancelBase)
	}
	c.closeOnStallLocked()
	c.mu.Unlock()
	if wait <= 0 {
		c.cancelBase()
	}
}

// closeOnStallLocked watches a connection that has ended, or to which nothing can be written, until it is finished. If
// the peer neither takes nor sends anything for a while, it closes the stream, so that nobody waits for the peer for ever.
// After Close there is one such while in all.
func (c *Conn) closeOnStallLocked() {
	if c.stallTimer != nil || c.finishing {
		return
	}
	wrote, read, wasWriting := c.out.writes, c.reads, c.out.writing
	c.stallTimer = time.AfterFunc(flushTimeout, func() {
		c.mu.Lock()
		c.stallTimer = nil
		waitsForWrite := wasWriting && c.out.writing && c.out.writes == wrote
		waitsForRead := c.out.err != nil && !c.ended && c.reads == read && !c.budget.paused.Load()
		if !c.closed && !waitsForWrite && !waitsForRead {
			c.closeOnStallLocked()
			c.mu.Unlock()
			return
		}
		c.stalled = true
		c.mu.Unlock()
		_ = c.stream.Close()
	})
}

// release is called by each goroutine of the connection as it ends. The last one finishes the connection.
func (c *Conn) release() {
	c.mu.Lock()
	c.active--
	last := c.ended && c.active == 0 && !c.finishing
	if last {
		c.finishing = true
		for _, timer := range []*time.Timer{c.graceTimer, c.stallTimer} {
			if timer != nil {
				timer.Stop()
			}
		}
	}
	c.mu.Unlock()
	if last {
		c.cancelBase()
		_ = c.stream.Close()
		close(c.finished)
	}
}

// names keeps one string for each method that arrives, up to a limit, so that it is allocated once.
type names map[string]string

const maxNames = 512

func (n *names) intern(literal []byte, text func([]byte) string) string {
	inside := literal[1 : len(literal)-1]
	if s, ok := (*n)[string(inside)]; ok {
		return s
	}
	s := text(literal)
	if len(*n) < maxNames && len(inside) <= 64 {
		if *n == nil {
			*n = names{}
		}
		(*n)[string(inside)] = s
	}
	return s
}
