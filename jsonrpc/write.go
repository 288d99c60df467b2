package jsonrpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// out is what waits to be written. It is guarded by Conn.mu.
//
// Whoever sends a message while nobody is writing tries once to write it without waiting, and is done in most cases. A
// message that does not go at once, or that comes while somebody is writing, is left to a goroutine that writes all
// there is in one go and ends when there is nothing left.
type out struct {
	queue   []*buffer
	bytes   int           // in queue
	unasked int           // those of them that answer at once what is not worth a handler
	writes  int           // how often somebody has begun to write
	writing bool          // somebody is in Stream.Write or TryWrite
	room    chan struct{} // closed when bytes have fallen below maxBacklog; nil while nobody waits
	err     error         // why nothing can be written any more
}

// wakeLocked lets those who wait for room look again.
func (o *out) wakeLocked() {
	if o.room != nil {
		close(o.room)
		o.room = nil
	}
}

// A buffer is the text of one outgoing message, but for its long texts.
type buffer struct {
	data  []byte
	cuts  []cut // in the order of data
	bound int   // how much they add to data at most, in bytes
}

var bufferPool = sync.Pool{New: func() any { return &buffer{data: make([]byte, 0, 512)} }}

// maxPooled is the capacity up to which buffers are used again. One large message must not stay in memory for ever.
const maxPooled = 32 << 10

func newBuffer() *buffer { return bufferPool.Get().(*buffer) }

func (b *buffer) free() {
	if cap(b.data) <= maxPooled {
		b.uncut(0)
		bufferPool.Put(b)
	}
}

// maxTry is the size up to which a message is worth an attempt to write it at once: what the stream can't write it has
// to copy.
const maxTry = 64 << 10

// A posting is a message on its way to the writer: encoded, or still to be translated.
type posting struct {
	buf     *buffer
	message *Message
	what    string // for errors about a message that is translated
	answer  bool   // goes out even after the end of input, whatever became of its handler's context
	urgent  bool   // does not wait for room
	unasked bool   // counts for out.unasked

	// At most one of these is set. What they stand for happens under Conn.mu just before the message is queued.
	call *call    // becomes pending
	req  *Request // is answered, unless its cancel was read before
	wins bool     // the cancel has been taken into account
}

func (p *posting) free() {
	if p.buf != nil {
		p.buf.free()
	}
}

// errCancelWins is returned by post for the answer to a request that was cancelled in time (W7).
var errCancelWins = errors.New("the request was cancelled before its answer was handed over")

// post hands a message to the writer. It waits while too much is waiting already, at most until ctx ends, the
// connection ends, or the handler that ctx belongs to has to stop waiting (W6).
func (c *Conn) post(ctx context.Context, p posting) error {
	if err := c.admit(ctx, &p); err != nil {
		p.free()
		return err
	}
	if p.message != nil {
		c.mu.Unlock()
		return c.postTranslated(p)
	}
	if err := c.commitLocked(&p); err != nil {
		c.mu.Unlock()
		p.free()
		return err
	}
	mine := c.pushOutLocked(p.buf)
	if p.unasked && !mine {
		c.out.unasked += len(p.buf.data)
	}
	c.mu.Unlock()
	if mine {
		c.writeNow(p.buf)
	}
	return nil
}

// commitLocked does what belongs to a message and must be one with queuing it.
func (c *Conn) commitLocked(p *posting) error {
	switch {
	case p.call != nil:
		p.call.span.begin(c.arrivals.Load())
		c.pending[p.call.id] = p.call
		c.most.pending = max(c.most.pending, len(c.pending))
	case p.req != nil:
		if p.req.cancelled && !p.wins {
			return errCancelWins
		}
		c.forgetLocked(p.req)
	}
	return nil
}

// sendableLocked reports why a message can't be sent.
func (c *Conn) sendableLocked(p *posting) error {
	switch {
	case c.closed, c.ended && !p.answer:
		return c.closedErrorLocked()
	case c.out.err != nil:
		return &ClosedError{Cause: c.out.err}
	}
	return nil
}

// admit waits for room. It returns nil with Conn.mu held, or an error without it.
func (c *Conn) admit(ctx context.Context, p *posting) error {
	for {
		c.mu.Lock()
		if err := c.sendableLocked(p); err != nil {
			c.mu.Unlock()
			return err
		}
		if p.urgent || c.out.bytes < maxBacklog {
			return nil
		}
		if c.out.room == nil {
			c.out.room = make(chan struct{})
		}
		room := c.out.room
		c.mu.Unlock()
		if err := waitForRoom(ctx, p, room); err != nil {
			return err
		}
	}
}

func waitForRoom(ctx context.Context, p *posting, room <-chan struct{}) error {
	w := handlerOf(ctx).enter()
	defer w.leave()
	ended := ctx.Done()
	if p.answer {
		ended = nil
	}
	select {
	case <-room:
		return nil
	case <-ended:
		return ctx.Err()
	case <-w.overloaded():
		return ErrOverloaded
	}
}

