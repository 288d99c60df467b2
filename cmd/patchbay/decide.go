package main

import (
	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/confine"
)

// The permission modes: what passes without asking the user (S000.13).
const (
	modeDefault = "default"           // nothing
	modeEdits   = "acceptEdits"       // edits inside the session's roots, and shell lines made only of mkdir, rm and mv there
	modeBypass  = "bypassPermissions" // everything
	modePlan    = "plan"              // nothing, and nobody is asked: all is rejected
)

// A verdict is what a mode says to a tool call.
type verdict int

const (
	ask verdict = iota
	allow
	reject
)

// judge says what a mode makes of a tool call. The space is that of the call's session.
func judge(mode string, space confine.Space, call *client.ToolCall) verdict {
	switch mode {
	case modeBypass:
		return allow
	case modePlan:
		return reject
	case modeEdits:
		if isEdit(space, call) {
			return allow
		}
	}
	return ask
}

// isEdit reports whether a call does nothing but change files in the session's roots, as far as it says what it does.
func isEdit(space confine.Space, call *client.ToolCall) bool {
	switch call.Kind {
	case acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove:
		return staysInside(space, call)
	case acp.ToolKindExecute:
		return staysInside(space, call) && isFileCommand(space, call.RawInput)
	}
	return false
}

// staysInside reports whether all files that a call names are in the session's roots.
func staysInside(space confine.Space, call *client.ToolCall) bool {
	for _, l := range call.Locations {
		if _, err := space.Resolve(l.Path); err != nil {
			return false
		}
	}
	for _, d := range call.Diffs() {
		if _, err := space.Resolve(d.Path); err != nil {
			return false
		}
	}
	return true
}

// choose answers a permission request with the option that means a verdict, which is told by its kind and named by the
// agent's own id (F57). If the agent offers none, the answer is "cancelled", which permits nothing.
func choose(v verdict, options []acp.PermissionOption) acp.RequestPermissionOutcome {
	if v == allow {
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
	call.Kind = asked.Kind.Or(call.Kind)
	call.Content = asked.Content.Or(call.Content)
	call.Locations = asked.Locations.Or(call.Locations)
	call.RawInput = asked.RawInput.Or(call.RawInput)
	return &call
}
