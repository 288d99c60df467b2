package jsonrpc

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// serve runs the handler of a request, which is counted in Conn.active, and answers it. A request that was cancelled
// while it waited gets its turn too, with its context cancelled: what becomes of it is the handler's to say.
func (c *Conn) serve(req *Request) {
	var result any
	err := error(errHandlerDied)
	// Each in a call of its own, so that all of them run even if one ends the goroutine.
	defer c.release()
	defer c.doneRunning(req)
	defer func() { c.answer(req, result, err) }()
	result, err = c.invoke(&req.ctx, req)
}

func (c *Conn) doneRunning(req *Request) {
	req.cancel(nil)
	c.mu.Lock()
	c.forgetLocked(req)
	c.mu.Unlock()
}

// answer sends the answer to a request. If the peer's cancel was read before the answer is handed to the writer, the
// cancel wins (W7); that is decided under the lock under which the answer is queued.
func (c *Conn) answer(req *Request, result any, err error) {
	cancelled := false
	for {
		send := c.prepareAnswer(req, result, err)
		send.req, send.wins = req, cancelled
		outcome := c.post(&req.ctx, send)
		if outcome == nil || errors.Is(outcome, ErrClosed) {
			break
		}
		if errors.Is(outcome, errCancelWins) {
			cancelled = true
			result, err = c.cancelledOutcome(req, result, err)
			continue
		}
		c.diagnose(AnswerLost, req.Method, nil, outcome)
		c.answerInstead(req, asError(outcome))
		break
	}
	for _, f := range req.afterAnswer {
		c.guard(req, f)
	}
}

// answerInstead sends an error in the place of an answer that could not be sent, without waiting for room.
func (c *Conn) answerInstead(req *Request, failure *Error) {
	if c.opts.Translator == nil {
		c.postError(req.ID, failure)
		return
	}
	m := &Message{ID: req.ID, Error: failure}
	_ = c.post(&req.ctx, posting{message: m, what: "answer to " + req.Method, answer: true, urgent: true, req: req, wins: true})
}

// cancelledOutcome is what a request is answered with that was cancelled in time.
func (c *Conn) cancelledOutcome(req *Request, result any, err error) (any, error) {
	if req.onCancelled == nil {
		return nil, &Error{Code: CodeRequestCancelled, Message: "request cancelled"}
	}
	to, failure := any(nil), error(errHandlerDied)
	c.guard(req, func() { to, failure = req.onCancelled(result, err) })
	return to, failure
}

// guard calls a function that a handler left behind. W9 holds for it too.
func (c *Conn) guard(req *Request, f func()) {
	defer func() {
		if p := recover(); p != nil {
			c.diagnose(HandlerPanic, req.Method, nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	f()
}

// forgetLocked ends the time in which a request counts as running, can be cancelled, and its id not be used again.
func (c *Conn) forgetLocked(req *Request) {
	if req.counted {
		req.counted = false
		c.running -= req.weight()
	}
	if same := req.ID.same(); c.incoming[same] == req {
		delete(c.incoming, same)
	}
	if c.most.incoming > maxFreeSlots && len(c.incoming) == 0 {
		c.incoming, c.most.incoming = map[string]*Request{}, 0
	}
}

// prepareAnswer makes what post sends. What can't be written as JSON, or is too large, becomes an error (W2).
func (c *Conn) prepareAnswer(req *Request, result any, err error) posting {
	failure := (*Error)(nil)
	switch {
	case errors.Is(err, ErrMethodNotFound):
		failure = methodNotFound(req.Method)
	case errors.Is(err, errHandlerDied):
		failure = &Error{Code: CodeInternalError, Message: "internal error: the handler of " + req.Method + " failed"}
	case err != nil:
		failure = asError(err)
	}
	if c.opts.Translator != nil {
		m := Message{ID: req.ID, Error: failure}
		if failure == nil {
			m.Value = result
			if result == nil {
				m.Result = []byte("null")
			}
		}
		return posting{message: &m, what: "answer to " + req.Method, answer: true}
	}
	buf := newBuffer()
	err = c.encodeAnswer(buf, req, result, failure)
	if err != nil {
		c.diagnose(AnswerLost, req.Method, nil, err)
		// Say what is wrong, or if it was an error that can't be written, only the gist of it.
		short := &Error{Code: CodeInternalError, Message: clip(err.Error())}
		if failure != nil {
			short = &Error{Code: failure.Code, Message: clip(failure.Message)}
		}
		if c.encodeAnswer(buf, req, nil, short) != nil { // with a limit that is smaller than any answer
			buf.uncut(0)
			buf.data, _ = appendAnswer(buf.data, req.ID, nil, &Error{Code: short.Code})
		}
	}
	return posting{buf: buf, answer: true}
}

// encodeAnswer is appendAnswer and seal, for values of a handler, whose methods may panic.
func (c *Conn) encodeAnswer(buf *buffer, req *Request, result any, failure *Error) (err error) {
	defer recoverInto(&err, "the result can't be encoded")
	buf.uncut(0)
	if failure != nil {
		buf.data, err = appendAnswer(buf.data, req.ID, nil, failure)
	} else {
		buf.data = append(openAnswer(buf.data, req.ID), `,"result":`...)
		err = c.appendBody(buf, result)
		buf.data = append(buf.data, '}')
	}
	if err != nil {
		return err
	}
	return c.seal(buf, "answer to ", req.Method)
}

func recoverInto(err *error, what string) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s: panic: %v", what, p)
	}
}

// clip shortens a message that is too long to be sent.
func clip(s string) string {
	const most = 1024
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

func methodNotFound(method string) *Error {
	e := &Error{Code: CodeMethodNotFound, Message: "method not found: " + clip(method)}
	e.Data, _ = appendValue(nil, map[string]string{"method": clip(method)})
	return e
}
