package main

import (
	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// judge says what a policy makes of a call (S000.13). In plan nobody is asked: what does not pass is rejected.
func judge(p *policy.Policy, call policy.Call) policy.Verdict {
	verdict := p.Decide(call).Verdict
	if verdict == policy.Ask && p.Mode == policy.ModePlan {
		return policy.Deny
	}
	return verdict
}

// placeOf is where the calls of a session are judged.
func placeOf(s *client.Session) policy.Place {
	return policy.Place{Session: s.ID(), CWD: s.CWD(), Roots: s.Roots()}
}

// told is what is known of a call as one update.
func told(call *client.ToolCall) acp.ToolCallUpdate {
	return acp.ToolCallUpdate{
		ToolCallID: call.ID,
		Title:      acp.Some(call.Title),
		Name:       acp.Some(call.Name),
		Kind:       acp.Some(call.Kind),
		Content:    acp.Some(call.Content),
		Locations:  acp.Some(call.Locations),
		RawInput:   acp.Some(call.RawInput),
		Meta:       call.Meta,
		Unknown:    call.Unknown,
	}
}

// choose answers a permission request with the option that means a verdict, which is told by its kind and named by the
// agent's own id (F57). If the agent offers none, the answer is "cancelled", which permits nothing.
func choose(v policy.Verdict, options []acp.PermissionOption) acp.RequestPermissionOutcome {
	if v == policy.Allow {
		return client.Select(options, acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways)
	}
	return client.Select(options, acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)
}

// described returns the call that a permission request is about: what the request says, and what was said before.
func described(known *client.ToolCall, asked *acp.ToolCallUpdate) *client.ToolCall {
	call := client.ToolCall{ID: asked.ToolCallID}
	if known != nil {
		call = *known
	}
	call.Title = asked.Title.Or(call.Title)
	call.Name = asked.Name.Or(call.Name)
	call.Kind = asked.Kind.Or(call.Kind)
	call.Content = asked.Content.Or(call.Content)
	call.Locations = asked.Locations.Or(call.Locations)
	call.RawInput = asked.RawInput.Or(call.RawInput)
	if asked.Meta != nil {
		call.Meta = asked.Meta
	}
	return &call
}
