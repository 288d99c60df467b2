package coder

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
	"github.com/patchbay-dev/patchbay/policy"
)

// The answers to a plan. The kinds are the nearest that there are: clients know no others.
var planOptions = []acp.PermissionOption{
	{OptionID: "accept-edits", Name: "Yes, and accept edits", Kind: acp.PermissionOptionKindAllowAlways},
	{OptionID: "yes", Name: "Yes", Kind: acp.PermissionOptionKindAllowOnce},
	{OptionID: "no", Name: "No, keep planning", Kind: acp.PermissionOptionKindRejectOnce},
}

// proposeTool is the name of the tool that puts a plan before the user.
const proposeTool = "propose"

// Propose asks whether the plan that the call shows is to be carried out. If so, the session leaves its mode, which the
// client is told, since it was not the one to change it (S001.14).
func (e *env) Propose(ctx context.Context) (agreed string, err error) {
	answer, err := e.question(ctx, "the plan is ready, and to carry it out takes another mode", planOptions)
	switch {
	case errors.Is(err, errNobodyToAsk):
		return "", tool.ErrCannotAsk
	case err != nil || !answer.Kind.Allows():
		return "", err
	}
	if err := e.session.mode().refuse(proposeTool); err != nil { // the user has left the mode before they answered
		return "", err
	}
	if _, err := e.coder.setMode(e.session, freeMode); err != nil {
		return "", err
	}
	if answer.Kind == acp.PermissionOptionKindAllowAlways {
		e.session.change(func(o *settings) {
			if o.permissions == policy.ModeDefault {
				o.permissions = policy.ModeAcceptEdits
			}
		})
	}
	if err := errors.Join(e.session.keepSettings(), e.coder.tellMode(e.turn, e.session)); err != nil {
		return "", err
	}
	now := e.session.chosen()
	return fmt.Sprintf("The user agrees. The mode is now %q and the permissions are %q: carry the plan out.", now.mode.id, now.permissions), nil
}
