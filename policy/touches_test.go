package policy_test

import (
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
)

// A rule that denies to change all of a folder doesn't deny every command there: who works with files by name is denied, and
// about what may be the name of a file, the user is asked, also where everything else passes.
func TestADeniedFolderIsNoDeniedShell(t *testing.T) {
	for _, c := range []struct{ rule, line, want string }{
		{"Edit(/**)", "make", "allow"},
		{"Edit(/**)", "git --version", "allow"},
		{"Edit(//w/p/**)", "git status", "ask"},
		{"Edit(**)", "go test ./...", "ask"},
		{"Edit(/**)", "python gen.py src/out", "ask"},
		{"Edit(/**)", "cat Makefile | head -3", "allow"},
		{"Edit(/**)", "rm Makefile", "deny"},
		{"Edit(/**)", "true; sudo mv a b", "deny"},
		{"Edit(/**)", "git log > log.txt", "deny"},
		{"Edit(//w/p/**)", "touch /elsewhere/a", "allow"},
		{"Read(/**)", "git status", "ask"},
		{"Read(/**)", "cat Makefile", "deny"},
		{"Read(/**)", "./script", "ask"},
		{"Read(/**)", "go version", "ask"},
		{"Edit(src/**)", "python gen.py src/out", "deny"},
		{"Edit(src)", "make src", "deny"},
		{"Edit(src/**)", "git status", "allow"},
		{"Read(secret/**)", "secret/run", "deny"},
	} {
		p := policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, c.rule)}
		call := policy.Call{Place: policy.Place{CWD: "/w/p"}, Tool: policy.Bash, Command: c.line}
		if got := p.Decide(call).Verdict.String(); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.rule, c.line, got, c.want)
		}
	}
}
