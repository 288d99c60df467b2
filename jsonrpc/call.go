package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A call is a request of ours that waits for its answer. Its outcome is guarded by Conn.mu until done is closed.
type call struct {
	id        int64
	method    string
	key       string        // of the session it belongs to, "" if none; fixed
	barrier   bool          // the answer waits for the session's earlier messages (W5)
	byHandler bool          // made by a handler, of another connection if there is a barrier
	settled   bool          // the answer has come
	done      chan struct{} // closed by deliverLocked: the outcome may be looked at
	span      span

	result []byte
	value  any // a decoded result, from a Translator
	err    error
}

// deliverLocked lets the caller have the outcome, once. That of a call without an answer is that the connection has
// ended.
func (c *Conn) deliverLocked(call *call) {
	if c.pending[call.id] != call {
		return // delivered before, or abandoned
	}
	c.unpendLocked(call)
	if !call.settled {
		call.err = c.closedErrorLocked()
	}
	close(call.done)
}

// unpendLocked takes a call out of the map of those that wait. A map never shrinks, so after a burst it is replaced.
func (c *Conn) unpendLocked(finished *call) {
	delete(c.pending, finished.id)
	if c.most.pending > maxFreeSlots && len(c.pending) == 0 {
		c.pending, c.most.pending = map[int64]*call{}, 0
	}
}

// Call calls a method of the peer and waits for the answer, which it decodes into result, a pointer; nil drops it.
// Params are anything that can be written as a JSON object or array; nil sends none.
//
// If the peer answers with an error, that is returned, an *Error. All other errors arise here: a *ClosedError if the
// connection has ended or ends, a *TooLargeError, ErrOverloaded, or an error about encoding or decoding. If ctx ends,
// Call tells the peer to cancel the request and returns at once with an error that wraps ctx.Err(); an answer that
// comes later is discarded (W7). There is no time limit but that of ctx.
//
// If the params name a session, the notifications of that session that came before the answer have been handled when
// Call returns (W5). A call with a handler's own context does not wait for them, since they may be waiting for the
// handler; so inside a handler always use the context that it was given.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	call, err := c.roundTrip(ctx, method, params)
	if err != nil {
		return err
	}
	return call.decode(result)
}

// decode reads the outcome of a call that has been delivered.
func (c *call) decode(result any) (err error) {
	if c.err != nil || result == nil {
		return c.err
	}
	if c.value != nil {
		err = assign(c.value, result)
	} else {
		err = decodeValue(c.result, result)
	}
	if err != nil {
		return fmt.Errorf("decode the result of %s: %w", c.method, err)
	}
	return nil
}

// CallRaw is Call for params that are JSON already and a result as it came.
func (c *Conn) CallRaw(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	var result jsontext.Value
	err := c.Call(ctx, method, rawParams(params), &result)
	return result, err
}

// Notify sends a notification. It returns when the message has been handed to the writer, which may be before it has
// left; messages leave in the order in which they were handed over. It waits only while a megabyte of messages is
// waiting already; its errors are those of Call.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	p, err := c.prepare(0, method, params, "notification ")
	if err == nil {
		err = c.post(ctx, p)
	}
	if err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	return nil
}

// NotifyRaw is Notify for params that are JSON already.
func (c *Conn) NotifyRaw(ctx context.Context, method string, params jsontext.Value) error {
	return c.Notify(ctx, method, rawParams(params))
}

func rawParams(params jsontext.Value) any {
	if len(params) == 0 {
		return nil
	}
	return params
}

// prepare encodes a request or, with id 0, a notification.
func (c *Conn) prepare(id int64, method string, params any, what string) (posting, error) {
	if c.opts.Translator != nil {
		m := &Message{Method: method, Value: params}
		if id != 0 {
			m.ID = NumberID(id)
		}
		if params != nil {
			text, err := appendValue(nil, params)
			if err != nil {
				return posting{}, err
			}
			m.Params, m.Key = text, string(c.keyIn(method, text))
		}
		return posting{message: m, what: what}, nil
	}
	buf := newBuffer()
	if id == 0 {
		buf.data = appendRequest(buf.data, ID{}, method, params != nil)
	} else {
		buf.data = appendCall(buf.data, id, method, params != nil)
	}
	var err error
	if params != nil {
		if err = c.appendBody(buf, params); err != nil {
			buf.free()
			return posting{}, fmt.Errorf("encode params: %w", err)
		}
	}
	buf.data = append(buf.data, '}')
	if err = c.seal(buf, what, method); err != nil {
		buf.free()
		return posting{}, err
	}
	return posting{buf: buf}, nil
}

