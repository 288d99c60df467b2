package policy_test

import (
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// A forged store has what nobody could have kept in it.
type forged []policy.Grant

func (f forged) Load() ([]policy.Grant, error) { return f, nil }

func (f forged) Change(change func([]policy.Grant) ([]policy.Grant, error)) error {
	_, err := change(f)
	return err
}

// F61: a grant for a session or for once that somebody has written into a store lets nothing pass, and keeps no decision waiting.
func TestF61_AStoreHasNoGrantsOfSessions(t *testing.T) {
	for _, scope := range []policy.Scope{policy.ScopeOnce, policy.ScopeSession} {
		store := forged{{ID: "1", Rule: policy.MustRule("Bash"), Allow: true, Scope: scope, Session: "s"}}
		p := policy.Policy{Grants: &policy.Grants{Store: store}}
		call := policy.Call{Place: policy.Place{CWD: "/w", Session: acp.SessionID("s")}, Tool: policy.Bash, Command: "ls"}
		if d := p.Decide(call); d.Verdict != policy.Deny || d.Source != policy.SourceGrant {
			t.Errorf("%s: %+v", scope, d)
		}
	}
}
