package jsonrpc

import (
	"context"
	"fmt"
)

// A Pending is a request that has been handed to the writer and whose answer is still to be waited for.
type Pending struct {
	conn  *Conn
	call  *call
	draft posting // until Send
}

// Start is the first half of Call. It returns when the request has been handed to the writer, so that what is sent
// after it follows it on the wire. Its errors are those of Notify. Somebody must Wait for the answer.
func (c *Conn) Start(ctx context.Context, method string, params any) (*Pending, error) {
	p, err := c.Prepare(method, params)
	if err != nil {
		return nil, err
	}
	if err := p.Send(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// Prepare is the first half of Start: it encodes a request and sends nothing. A request that is too large is an error
// already here (W2). It is for those who must be ready for the answer, and what comes with it, before they Send.
func (c *Conn) Prepare(method string, params any) (*Pending, error) {
	draft, err := c.draft(method, params)
	if err != nil {
		return nil, err
	}
	return &Pending{conn: c, call: draft.call, draft: draft}, nil
}

// Send is the other half: it hands the request to the writer, once. If it fails, nothing was sent and nobody may Wait.
func (p *Pending) Send(ctx context.Context) error {
	draft := p.draft
	p.draft = posting{} // the writer's now
	if err := ctx.Err(); err != nil {
		draft.free()
		return fmt.Errorf("call %s: %w", p.call.method, err)
	}
	return p.conn.send(ctx, draft)
}

// Wait is the second half of Call: it waits for the answer and decodes it into result, a pointer; nil drops it. If ctx
// ends, the peer is told to cancel the request, as by Call. Call Wait once, with the context of the handler that called
// Start or, outside of handlers, with any.
func (p *Pending) Wait(ctx context.Context, result any) error {
	if err := p.conn.await(ctx, p.call); err != nil {
		return err
	}
	return p.call.decode(result)
}

// Ordered reports whether Wait also waits until the session's messages that came before the answer have been handled
// (W5), which it doesn't if Start was called with the context of a handler.
func (p *Pending) Ordered() bool { return p.call.barrier }
