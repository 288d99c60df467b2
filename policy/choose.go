package policy

import (
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
)

// Choose returns the answer to a permission request that says what was decided: the id that the agent gave to an option
// of the right kind, since ids are the agent's own (F57). It is false if the agent offers none, and for Ask: then the
// user answers, or the request is cancelled. An id that the agent gave to a yes and to a no is none to answer with.
//
// What is allowed is allowed once, never always: an agent that doesn't ask again is no longer bound by the policy. What
// is denied is rejected once, or always if the agent offers nothing else.
func Choose(v Verdict, options []acp.PermissionOption) (acp.PermissionOptionID, bool) {
	switch v {
	case Allow:
		return option(options, acp.PermissionOptionKindAllowOnce)
	case Deny:
		return option(options, acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)
	}
	return "", false
}

// option returns the first option of the first of these kinds that there is.
func option(options []acp.PermissionOption, kinds ...acp.PermissionOptionKind) (acp.PermissionOptionID, bool) {
	for _, kind := range kinds {
		i := slices.IndexFunc(options, func(o acp.PermissionOption) bool { return o.Kind == kind && acp.OptionOf(options, o.OptionID) != nil })
		if i >= 0 {
			return options[i].OptionID, true
		}
	}
	return "", false
}
