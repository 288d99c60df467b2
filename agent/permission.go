package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// RequestPermission asks the user whether a tool may be run, and returns the option that the user chose, never nil
// without an error. If the turn is cancelled meanwhile, or the client answers so, the error is ErrCancelled (T4); an
// answer that was not offered is an error too, and no permission (F57). The error matches acp.ErrUnsupported if the client
// has no such method; it isn't asked again then (F52). If ctx ends, the question is withdrawn.
//
// Spec: tool-calls#requesting-permission.
func (t *Turn) RequestPermission(ctx context.Context, call *ToolCall, options ...acp.PermissionOption) (*acp.PermissionOption, error) {
	return t.RequestPermissionWith(ctx, nil, call, options...)
}

// RequestPermissionWith is RequestPermission with _meta in the request.
func (t *Turn) RequestPermissionWith(ctx context.Context, meta acp.Meta, call *ToolCall, options ...acp.PermissionOption) (*acp.PermissionOption, error) {
	req := &acp.RequestPermissionRequest{SessionID: t.session.address(), ToolCall: call.snapshot(), Options: some(options), Meta: meta}
	if t.session.child != nil {
		if err := call.surface(req); err != nil {
			return nil, err
		}
		defer t.session.waits()()
	}
	outcome, err := t.session.conn.requestPermission(ctx, t.call, req)
	if err != nil {
		return nil, err
	}
	return chosen(outcome, options)
}

// RequestPermission asks the user for permission outside of a turn, about a tool call that the author has announced. It
// is like Turn.RequestPermission otherwise; when the session is closed meanwhile, the error is ErrSessionClosed.
func (s *Session) RequestPermission(ctx context.Context, call acp.ToolCallUpdate, options ...acp.PermissionOption) (*acp.PermissionOption, error) {
	outcome, err := s.conn.requestPermission(ctx, s.call, &acp.RequestPermissionRequest{
		SessionID: s.address(), ToolCall: call, Options: some(options),
	})
	if err != nil {
		return nil, err
	}
	return chosen(outcome, options)
}

// requestPermission asks the client, unless it has said that it can't be asked: there is no capability that would have told
// (F52).
func (c *Conn) requestPermission(ctx context.Context, call caller, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	if c.noPermissions.Load() {
		return nil, fmt.Errorf("request permission: %w: it has no such method", acp.ErrUnsupported)
	}
	var answer acp.RequestPermissionResponse
	err := call(ctx, acp.MethodSessionRequestPermission, req, &answer)
	if errors.Is(err, &acp.Error{Code: acp.CodeMethodNotFound}) {
		c.noPermissions.Store(true)
		return nil, fmt.Errorf("%w: %w", acp.ErrUnsupported, err)
	}
	return answer.Outcome, err
}

// chosen returns the option that an outcome names.
func chosen(outcome acp.RequestPermissionOutcome, options []acp.PermissionOption) (*acp.PermissionOption, error) {
	switch o := outcome.(type) {
	case *acp.CancelledPermissionOutcome:
		return nil, ErrCancelled
	case *acp.SelectedPermissionOutcome:
		for i := range options {
			if options[i].OptionID == o.OptionID {
				return &options[i], nil
			}
		}
		return nil, fmt.Errorf("request permission: the client chose %q, which was not offered", o.OptionID)
	case *acp.UnknownPermissionOutcome:
		return nil, fmt.Errorf("request permission: the client answered with the unknown outcome %q", o.Outcome)
	}
	return nil, fmt.Errorf("request permission: the client answered without an outcome")
}
