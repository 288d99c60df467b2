package agent

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// Elicit asks the user for input, by a form or on a page, on behalf of the session: a scope that is nil is filled in.
// The user may accept, decline or cancel; all three are answers and no errors.
//
// A client that did not advertise the mode is asked by a permission request if that can be done honestly; the package's
// documentation says when, and what the user sees. Otherwise the error is an *acp.UnsupportedError, and nothing is
// written (W11). An author who wants no such thing looks first whether
// Conn.ClientCapabilities().Elicitation.Allow(mode) is true.
//
// Spec: elicitation.
func (t *Turn) Elicit(ctx context.Context, req acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if t.session.child != nil {
		return t.elicitAbove(ctx, req)
	}
	if req.Scope == nil {
		req.Scope = &acp.ElicitationSessionScope{SessionID: t.session.ID()}
	}
	return elicit(ctx, t.call, t.session.conn, &req, &asker{session: t.session, turn: t, call: t.call, show: t.showQuestion})
}

// Elicit is like Turn.Elicit, and does not end with a turn.
func (s *Session) Elicit(ctx context.Context, req acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if req.Scope == nil {
		req.Scope = &acp.ElicitationSessionScope{SessionID: s.address()}
	}
	show := func(u acp.SessionUpdate) error {
		if err := s.usable(); err != nil {
			return err
		}
		return s.post(context.WithoutCancel(ctx), u)
	}
	return elicit(ctx, s.call, s.conn, &req, &asker{session: s, call: s.call, show: show})
}

// Elicit asks the user for input on behalf of a request that belongs to no session, such as authenticate: a scope that
// is nil is the request whose context, or one derived from it, this is. It is like Turn.Elicit otherwise, but that there
// is no fallback: a permission request belongs to a session.
func (c *Conn) Elicit(ctx context.Context, req acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if id, ok := ctx.Value(requestKey{}).(jsonrpc.ID); ok && req.Scope == nil {
		req.Scope = &acp.ElicitationRequestScope{RequestID: id}
	}
	return elicit(ctx, c.Call, c, &req, nil)
}

// CompleteElicitation tells the client that the user is done with a page. A client that takes no pages has nothing to do
// about it and is told nothing.
func (c *Conn) CompleteElicitation(ctx context.Context, id acp.ElicitationID) error {
	if !c.clientCapabilities().Elicitation.Allow(&acp.ElicitationURLMode{}) {
		return nil
	}
	return c.Notify(ctx, acp.MethodElicitationComplete, &acp.CompleteElicitationNotification{ElicitationID: id})
}

// requestKey is for the id of the request that a context belongs to.
type requestKey struct{}

func elicit(ctx context.Context, call caller, c *Conn, req *acp.CreateElicitationRequest, instead *asker) (*acp.CreateElicitationResponse, error) {
	if !c.clientCapabilities().Elicitation.Allow(req.Mode) {
		return instead.elicit(ctx, req)
	}
	var answer acp.CreateElicitationResponse
	if err := call(ctx, acp.MethodElicitationCreate, req, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

// unsupportedMode is the error of a mode that the client did not advertise and that has no fallback.
func unsupportedMode(mode acp.ElicitationMode) error {
	return &acp.UnsupportedError{Method: acp.MethodElicitationCreate, Capability: modeCapability(mode)}
}

// modeCapability names the capability that a mode needs.
func modeCapability(mode acp.ElicitationMode) string {
	switch m := mode.(type) {
	case *acp.ElicitationFormMode:
		return "clientCapabilities.elicitation.form"
	case *acp.ElicitationURLMode:
		return "clientCapabilities.elicitation.url"
	case *acp.UnknownElicitationMode:
		return "clientCapabilities.elicitation." + m.Mode
	}
	return "clientCapabilities.elicitation"
}