// keyOf returns the session that an outgoing message belongs to.
func (c *Conn) keyOf(p *posting, id int64, method string, params any) string {
	if p.message != nil {
		return p.message.Key
	}
	if params == nil {
		return ""
	}
	text := p.buf.data[:len(p.buf.data)-1]
	text = text[paramsOffset(id, method, text):]
	if _, ours := params.(Appender); ours && c.opts.KeyMember != "" {
		return string(c.opts.Key(method, text, rawjson.First(text, c.opts.KeyMember)))
	}
	return string(c.keyIn(method, text))
}

// keyIn returns the session of a message with these params, which are valid.
func (c *Conn) keyIn(method string, params []byte) []byte {
	return c.opts.Key(method, params, rawjson.Get(params, c.opts.KeyMember))
}

// paramsOffset returns where the params stand in the text of a call that prepare made.
func paramsOffset(id int64, method string, text []byte) int {
	var scratch [128]byte
	return len(appendCall(scratch[:0], id, method, true))
}

// roundTrip sends a request and waits for its answer.
func (c *Conn) roundTrip(ctx context.Context, method string, params any) (*call, error) {
	call, err := c.launch(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return call, c.await(ctx, call)
}

// launch sends a request.
func (c *Conn) launch(ctx context.Context, method string, params any) (*call, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("call %s: %w", method, err)
	}
	p, err := c.draft(method, params)
	if err != nil {
		return nil, err
	}
	return p.call, c.send(ctx, p)
}

// draft encodes a request, which is then to be sent.
func (c *Conn) draft(method string, params any) (posting, error) {
	id := c.lastID.Add(1)
	p, err := c.prepare(id, method, params, "request ")
	if err != nil {
		return p, fmt.Errorf("call %s: %w", method, err)
	}
	p.call = &call{id: id, method: method, done: make(chan struct{})}
	p.call.key = c.keyOf(&p, id, method, params)
	p.call.span.init()
	return p, nil
}

// send hands a request to the writer.
func (c *Conn) send(ctx context.Context, p posting) error {
	h, call := handlerOf(ctx), p.call
	call.barrier = call.key != "" && (h == nil || h.conn != c && !h.ordered)
	call.byHandler = h != nil
	if err := c.post(ctx, p); err != nil {
		c.abandon(call, false)
		return fmt.Errorf("call %s: %w", call.method, err)
	}
	return nil
}

// await waits for the answer to a request.
func (c *Conn) await(ctx context.Context, call *call) (err error) {
	reads := c.baton.stream != nil && c.baton.pickUp()
	w := handlerOf(ctx).enter()
	defer w.leave()
	if reads && c.readAsCaller(ctx, call) {
		return nil
	}
	select {
	case <-call.done:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
		if cause := context.Cause(ctx); !errors.Is(err, cause) {
			err = fmt.Errorf("%w: %w", err, cause)
		}
	case <-w.overloaded():
		err = ErrOverloaded
	}
	c.abandon(call, true)
	select {
	case <-call.done: // the answer came after all
		return nil
	default:
		return fmt.Errorf("call %s: %w", call.method, err)
	}
}

// abandon forgets a call whose answer nobody waits for any more, and tells the peer unless it has answered already.
func (c *Conn) abandon(call *call, tell bool) {
	c.mu.Lock()
	waiting := c.pending[call.id] == call && !call.settled
	if c.pending[call.id] == call {
		c.unpendLocked(call)
	}
	c.mu.Unlock()
	if !waiting || !tell {
		return
	}
	params := append(strconv.AppendInt([]byte(`{"requestId":`), call.id, 10), '}')
	p, err := c.prepare(0, c.opts.CancelMethod, jsontext.Value(params), "notification ")
	if err == nil {
		p.urgent = true
		_ = c.post(context.Background(), p)
	}
}
