package coder

import (
	"fmt"

	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/policy"
)

// policy is what decides about the calls of the session, and nothing else does: its yes is a yes (F56).
func (s *session) policy() *policy.Policy {
	c := s.config
	return &policy.Policy{
		Mode: s.chosen().permissions, Deny: c.Deny.Value, Ask: c.Ask.Value, Allow: c.Allow.Value,
		Grants: s.grants, Real: confine.Real,
	}
}

// place is where the calls of the session are judged.
func (s *session) place() policy.Place {
	return policy.Place{Session: s.id, CWD: s.roots[0], Roots: s.roots}
}

// judge decides about a call. If it is denied, the error says by what (F60).
func (x *exchange) judge(w *work) error {
	user := x.session.user() // who decides for all that work for the session, too
	w.wants = w.job.Call
	w.wants.Place = user.place()
	w.decision = user.policy().Decide(w.wants)
	if w.wants.Tool == policy.Task && w.decision.Source == policy.SourceMode {
		w.decision.Verdict = policy.Allow // each call of the subagent's is decided about
	}
	if w.decision.Verdict == policy.Deny {
		return denial(w.decision)
	}
	return nil
}

// denial is what the model and the user are told about a call that is denied.
func denial(d policy.Decision) error {
	rule := "the policy"
	if len(d.Rules) > 0 {
		rule = d.Rules[0].String()
	}
	switch d.Source {
	case policy.SourceDeny:
		return fmt.Errorf("the rule %s of patchbay.toml denies it; nothing was done", rule)
	case policy.SourceGrant:
		return fmt.Errorf("%w: %s is rejected for this session (%s of /permissions)", errRejected, rule, listed(d.Grants))
	}
	return fmt.Errorf("it is denied: %s; nothing was done", d.Reason)
}

// Hides reports whether a rule denies that a file is read, or has it asked about, so that a search of the folder that it is in
// passes over it: the search itself is about the folder. Who has been asked about the search has been asked about what it finds.
func (e *env) Hides(path string) bool {
	ask := e.session.config.Ask.Value
	if e.asked {
		ask = nil
	}
	return e.session.keepsFrom(path, ask)
}

// hides reports whether a rule denies that a file is read, or has it asked about. What is read without a call, such as
// instructions, is nothing that could be asked about, and may be a link to what nobody is to see.
func (s *session) hides(path string) bool { return s.keepsFrom(path, s.config.Ask.Value) }

// keepsFrom reports whether the rules that deny, or those that ask, are about reading a file.
func (s *session) keepsFrom(path string, ask []policy.Rule) bool {
	deny := s.config.Deny.Value
	if len(deny)+len(ask) == 0 {
		return false
	}
	p := policy.Policy{Mode: policy.ModeBypass, Deny: deny, Ask: ask, Real: confine.Real}
	return p.Decide(policy.Call{Place: s.place(), Tool: policy.Read, Paths: []string{path}}).Verdict != policy.Allow
}

// errHidden says why a file for the agent is not read.
func errHidden(path string) error {
	return fmt.Errorf("%s is not read: a rule of patchbay.toml denies that, or has it asked about", path)
}
