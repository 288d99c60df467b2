package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

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
	call.span.end(c.arrivals.Load())
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
		t.delivered++
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
