package coder

import (
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// S002.9: the modes that the seeds name are there, and each has tools.
func TestS002_9_ModesHaveTheirNames(t *testing.T) {
	for id, name := range map[string]string{
		"full": "Full Access", "read-only": "Read-Only", "safe": "Safe Mode", "sandbox": "Sandbox Mode",
		"plan": "Plan", "architect": "Architect", "ask": "Ask",
	} {
		m := modeNamed(acp.SessionModeID(id))
		if m == nil || m.name != name || !m.has("grep") && !m.has(sandboxPrefix+"grep") {
			t.Errorf("the mode %q is %+v, want one named %q", id, m, name)
		}
	}
}
