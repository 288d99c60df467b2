package policy

import (
	"fmt"
	"slices"
	"strings"
)

// A Test says what a policy is to make of a call. Policies are programs, and a rule that is one letter off says nothing at all.
type Test struct {
	Call    string  `json:"call"` // as ParseCall reads it
	Verdict Verdict `json:"verdict"`

	// Rule is one that is to take part in the decision. The zero Rule leaves open which.
	Rule Rule `json:"rule,omitzero"`
}

// A Mismatch is a Test that has failed.
type Mismatch struct {
	Test Test
	Got  Decision
}

// Error says what was wanted and what came, in a line each.
func (m *Mismatch) Error() string {
	want := m.Test.Verdict.String()
	if !m.Test.Rule.IsZero() {
		want += " by " + m.Test.Rule.String()
	}
	return fmt.Sprintf("%s\n  want %s\n  got  %s", m.Test.Call, want, m.Got.outcome())
}

// outcome is a decision in a line.
func (d *Decision) outcome() string {
	by := "the mode"
	if len(d.Rules) > 0 {
		names := make([]string, len(d.Rules))
		for i, r := range d.Rules {
			names[i] = r.String()
		}
		by = strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s by %s: %s", d.Verdict, by, d.Reason)
}

// Check compares a decision with what the test wants. The error is a *Mismatch.
func (t Test) Check(d Decision) error {
	if d.Verdict == t.Verdict && (t.Rule.IsZero() || slices.Contains(d.Rules, t.Rule)) {
		return nil
	}
	return &Mismatch{Test: t, Got: d}
}
