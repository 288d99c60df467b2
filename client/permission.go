package client

import "github.com/patchbay-dev/patchbay/acp"

// Select answers a permission request with the first of its options that is of one of the kinds, the earlier kinds
// before the later, and with acp.PermissionCancelled() if there is none. Agents name their options as they like, so
// that it is the kind to choose by and the agent's own id to answer with (F57).
func Select(options []acp.PermissionOption, kinds ...acp.PermissionOptionKind) acp.RequestPermissionOutcome {
	for _, kind := range kinds {
		for i := range options {
			if options[i].Kind == kind {
				return acp.PermissionSelected(options[i].OptionID)
			}
		}
	}
	return acp.PermissionCancelled()
}
