package jsonrpc

import (
	"errors"
	"fmt"
)

// startLocked counts a request whose handler is about to run.
func (c *Conn) startLocked(req *Request) {
	c.active++
	c.budget.held += runningCost
}

// serve runs the handler of a request and answers it. It is counted by startLocked. A request that was cancelled while
// it waited gets its turn too, with its context cancelled: what becomes of it is the handler's to say.
func (c *Conn) serve(req *Request) {
	var result any
	err := error(errHandlerDied)
	defer func() { // also when the handler calls runtime.Goexit
		c.answer(req, result, err)
		req.cancel(nil)
		c.mu.Lock()
		c.budget.giveLocked(runningCost)
		c.mu.Unlock()
		c.release()
	}()
	result, err = c.invoke(&req.ctx, req)
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
			if req.onCancelled != nil {
				result, err = req.onCancelled(result, err)
			} else {
				result, err = nil, &Error{Code: CodeRequestCancelled, Message: "request cancelled"}
			}
			continue
		}
		c.diagnose(AnswerLost, req.Method, nil, outcome)
		c.mu.Lock()
		c.forgetLocked(req)
		c.mu.Unlock()
		c.postError(req.ID, asError(outcome))
		break
	}
	for _, f := range req.afterAnswer {
		f()
	}
}

// forgetLocked ends the time in which a request can be cancelled and its id not be used again.
func (c *Conn) forgetLocked(req *Request) {
	if same := req.ID.same(); c.incoming[same] == req {
		delete(c.incoming, same)
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
	err = encodeAnswer(buf, req.ID, result, failure)
	if err == nil {
		err = c.seal(buf, "answer to ", req.Method)
	}
	if err != nil {
		buf.free()
		c.diagnose(AnswerLost, req.Method, nil, err)
		if failure != nil { // even the error can't be written: its data is to blame
			return c.prepareAnswer(req, nil, &Error{Code: failure.Code, Message: clip(failure.Message)})
		}
		return c.prepareAnswer(req, nil, NewError(CodeInternalError, "%v", err))
	}
	return posting{buf: buf, answer: true}
}

// encodeAnswer is appendAnswer for values of a handler, whose methods may panic.
func encodeAnswer(buf *buffer, id ID, result any, failure *Error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the result can't be encoded: panic: %v", p)
		}
	}()
	buf.data, err = appendAnswer(buf.data[:0], id, result, failure)
	return err
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
