package jsonrpc

import (
	"context"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

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
	c.dispatch(req, c.opts.Key(method, e.params, e.key), t)
}

// dispatch puts a request or notification where its turn will come.
func (c *Conn) dispatch(req *Request, key []byte, t *tasks) {
	req.key = key
	req.arrival = c.arrivals.Add(1)
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
	req.counted = true
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
	c.mu.Unlock()
	if req != nil {
		c.cancelledByPeer(req)
	}
}

func (c *Conn) cancelledByPeer(req *Request) {
	c.mu.Lock()
	inTime := req.counted // until the answer is handed over
	req.cancelled = req.cancelled || inTime
	c.mu.Unlock()
	if inTime {
		req.cancel(errCancelledByPeer)
	}
}
