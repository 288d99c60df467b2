package coder

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// permit asks the user whether a call may be carried out, unless that is decided for the session. It returns errRejected if
// not, and agent.ErrCancelled if the user cancelled instead of answering.
func (x *exchange) permit(ctx context.Context, t *tool.Tool, shown *agent.ToolCall) error {
	if allowed, decided := x.session.decision(t.Name); decided {
		if !allowed {
			return fmt.Errorf("%w: %s is rejected for this session", errRejected, t.Name)
		}
		return nil
	}
	answer, err := x.turn.RequestPermission(ctx, shown, permissionOptions(t.Name)...)
	switch {
	case err != nil:
		return err
	case answer.Kind == acp.PermissionOptionKindAllowAlways:
		x.session.decide(t.Name, true)
	case answer.Kind == acp.PermissionOptionKindRejectAlways:
		x.session.decide(t.Name, false)
	}
	if !answer.Kind.Allows() {
		return errRejected
	}
	return nil
}

// permissionOptions are the answers to choose from. Those that last say what they last for (F59).
func permissionOptions(tool string) []acp.PermissionOption {
	options := acp.PermissionOptions(acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways,
		acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)
	for i := range options {
		switch options[i].Kind {
		case acp.PermissionOptionKindAllowAlways, acp.PermissionOptionKindRejectAlways:
			options[i].Name += fmt.Sprintf(" %s in this session", tool)
		}
	}
	return options
}
