package agent

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// Elicit asks the user for input, by a form or on a page, on behalf of the session: a scope that is nil is filled in.
// The user may accept, decline or cancel; all three are answers and no errors.
//
// A client that did not advertise the mode is an *acp.UnsupportedError, and nothing is written (W11). The fallback is the
// author's to choose. For a form, say the question with Text and end the turn: the next prompt is the answer. For a page
// there is none that is safe: secrets don't belong in a form or in the conversation.
//
// Spec: elicitation.
func (t *Turn) Elicit(ctx context.Context, req acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if req.Scope == nil {
		req.Scope = &acp.ElicitationSessionScope{SessionID: t.session.ID()}
	}
	return elicit(ctx, t.call, t.session.conn, &req)
}

// Elicit is like Turn.Elicit, and does not end with a turn.
func (s *Session) Elicit(ctx context.Context, req acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if req.Scope == nil {
		req.Scope = &acp.ElicitationSessionScope{SessionID: s.ID()}
	}
	return elicit(ctx, s.call, s.conn, &req)
}

// Elicit asks the user for input on behalf of a request that belongs to no session, such as authenticate: a scope that
// is nil is the request whose context, or one derived from it, this is. It is like Turn.Elicit otherwise.
func (c *Conn) Elicit(ctx context.Context, req acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if id, ok := ctx.Value(requestKey{}).(jsonrpc.ID); ok && req.Scope == nil {
		req.Scope = &acp.ElicitationRequestScope{RequestID: id}
	}
	return elicit(ctx, c.Call, c, &req)
}

// CompleteElicitation tells the client that the user is done with a page.
func (c *Conn) CompleteElicitation(ctx context.Context, id acp.ElicitationID) error {
	return c.Notify(ctx, acp.MethodElicitationComplete, &acp.CompleteElicitationNotification{ElicitationID: id})
}

// requestKey is for the id of the request that a context belongs to.
type requestKey struct{}

func elicit(ctx context.Context, call caller, c *Conn, req *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if !c.clientCapabilities().Elicitation.Allow(req.Mode) {
		return nil, &acp.UnsupportedError{Method: acp.MethodElicitationCreate, Capability: modeCapability(req.Mode)}
	}
	var answer acp.CreateElicitationResponse
	if err := call(ctx, acp.MethodElicitationCreate, req, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
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
