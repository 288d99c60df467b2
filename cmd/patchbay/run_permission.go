package main

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// A decision is the answer to a permission request, for views to show.
type decision struct {
	call    *client.ToolCall
	option  *acp.PermissionOption // nil if the agent offered none that fits
	allowed bool
	by      string // "mode", "user", "no_terminal" or "no_option"
}

// RequestPermission decides by the policy, or asks on the terminal. Without one, the answer is no.
func (r *run) RequestPermission(ctx context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	call := described(s.State().ToolCall(req.ToolCall.ToolCallID), &req.ToolCall)
	return r.answer(ctx, s, req, call, judge(r.policy, policy.FromToolCall(placeOf(s), told(call)))), nil
}

// answer answers a question as the policy has decided, and the user where that leaves it open. It is kept and shown.
func (r *run) answer(ctx context.Context, s *client.Session, req *acp.RequestPermissionRequest, call *client.ToolCall, v policy.Verdict) acp.RequestPermissionOutcome {
	switch {
	case v == policy.Allow:
		return r.decided(req, call, policy.Allow, choose(policy.Allow, req.Options), "mode")
	case v == policy.Deny:
		return r.decided(req, call, policy.Deny, choose(policy.Deny, req.Options), string(deniedByMode))
	case !r.asker.terminal:
		return r.decided(req, call, policy.Deny, choose(policy.Deny, req.Options), string(deniedUnattended))
	}
	outcome := r.question(ctx, s, call, req.Options)
	return r.decided(req, call, policy.Ask, outcome, string(deniedByUser))
}

// question asks the user, who sees what it is about: on the screen of the view or else beside it.
func (r *run) question(ctx context.Context, s *client.Session, call *client.ToolCall, options []acp.PermissionOption) acp.RequestPermissionOutcome {
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	seen := false
	r.show(func(v view) { seen = v.question(s, call) })
	if !seen {
		r.asker.show(call)
	}
	return r.asker.ask(ctx, cleanLine(titleOf(call)), options)
}

// decided keeps and shows a decision.
func (r *run) decided(req *acp.RequestPermissionRequest, call *client.ToolCall, wanted policy.Verdict, outcome acp.RequestPermissionOutcome, by string) acp.RequestPermissionOutcome {
	d := decision{call: call, by: by}
	if chosen, ok := outcome.(*acp.SelectedPermissionOutcome); ok {
		for i := range req.Options {
			if req.Options[i].OptionID == chosen.OptionID {
				d.option = &req.Options[i]
				d.allowed = d.option.Kind.Allows()
			}
		}
	}
	if d.option == nil && wanted == policy.Allow {
		d.by = string(deniedNoOption)
	}
	r.show(func(v view) {
		if !d.allowed {
			r.denied = append(r.denied, denial{call.ID, titleOf(call), call.Kind, denialReason(d.by)})
		}
		v.decided(&d)
	})
	return outcome
}

// titleOf returns something to call a tool call by.
func titleOf(call *client.ToolCall) string {
	if call.Title == "" {
		return fmt.Sprintf("tool call %s", call.ID)
	}
	return call.Title
}
