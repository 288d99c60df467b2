package agent

import (
	"context"
	"errors"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// errTooEarly is the cause of the context of a request that came before initialize.
var errTooEarly = errors.New("the request came before initialize")

// preempt sees every message in the order of the wire, on the goroutine that reads.
func (c *Conn) preempt(req *jsonrpc.Request) (done bool) {
	<-c.started
	one := c.services.of(req)
	if !c.initializing.Load() && (one == nil || !one.early) {
		req.Cancel(errTooEarly)
		return true // of a notification, which is ignored
	}
	if one == nil || one.preempt == nil {
		return false
	}
	return one.preempt(c, req)
}

// Handle is for package jsonrpc. It answers one message.
func (c *Conn) Handle(ctx context.Context, req *jsonrpc.Request) (any, error) {
	if errors.Is(context.Cause(ctx), errTooEarly) {
		return nil, acp.ErrInvalidRequest("%s before initialize: the client has to initialize the connection first", req.Method)
	}
	c.awaitGreeting(ctx, req)
	ctx = context.WithValue(ctx, connKey{}, c)
	if one := c.services.of(req); one != nil {
		result, err := one.serve(ctx, c, req)
		return result, answerable(err)
	}
	if len(acp.MethodsNamed(req.Method)) > 0 {
		return nil, jsonrpc.ErrMethodNotFound // of the protocol, and not advertised
	}
	if extension, ok := c.agent.(ExtensionHandler); ok {
		result, err := extension.HandleExtension(ctx, req.Method, req.Params)
		return result, answerable(err)
	}
	return nil, jsonrpc.ErrMethodNotFound
}

// A requestContext leads from the context of a handler to the request, and to its id.
type requestContext struct {
	context.Context
	req *jsonrpc.Request
}

// rpcKey is for the request itself, which only this package needs.
type rpcKey struct{}

func (c *requestContext) Value(key any) any {
	switch key {
	case rpcKey{}:
		return c.req
	case requestKey{}:
		return c.req.ID
	}
	return c.Context.Value(key)
}

func withRequest(ctx context.Context, req *jsonrpc.Request) context.Context {
	return &requestContext{ctx, req}
}

func requestOf(ctx context.Context) *jsonrpc.Request {
	req, _ := ctx.Value(rpcKey{}).(*jsonrpc.Request)
	return req
}

// seePrompt accepts the turn if the session has none: from here on a cancel finds it, however soon it comes (T3).
func (c *Conn) seePrompt(req *jsonrpc.Request) bool {
	if s := c.Session(acp.SessionID(req.Key())); s != nil {
		s.accept(req)
	}
	return false
}

// accept begins a turn, unless the session has one.
func (s *Session) accept(req *jsonrpc.Request) *Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil || s.closing {
		return nil
	}
	t := &Turn{session: s, req: req, stop: req.Cancel, settled: make(chan struct{})}
	req.OnCancelled(t.answerCancelled)
	req.AfterAnswer(t.settle)
	s.turn = t
	return t
}

// settle is called when the turn's answer has been handed to the writer.
func (t *Turn) settle() {
	s := t.session
	s.mu.Lock()
	if s.answering == t {
		s.answering = nil
	}
	s.mu.Unlock()
	close(t.settled)
}

// seeCancel cancels the turn that was accepted last. A cancel without one is dropped, never kept for the next (T3).
func (c *Conn) seeCancel(req *jsonrpc.Request) bool {
	id := acp.SessionID(req.Key())
	s := c.Session(id)
	if s == nil {
		s = c.childOf(id)
	}
	if s == nil {
		return true
	}
	reason := cancelReason(req.Params)
	s.cancelTurn(cancelledFor(reason), reason)
	return true
}

// cancelReason finds what the client says about why it cancels.
func cancelReason(params []byte) string {
	for _, object := range [][]byte{params, rawjson.Get(params, "_meta")} {
		if len(object) == 0 || object[0] != '{' {
			continue
		}
		if reason := rawjson.Get(object, "reason"); rawjson.IsString(reason) {
			return rawjson.String(reason)
		}
	}
	return ""
}

// servePrompt runs a turn and answers with how it ended.
func servePrompt(ctx context.Context, c *Conn, req *jsonrpc.Request) (any, error) {
	var params acp.PromptRequest
	if err := req.Decode(&params); err != nil {
		if s := c.Session(acp.SessionID(req.Key())); s != nil {
			s.refuse(req)
		}
		return nil, err
	}
	s := c.Session(params.SessionID)
	if s == nil {
		return nil, acp.ErrSessionNotFound(params.SessionID)
	}
	t := s.turnOf(req)
	if t == nil {
		return nil, acp.ErrInvalidRequest("session %s is busy: a turn is running, and a session runs one at a time", params.SessionID)
	}
	if err := c.checkPrompt(params.Prompt); err != nil {
		s.refuse(req)
		return nil, err
	}
	s.waitReleased()
	t.prompt = params
	t.begin(ctx)
	if err := t.beginRecord(params.Prompt); err != nil {
		s.refuse(req)
		return nil, err
	}
	s.history.begin(params.Prompt)
	return t.run(c.agent.Prompt)
}

// turnOf returns the turn that a request has begun. It begins it if the session was not known when the request was read.
func (s *Session) turnOf(req *jsonrpc.Request) *Turn {
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	switch {
	case t == nil:
		return s.accept(req)
	case t.req == req:
		return t
	}
	return nil
}

// refuse takes the turn that a request has begun off the session, before the client is told that there is none.
func (s *Session) refuse(req *jsonrpc.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil && s.turn.req == req {
		s.turn = nil
	}
}

// checkPrompt refuses content that was not advertised (F141).
func (c *Conn) checkPrompt(blocks []acp.ContentBlock) error {
	for i, block := range blocks {
		if c.capabilities.PromptCapabilities.Allow(block) {
			continue
		}
		kind, needs := contentKind(block)
		if needs == "" {
			return acp.ErrInvalidParams("prompt[%d] is content of the unknown kind %q", i, kind)
		}
		return acp.ErrInvalidParams("prompt[%d] is content of the kind %q, which this agent does not take: it does not advertise promptCapabilities.%s", i, kind, needs)
	}
	return nil
}

// contentKind names a kind of content and the capability that it needs.
func contentKind(block acp.ContentBlock) (kind, needs string) {
	switch b := block.(type) {
	case *acp.ImageContent:
		return "image", "image"
	case *acp.AudioContent:
		return "audio", "audio"
	case *acp.EmbeddedResource:
		return "resource", "embeddedContext"
	case *acp.UnknownContent:
		return b.Type, ""
	}
	return "", ""
}
