package agent

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// RequestPermission asks the user whether a tool may be run, and returns the option that the user chose, never nil
// without an error. If the turn is cancelled meanwhile, or the client answers so, the error is ErrCancelled (T4); an
// answer that was not offered is an error too, and no permission (F57).
//
// Spec: tool-calls#requesting-permission.
func (t *Turn) RequestPermission(ctx context.Context, call *ToolCall, options ...acp.PermissionOption) (*acp.PermissionOption, error) {
	var answer acp.RequestPermissionResponse
	err := t.call(ctx, acp.MethodSessionRequestPermission, &acp.RequestPermissionRequest{
		SessionID: t.session.ID(), ToolCall: call.snapshot(), Options: some(options),
	}, &answer)
	if err != nil {
		return nil, err
	}
	return chosen(answer.Outcome, options)
}

// RequestPermission asks the user for permission outside of a turn, about a tool call that the author has announced. It
// is like Turn.RequestPermission otherwise; when the session is closed meanwhile, the error is ErrSessionClosed.
func (s *Session) RequestPermission(ctx context.Context, call acp.ToolCallUpdate, options ...acp.PermissionOption) (*acp.PermissionOption, error) {
	var answer acp.RequestPermissionResponse
	err := s.call(ctx, acp.MethodSessionRequestPermission, &acp.RequestPermissionRequest{
		SessionID: s.ID(), ToolCall: call, Options: some(options),
	}, &answer)
	if err != nil {
		return nil, err
	}
	return chosen(answer.Outcome, options)
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