// postTranslated runs the translator on a message and sends what comes out.
func (c *Conn) postTranslated(p posting) error {
	c.translate.Lock()
	defer c.translate.Unlock()
	c.mu.Lock()
	err := c.sendableLocked(&p)
	if err == nil {
		err = c.commitLocked(&p)
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	outs, back, err := c.outbound(*p.message)
	if err == nil {
		err = c.sendMessages(outs, p.what, false)
	}
	var t tasks
	for i := range back {
		c.receiveMessage(&back[i], messageCost, &t)
	}
	c.start(&t, false)
	return err
}

// sendMessages encodes and queues messages that a translator made. Conn.translate is held.
func (c *Conn) sendMessages(messages []Message, what string, unasked bool) error {
	var first error
	for i := range messages {
		buf := newBuffer()
		err := c.encodeMessage(buf, &messages[i], what)
		if err != nil {
			buf.free()
		} else {
			err = c.post(context.Background(), posting{buf: buf, answer: true, urgent: true, unasked: unasked})
		}
		first = errors.Join(first, err)
	}
	return first
}

func (c *Conn) encodeMessage(buf *buffer, m *Message, what string) (err error) {
	defer recoverInto(&err, "the message can't be encoded")
	if buf.data, err = appendMessage(buf.data, m); err != nil {
		return err
	}
	return c.seal(buf, what, m.Method)
}

// seal makes a message fit for the wire: one line, and not over the limit (W2).
func (c *Conn) seal(buf *buffer, what, method string) error {
	if bytes.IndexByte(buf.data, '\n') >= 0 {
		line, err := rawjson.AppendValue(make([]byte, 0, len(buf.data)), buf.data)
		if err != nil {
			return fmt.Errorf("%s%s: %w", what, method, err)
		}
		buf.data = line
	}
	if n := buf.size(); n > c.opts.MaxMessageBytes {
		return &TooLargeError{What: what + method, Size: int64(n), Limit: c.opts.MaxMessageBytes}
	}
	return nil
}

// postError answers what is not worth a handler. It does not wait: such answers are small, and the reader stops when
// they pile up (see budget.spent).
func (c *Conn) postError(id ID, failure *Error) {
	buf := newBuffer()
	var err error
	if buf.data, err = appendAnswer(buf.data, id, nil, failure); err == nil {
		err = c.seal(buf, "answer", "")
	}
	if err != nil {
		buf.free()
		c.diagnose(AnswerLost, "", nil, err)
		return
	}
	_ = c.post(context.Background(), posting{buf: buf, answer: true, urgent: true, unasked: true})
}

// pushOutLocked queues a message. If it returns true, the caller has to write it with writeNow once the lock is free.
func (c *Conn) pushOutLocked(buf *buffer) (mine bool) {
	if c.opts.Observe != nil {
		c.opts.Observe(Traffic{Outgoing: true, Data: buf.data})
	}
	if !c.out.writing && c.try != nil && buf.size() <= maxTry {
		c.out.writing = true
		c.out.writes++
		return true
	}
	c.out.queue = append(c.out.queue, buf)
	c.out.bytes += buf.size()
	if !c.out.writing {
		c.out.writing = true
		c.startWriterLocked()
	}
	return false
}

func (c *Conn) startWriterLocked() {
	if c.finishing { // the stream is closed
		c.out.writing = false
		return
	}
	c.active++
	go c.write()
}

// writeNow writes a message without waiting and leaves to a goroutine what does not go.
func (c *Conn) writeNow(buf *buffer) {
	done, err := c.try.TryWrite(buf.data)
	buf.free() // the stream has copied the rest
	c.mu.Lock()
	switch {
	case err != nil:
		c.writeFailedLocked(err)
	case !done || len(c.out.queue) > 0:
		c.startWriterLocked()
		c.mu.Unlock()
		return
	}
	c.stopWritingLocked()
}

// stopWritingLocked ends somebody's turn to write, with nothing left. It unlocks.
func (c *Conn) stopWritingLocked() {
	c.out.writing = false
	closed := c.closed
	c.mu.Unlock()
	if closed {
		_ = c.stream.Close()
	}
}

// write writes what is queued until nothing is.
func (c *Conn) write() {
	defer c.release()
	var batch []*buffer
	for first := true; ; first = false {
		c.mu.Lock()
		if len(c.out.queue) == 0 && !first || c.out.err != nil {
			c.stopWritingLocked()
			return
		}
		batch, c.out.queue = c.out.queue, batch[:0]
		c.out.bytes, c.out.unasked = 0, 0
		c.out.writes++
		c.out.wakeLocked()
		c.budget.readable.Signal()
		c.mu.Unlock()

		err := c.writeBatch(batch) // on the first round perhaps of nothing but what TryWrite left
		for i, buf := range batch {
			buf.free()
			batch[i] = nil
		}
		if err != nil {
			c.mu.Lock()
			c.writeFailedLocked(err)
			c.mu.Unlock()
		}
		if cap(batch) > maxFreeSlots {
			batch, c.messages = nil, nil
		}
	}
}

// writeBatch writes messages, as many as possible in one go.
func (c *Conn) writeBatch(batch []*buffer) error {
	messages := c.messages[:0]
	for _, buf := range batch {
		if len(buf.cuts) == 0 {
			messages = append(messages, buf.data)
			continue
		}
		err := c.stream.Write(messages)
		if err == nil {
			err = c.piecewise.WritePieces(buf.pieces())
		}
		if err != nil {
			return err
		}
		messages = messages[:0]
	}
	var err error
	if len(messages) > 0 || len(batch) == 0 {
		err = c.stream.Write(messages)
	}
	clear(messages)
	c.messages = messages
	return err
}

// maxFreeSlots is how long a slice may be that is kept for the next messages after a burst.
const maxFreeSlots = 256

// writeFailedLocked notes that the peer can't be reached any more. What it has sent may still be on its way, and says
// more about the reason, so the reader gets a moment to reach the end of input before the stream is closed.
func (c *Conn) writeFailedLocked(err error) {
	if c.out.err != nil {
		return
	}
	c.out.err = fmt.Errorf("cannot write to the peer: %w", err)
	for _, buf := range c.out.queue {
		buf.free()
	}
	c.out.queue, c.out.bytes, c.out.unasked = nil, 0, 0
	c.out.wakeLocked()
	c.budget.readable.Signal()
	c.closeOnStallLocked()
}
