package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// tasks is what the messages of one read have set in motion: collected first, so that the lock is taken once for many
// notifications, and started when the reader has nothing better to do.
type tasks struct {
	staged []stagedItem
	work   []*queue
	serve  []*Request

	delivered int // answers of the last read that have reached their calls
}

type stagedItem struct {
	key []byte // part of the message's text
	req *Request
}

// A readState says what becomes of a goroutine that has read.
type readState int

const (
	reading readState = iota // it is to read again
	stopped                  // there is nothing more to read, or reading is up to others
)

// read reads until the end of input, or until it is up to others.
func (c *Conn) read() {
	for {
		c.awaitBudget()
		if c.readOnce(true) == stopped {
			return
		}
	}
}

// readOnce reads what has arrived, or waits for the next message, and acts on it.
func (c *Conn) readOnce(mayWork bool) readState {
	t := &c.tasks
	frames, err := c.stream.Read(c.opts.MaxMessageBytes)
	if errors.Is(err, ErrInterrupted) {
		return reading
	}
	c.mu.Lock()
	c.reads++
	c.mu.Unlock()
	t.delivered = 0
	for i := range frames {
		c.receive(&frames[i], t)
		frames[i] = Frame{}
	}
	if err != nil {
		c.start(t, false)
		c.inputEnded(err)
		c.release()
		return stopped
	}
	if t.delivered == len(frames) && c.rest() || !c.start(t, mayWork) {
		return stopped
	}
	return reading
}

// start starts the workers and handlers of t. If the reader may do something itself, it does: the message is already
// here, and handing it to another goroutine costs as much as the pipe. It reports whether the caller still is to read.
func (c *Conn) start(t *tasks, mayWork bool) (reads bool) {
	c.queueStaged(t)
	var req *Request
	var queue *queue
	for i, r := range t.serve {
		if t.serve[i] = nil; mayWork && req == nil {
			req = r
			continue
		}
		go c.serve(r)
	}
	for i, q := range t.work {
		if t.work[i] = nil; mayWork && req == nil && queue == nil {
			queue = q
			continue
		}
		go c.work(q)
	}
	t.work, t.serve = reuse(t.work), reuse(t.serve)
	if req == nil && queue == nil {
		return true
	}
	return c.workAsReader(req, queue)
}

// reuse empties a slice, or lets it go if a burst has made it long.
func reuse[T any](s []T) []T {
	if cap(s) > maxFreeSlots {
		return nil
	}
	return s[:0]
}

// receive looks at one frame.
func (c *Conn) receive(f *Frame, t *tasks) {
	if c.opts.Observe != nil {
		c.observeIncoming(f)
	}
	if f.TooLarge != nil {
		c.receiveTooLarge(f.TooLarge, t)
		return
	}
	text := f.Data
	if i := rawjson.SkipSpace(text, 0); i < len(text) && text[i] == '[' {
		c.receiveBatch(text[i:], t)
		return
	}
	c.receiveText(text, t)
}

func (c *Conn) observeIncoming(f *Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opts.Observe(Traffic{Data: f.Data, TooLarge: f.TooLarge})
}

// receiveBatch takes the messages of a batch one by one, as if each had come alone (W10).
func (c *Conn) receiveBatch(text []byte, t *tasks) {
	if err := rawjson.Check(text); err != nil {
		c.reject(ID{}, CodeParseError, Noise, text, err)
		return
	}
	n := 0
	for entries := rawjson.WalkValid(text); entries.Next(); n++ {
		c.receiveText(entries.Value(), t)
		if n%batchStep == batchStep-1 {
			c.start(t, false)
			c.awaitBudget()
		}
	}
	if n == 0 {
		c.reject(ID{}, CodeInvalidRequest, Noise, text, errors.New("empty batch"))
	}
}

// batchStep is how many entries of a batch are taken between two looks at the budget: a batch is one message, but its
// entries count one by one.
const batchStep = 64

// receiveText takes one message, or what stands in its place.
func (c *Conn) receiveText(text []byte, t *tasks) {
	e, err := parseEnvelope(text, c.opts.KeyMember)
	switch {
	case errors.Is(err, errNotObject):
		c.reject(ID{}, CodeInvalidRequest, Noise, text, err)
	case err != nil:
		c.reject(ID{}, CodeParseError, Noise, text, err)
	case e.isAnswer():
		c.receiveAnswer(&e, text, t)
	case e.method == nil:
		c.reject(ID{}, CodeInvalidRequest, Noise, text, errNotMessage)
	default:
		c.receiveRequest(&e, text, t)
	}
}

// reject reports input that can't be acted on, and answers it if this side is to. The id is the zero ID where the
// input has none that could be trusted; it is then answered with a null id.
func (c *Conn) reject(id ID, code int, kind DiagnosticKind, text []byte, err error) {
	c.diagnose(kind, "", text, err)
	if c.opts.AnswerNoise || !id.IsZero() {
		c.postError(id, NewError(code, "%v", err))
	}
}

// receiveTooLarge deals with a message that was skipped (W2).
func (c *Conn) receiveTooLarge(l *TooLarge, t *tasks) {
	err := &TooLargeError{What: "message", Size: l.Size, Limit: c.opts.MaxMessageBytes}
	method := ""
	var id ID
	if string(l.Version) != `"2.0"` { // a log line may have an id, too
		l = &TooLarge{Size: l.Size}
	}
	if l.Method != nil && !rawjson.IsString(l.Method) {
		l = &TooLarge{Size: l.Size}
	}
	if l.Method != nil {
		method = clip(rawjson.String(l.Method))
		err.What = "notification " + method
	}
	if l.ID != nil {
		id, _ = parseID(l.ID)
	}
	switch {
	case method != "" && !id.IsZero():
		err.What = "request " + method
		c.diagnose(Oversize, method, nil, err)
		failure := NewError(CodeInvalidRequest, "%v", err)
		failure.Data = fmt.Appendf(nil, `{"size":%d,"limit":%d}`, l.Size, c.opts.MaxMessageBytes)
		c.postError(id, failure)
	case method == "" && !id.IsZero() && c.opts.Translator != nil:
		c.translateIn(Message{ID: id, Error: NewError(CodeInternalError, "%v", err)}, 0, t)
	case method == "" && !id.IsZero():
		err.What = "answer"
		c.settle(&Message{ID: id}, nil, t, err)
	default:
		c.diagnose(Oversize, method, nil, err)
		if c.opts.AnswerNoise && method == "" {
			c.postError(NullID, NewError(CodeInvalidRequest, "%v", err))
		}
	}
}
