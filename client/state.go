package client

import "github.com/patchbay-dev/patchbay/acp"

// A State accumulates a session from its updates.
type State struct{}

// Apply takes an update.
func (s *State) Apply(u acp.SessionUpdate) {}
