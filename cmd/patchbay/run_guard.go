package main

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// guard decides about what the agent does through us without asking: by the same policy that answers its permission requests,
// so that an agent which never asks is bound as well (F55). What it has asked about is not asked about again.
func (r *run) guard(ctx context.Context, s *client.Session, a *client.Access) error {
	call, wants := accessed(placeOf(s), a)
	verdict := judge(r.policy, wants)
	if verdict == policy.Ask && askedBefore(s, wants, a.Allowed) {
		return nil
	}
	if verdict == policy.Allow {
		return nil
	}
	req := &acp.RequestPermissionRequest{SessionID: s.ID(), ToolCall: told(call), Options: guardOptions}
	if outcome := r.answer(ctx, s, req, call, verdict); allows(req.Options, outcome) {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return acp.ErrInternal("%s: permission denied", call.Title)
}

// guardOptions are the answers to a question that is ours and not the agent's.
var guardOptions = acp.PermissionOptions(acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindRejectOnce)

// accessed describes what an agent does, for people and for rules.
func accessed(place policy.Place, a *client.Access) (*client.ToolCall, policy.Call) {
	switch {
	case a.Read != nil:
		return &client.ToolCall{
			Title: "Read " + a.Read.Path, Kind: acp.ToolKindRead, Locations: []acp.ToolCallLocation{{Path: a.Read.Path}},
		}, policy.FromReadTextFile(place, *a.Read)
	case a.Write != nil:
		return &client.ToolCall{
			Title: "Write " + a.Write.Path, Kind: acp.ToolKindEdit, Locations: []acp.ToolCallLocation{{Path: a.Write.Path}},
		}, policy.FromWriteTextFile(place, *a.Write)
	}
	wants := policy.FromCreateTerminal(place, *a.Command)
	return &client.ToolCall{Title: "Run " + wants.Command, Kind: acp.ToolKindExecute}, wants
}

// askedBefore reports whether an open call that was allowed is about this.
func askedBefore(s *client.Session, wants policy.Call, allowed []*acp.RequestPermissionRequest) bool {
	for _, req := range allowed {
		call := described(s.State().ToolCall(req.ToolCall.ToolCallID), &req.ToolCall)
		if wants.Within(policy.FromToolCall(placeOf(s), told(call))) {
			return true
		}
	}
	return false
}

// allows reports whether an outcome is a yes.
func allows(options []acp.PermissionOption, o acp.RequestPermissionOutcome) bool {
	chosen, ok := o.(*acp.SelectedPermissionOutcome)
	if !ok {
		return false
	}
	for i := range options {
		if options[i].OptionID == chosen.OptionID {
			return options[i].Kind.Allows()
		}
	}
	return false
}
