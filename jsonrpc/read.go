package jsonrpc

import (
	"context"
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
}

type stagedItem struct {
	key []byte // part of the message's text
	req *Request
}

// read reads until the end of input, or until another goroutine has taken over reading while this one ran a handler.
func (c *Conn) read() {
	t := &c.tasks
	for {
		c.awaitBudget()
		frames, err := c.stream.Read(c.opts.MaxMessageBytes)
		c.mu.Lock()
		c.reads++
		c.mu.Unlock()
		for i := range frames {
			c.receive(&frames[i], t)
			frames[i] = Frame{}
		}
		if err != nil {
			c.start(t, false)
			c.inputEnded(err)
			c.release()
			return
		}
		if !c.start(t, true) {
			return
		}
	}
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
	e, err := parseEnvelope(text)
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

func (c *Conn) receiveRequest(e *envelope, text []byte, t *tasks) {
	var id ID
	if e.id != nil {
		id, _ = parseID(e.id)
	}
	if err := e.checkRequest(); err != nil {
		if !e.version || len(e.id) > maxIDBytes {
			id = ID{} // what does not claim to be JSON-RPC is only answered as noise
		}
		c.reject(id, CodeInvalidRequest, InvalidMessage, text, err)
		return
	}
	method := c.names.intern(e.method, rawjson.String)
	switch {
	case method == "": // a Message without a method would be an answer
		if !id.IsZero() {
			c.postError(id, methodNotFound(method))
		}
		return
	case c.opts.Translator != nil:
		c.translateIn(Message{ID: id, Method: method, Params: e.params}, len(text), t)
		return
	}
	if method == c.opts.CancelMethod && id.IsZero() {
		c.queueStaged(t)
		c.receiveCancel(rawjson.Get(e.params, "requestId"))
		return
	}
	req := &Request{ID: id, Method: method, Params: e.params, conn: c, size: len(text) + messageCost}
	c.dispatch(req, c.opts.Key(method, e.params), t)
}

// dispatch puts a request or notification where its turn will come.
func (c *Conn) dispatch(req *Request, key []byte, t *tasks) {
	if req.IsNotification() {
		if c.opts.Preempt != nil && c.opts.Preempt(req) {
			return
		}
		t.staged = append(t.staged, stagedItem{key, req})
		return
	}
	c.queueStaged(t)
	if err := c.register(req); err != nil {
		c.diagnose(InvalidMessage, req.Method, nil, err)
		c.refuse(req, err)
		return
	}
	req.ctx.conn = c
	req.ctx.Context, req.cancel = context.WithCancelCause(c.base)
	if c.opts.Preempt != nil {
		c.opts.Preempt(req)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.finishing {
		c.forgetLocked(req)
		c.running -= req.weight()
		req.cancel(nil)
		return
	}
	if len(key) > 0 {
		q := c.queues.getLocked(key)
		req.ctx.queue = q
		if q.busy && !q.isBlockedLocked() {
			c.pushLocked(q, req)
			return
		}
	}
	c.active++
	t.serve = append(t.serve, req)
}

// refuse answers a request that gets no handler.
func (c *Conn) refuse(req *Request, err *Error) {
	id := req.ID
	if err.Code == CodeInvalidRequest {
		id = NullID // the id is another request's
	}
	if c.opts.Translator == nil {
		c.postError(id, err)
		return
	}
	// Conn.translate is held.
	outs, _, failure := c.outbound(Message{ID: id, Error: err})
	if failure == nil {
		failure = c.sendMessages(outs, "answer to ", true)
	}
	if failure != nil {
		c.diagnose(AnswerLost, req.Method, nil, failure)
	}
}

// register notes a request as being answered, unless another with its id is (W4), or too many are. Requests with a null
// id can be many.
func (c *Conn) register(req *Request) *Error {
	same := req.ID.same()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.incoming[same] != nil {
		return NewError(CodeInvalidRequest, "id %s is in use by a request that has not been answered", clip(req.ID.text))
	}
	if limit := max(overload*c.opts.Budget, leastLimit); c.running > 0 && c.running+req.weight() > limit {
		return NewError(CodeInternalError, "%v: requests of %d bytes are being handled", ErrOverloaded, c.running)
	}
	c.running += req.weight()
	if !req.ID.IsNull() {
		c.incoming[same] = req
		c.most.incoming = max(c.most.incoming, len(c.incoming))
	}
	return nil
}

// queueStaged queues the notifications that were read since the last time.
func (c *Conn) queueStaged(t *tasks) {
	if len(t.staged) == 0 {
		return
	}
	c.mu.Lock()
	for i, s := range t.staged {
		t.staged[i] = stagedItem{}
		if c.closed || c.finishing {
			continue
		}
		q := c.queues.getLocked(s.key)
		if c.pushLocked(q, s.req) {
			t.work = append(t.work, q)
		}
	}
	c.mu.Unlock()
	t.staged = reuse(t.staged)
}

// receiveCancel cancels the handler of a request, and with it any answer that has not been handed over (W7).
func (c *Conn) receiveCancel(id []byte) {
	if id == nil {
		return
	}
	parsed, err := parseID(id)
	if err != nil {
		return
	}
	c.mu.Lock()
	req := c.incoming[parsed.same()]
	if req != nil {
		req.cancelled = true
	}
	c.mu.Unlock()
	if req != nil {
		req.cancel(errCancelledByPeer)
	}
}

// receiveAnswer finds the call that an answer belongs to.
func (c *Conn) receiveAnswer(e *envelope, text []byte, t *tasks) {
	if e.id == nil {
		c.diagnose(UnmatchedAnswer, "", text, answerError(e))
		return
	}
	id, err := parseID(e.id)
	if err != nil {
		c.diagnose(UnmatchedAnswer, "", text, err)
		return
	}
	m := Message{ID: id, Result: e.result, Error: answerError(e)}
	malformed := malformedAnswer(e)
	if c.opts.Translator != nil {
		if malformed != nil {
			m.Result, m.Error = nil, NewError(CodeInternalError, "%v", malformed)
		}
		c.translateIn(m, len(text), t)
		return
	}
	c.settle(&m, text, t, malformed)
}

func answerError(e *envelope) *Error {
	if e.err == nil {
		return nil
	}
	failure := new(Error)
	failure.parse(e.err)
	return failure
}

// malformedAnswer reports what is wrong with an answer that still can be told to be one: the call must not wait on.
func malformedAnswer(e *envelope) error {
	switch {
	case e.err == nil && e.result == nil:
		return errors.New(`the answer has neither "result" nor "error"`)
	case e.err != nil && e.result != nil && !rawjson.IsNull(e.result):
		return fmt.Errorf("malformed answer: %w", errTwoAnswers)
	}
	return nil
}

// settle gives an answer to the call that waits for it, behind the notifications of its session that came before.
func (c *Conn) settle(m *Message, text []byte, t *tasks, malformed error) {
	c.queueStaged(t)
	n, ok := m.ID.Int64()
	c.mu.Lock()
	call := c.pending[n]
	if !ok || call == nil || call.settled {
		late := ok && 0 < n && n <= c.lastID.Load() // a call that was cancelled, or an answer given twice
		c.mu.Unlock()
		if !late {
			c.unmatched(m, text, malformed)
		}
		return
	}
	call.settled = true
	switch {
	case malformed != nil:
		call.err = malformed
	case m.Error != nil:
		call.err = m.Error
	default:
		call.result, call.value = m.Result, m.Value
	}
	if !call.barrier || !c.queues.behindLocked(call) {
		c.deliverLocked(call)
	}
	c.mu.Unlock()
}

func (c *Conn) unmatched(m *Message, text []byte, malformed error) {
	if malformed != nil && m.Error == nil {
		c.reject(ID{}, CodeInvalidRequest, InvalidMessage, text, errNotMessage)
		return
	}
	c.diagnose(UnmatchedAnswer, "", text, fmt.Errorf("no call has id %s", clip(m.ID.text)))
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

// translateIn runs the translator on a message from the wire, which was of so many bytes.
func (c *Conn) translateIn(m Message, size int, t *tasks) {
	c.translate.Lock()
	defer c.translate.Unlock()
	up, back, err := c.inbound(m)
	if err != nil {
		c.diagnose(InvalidMessage, m.Method, m.Params, err)
		switch {
		case m.IsAnswer(): // whoever waits for it must not wait on
			c.settle(&Message{ID: m.ID}, m.Result, t, err)
		case !m.ID.IsZero():
			c.postError(m.ID, NewError(CodeInternalError, "%v", err))
		}
	}
	for i := range up {
		c.receiveMessage(&up[i], size+messageCost, t)
	}
	c.queueStaged(t) // before an Outbound can send something back this way
	if err := c.sendMessages(back, "message ", true); err != nil && !errors.Is(err, ErrClosed) {
		c.diagnose(AnswerLost, m.Method, nil, err)
	}
}

// inbound is Translator.Inbound, for bytes of a peer that the translator's author did not think of.
func (c *Conn) inbound(m Message) (up, back []Message, err error) {
	defer recoverInto(&err, "the translator failed")
	up, back = c.opts.Translator.Inbound(m)
	return up, back, nil
}

func (c *Conn) outbound(m Message) (outs, back []Message, err error) {
	defer recoverInto(&err, "the translator failed")
	outs, back = c.opts.Translator.Outbound(m)
	return outs, back, nil
}

// receiveMessage takes a message that a translator let through to this side, and that counts for so many bytes.
// Conn.translate is held.
func (c *Conn) receiveMessage(m *Message, size int, t *tasks) {
	if m.IsAnswer() {
		c.settle(m, m.Result, t, nil)
		return
	}
	params := m.Params
	if m.Method == c.opts.CancelMethod && m.ID.IsZero() {
		if m.Value != nil {
			params, _ = appendValue(nil, m.Value)
		}
		c.queueStaged(t)
		c.receiveCancel(rawjson.Get(params, "requestId"))
		return
	}
	key := []byte(m.Key)
	if m.Key == "" {
		key = c.opts.Key(m.Method, params)
	}
	c.dispatch(&Request{ID: m.ID, Method: m.Method, Params: params, value: m.Value, conn: c, size: size}, key, t)
}
