package jsonrpc

import "context"

// A Pending is a request that has been handed to the writer and whose answer is still to be waited for.
type Pending struct {
	conn *Conn
	call *call
}

// Start is the first half of Call. It returns when the request has been handed to the writer, so that what is sent
// after it follows it on the wire. Its errors are those of Notify. Somebody must Wait for the answer.
func (c *Conn) Start(ctx context.Context, method string, params any) (*Pending, error) {
	call, err := c.launch(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return &Pending{conn: c, call: call}, nil
}

// Wait is the other half: it waits for the answer and decodes it into result, a pointer; nil drops it. If ctx ends, the
// peer is told to cancel the request, as by Call. Call Wait once, with the context of the handler that called Start or,
// outside of handlers, with any.
func (p *Pending) Wait(ctx context.Context, result any) error {
	if err := p.conn.await(ctx, p.call); err != nil {
		return err
	}
	return p.call.decode(result)
}

// Ordered reports whether Wait also waits until the session's messages that came before the answer have been handled
// (W5), which it doesn't if Start was called with the context of a handler.
func (p *Pending) Ordered() bool { return p.call.barrier }
