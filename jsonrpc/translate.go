package jsonrpc

import (
	"errors"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

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
		key = c.keyIn(m.Method, params)
	}
	c.dispatch(&Request{ID: m.ID, Method: m.Method, Params: params, value: m.Value, conn: c, size: size}, key, t)
}
