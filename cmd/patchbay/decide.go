package main

import (
	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// decide says what a policy makes of a call (S000.13), whether the agent asks about it or does it without asking: there is one
// point of decision (F56). In plan nobody is asked: what does not pass is rejected.
func decide(p *policy.Policy, call policy.Call) policy.Decision { return unasked(p, p.Decide(call)) }

// unasked has what would be asked in plan rejected.
func unasked(p *policy.Policy, d policy.Decision) policy.Decision {
	if d.Verdict == policy.Ask && p.Mode == policy.ModePlan {
		d.Verdict = policy.Deny
		d.Reason += ", and in plan nobody is asked"
	}
	return d
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
// agent's own id (F57). If the agent offers none, the answer is "cancelled", which permits nothing. What is allowed is allowed
// once: an agent that is told "always" asks no more, and may keep that beyond this run.
func choose(v policy.Verdict, options []acp.PermissionOption) acp.RequestPermissionOutcome {
	if id, ok := policy.Choose(v, options); ok {
		return acp.PermissionSelected(id)
	}
	return acp.PermissionCancelled()
}

// chosenOf returns the option that an outcome has chosen; nil if none, or if its id is that of a yes and of a no.
func chosenOf(options []acp.PermissionOption, o acp.RequestPermissionOutcome) *acp.PermissionOption {
	if chosen, ok := o.(*acp.SelectedPermissionOutcome); ok {
		return acp.OptionOf(options, chosen.OptionID)
	}
	return nil
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
