package client

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

func (c *Client) serveElicitation() {
	form, hasForm := c.handler.(FormElicitor)
	page, hasPage := c.handler.(URLElicitor)
	if !hasForm && !hasPage {
		return
	}
	c.caps.Elicitation = &acp.ElicitationCapabilities{}
	if hasForm {
		c.caps.Elicitation.Form = &acp.ElicitationFormCapabilities{}
	}
	if hasPage {
		c.caps.Elicitation.URL = &acp.ElicitationURLCapabilities{}
		c.routes[acp.MethodElicitationComplete] = notified(func(ctx context.Context, n *acp.CompleteElicitationNotification) {
			page.ElicitationComplete(ctx, n.ElicitationID)
		})
	}
	c.routes[acp.MethodElicitationCreate] = func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		c.asked.Add(1)
		defer c.asked.Add(-1)
		params := new(acp.CreateElicitationRequest)
		if err := req.Decode(params); err != nil {
			return nil, err
		}
		if !c.caps.Elicitation.Allow(params.Mode) {
			return nil, acp.ErrInvalidParams("%s: this client does not ask for input in that way", req.Method)
		}
		s, err := c.scope(ctx, req, params)
		if err != nil {
			return nil, err
		}
		if _, ok := params.Mode.(*acp.ElicitationURLMode); ok {
			return result(elicit(ctx, s, params, page.ElicitURL))
		}
		return result(elicit(ctx, s, params, form.ElicitForm))
	}
}

type elicitor func(context.Context, *Session, *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error)

// elicit asks the user. No answer, and a cancelled turn, are the answer cancel (T4).
func elicit(ctx context.Context, s *Session, req *acp.CreateElicitationRequest, ask elicitor) (*acp.CreateElicitationResponse, error) {
	cancelled := &acp.CreateElicitationResponse{Action: &acp.ElicitationCancelAction{}}
	resp, err := askUser(ctx, s, cancelled, func(ctx context.Context) (*acp.CreateElicitationResponse, error) {
		return ask(ctx, s, req)
	})
	if err == nil && (resp == nil || resp.Action == nil) {
		return cancelled, nil
	}
	return resp, err
}

// scope returns the session that input is asked for, nil for a request outside of all sessions.
func (c *Client) scope(ctx context.Context, req *jsonrpc.Request, params *acp.CreateElicitationRequest) (*Session, error) {
	scope, ok := params.Scope.(*acp.ElicitationSessionScope)
	if !ok {
		return nil, nil
	}
	s := c.sessionFor(ctx, scope.SessionID, req)
	if s == nil {
		return nil, acp.ErrSessionNotFound(scope.SessionID)
	}
	s.acts()
	return s, nil
}
