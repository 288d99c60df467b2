package policy

import (
	"fmt"
	"slices"
	"strings"
)

// A Mode says what passes without a question where no rule speaks (S000.13). The empty Mode is ModeDefault.
//
// What a mode that this package doesn't know lets pass is nothing: ParseMode and UnmarshalText refuse it, and a Policy
// that has one all the same asks about everything.
type Mode string

// The modes.
const (
	// ModeDefault lets reading inside the roots pass, and asks about the rest.
	ModeDefault Mode = "default"

	// ModeAcceptEdits also lets changes of files inside the roots pass, and shell lines made of nothing but mkdir, rm and
	// mv there, mv the last of them. It still asks before a root itself is removed or moved, and before something changes in a folder of
	// version control or of an agent's settings, since what is written there is run later.
	ModeAcceptEdits Mode = "acceptEdits"

	// ModeBypass lets everything pass that no deny and no ask rule speaks of.
	ModeBypass Mode = "bypassPermissions"

	// ModePlan denies whatever writes or executes, also what an allow rule or a grant would let pass.
	ModePlan Mode = "plan"
)

// Modes are all modes, the strictest first.
var Modes = []Mode{ModePlan, ModeDefault, ModeAcceptEdits, ModeBypass}

// ParseMode reads the name of a mode, exactly as it is written above.
func ParseMode(text string) (Mode, error) {
	if m := Mode(text); slices.Contains(Modes, m) {
		return m, nil
	}
	return "", fmt.Errorf("unknown permission mode %q: it is one of %s", text, join(Modes))
}

// UnmarshalText reads a mode as ParseMode does.
func (m *Mode) UnmarshalText(text []byte) (err error) {
	*m, err = ParseMode(string(text))
	return err
}

// A Verdict is what is to become of a call. The zero Verdict is Deny: who forgets to decide has denied.
type Verdict int

// The verdicts.
const (
	Deny Verdict = iota
	Ask
	Allow
)

var verdicts = []string{"deny", "ask", "allow"}

// ParseVerdict reads "deny", "ask" or "allow".
func ParseVerdict(text string) (Verdict, error) {
	if i := slices.Index(verdicts, text); i >= 0 {
		return Verdict(i), nil
	}
	return Deny, fmt.Errorf("unknown verdict %q: it is one of %s", text, join(verdicts))
}

// String returns "deny", "ask" or "allow".
func (v Verdict) String() string {
	if v < Deny || v > Allow {
		return fmt.Sprintf("verdict %d", int(v))
	}
	return verdicts[v]
}

// MarshalText writes what ParseVerdict reads.
func (v Verdict) MarshalText() ([]byte, error) {
	if v < Deny || v > Allow {
		return nil, fmt.Errorf("unknown %v", v)
	}
	return []byte(verdicts[v]), nil
}

// UnmarshalText reads a verdict as ParseVerdict does.
func (v *Verdict) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVerdict(string(text))
	return err
}

func join[S ~string](names []S) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(name))
	}
	return b.String()
}
