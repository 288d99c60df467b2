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

// What is removed or moved goes with all that is in it, so that a rule which denies a file may be about its folder. Where the
// beginning of a name alone is known, the rest may be what is denied.
func TestADeniedFileIsInItsFolder(t *testing.T) {
	for _, c := range []struct{ rule, call, want string }{
		{"Edit(db/data.sqlite)", "Bash(rm -rf db)", "ask"},
		{"Edit(db/data.sqlite)", "Bash(rm -rf /w/p/./db/)", "ask"},
		{"Edit(db/data.sqlite)", "Bash(mv db gone)", "ask"},
		{"Edit(db/data.sqlite)", "Bash(sudo rm -rf /w)", "ask"},
		{"Edit(db/data.sqlite)", "Delete(db)", "ask"},
		{"Edit(db/*/a.sql)", "Delete(db/x)", "ask"},
		{"Edit(~/.ssh/id)", "Bash(rm -rf ~)", "ask"},
		{"Read(~/.ssh/id)", "Bash(cp -r ~/.ssh x)", "ask"},
		{"Read(~/.ssh/id)", "Bash(tar c ~/.ssh)", "ask"},
		{"Edit(db/data.sqlite)", "Bash(rm -rf build)", "allow"},
		{"Edit(db/data.sqlite)", "Bash(rm db/other)", "allow"},
		{"Edit(*.sql)", "Bash(rm -rf db)", "allow"},
		{"Edit(*.sql)", "Bash(rm -rf .)", "ask"},
		{"Edit(db/data.sqlite)", "Bash(ls db)", "allow"},
		{"Edit(db/data.sqlite)", "Edit(db)", "allow"},
		{"Read(.env)", "Bash(cat .e*)", "ask"},
		{"Read(.env)", "Bash(cat conf/.en?)", "ask"},
		{"Read(.env)", "Bash(cat .env$X)", "ask"},
		{"Read(.env)", "Bash(cat src*)", "allow"},
		{"Read(.env)", "Bash(cat *)", "allow"},
	} {
		p := policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, c.rule)}
		call, err := policy.ParseCall(policy.Place{CWD: "/w/p", Home: "/home/me"}, c.call)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Decide(call).Verdict.String(); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.rule, c.call, got, c.want)
		}
	}
}

// The URI of a file is its path, however it is written, and one that says more than a path is not understood.
func TestURIsOfFiles(t *testing.T) {
	for uri, want := range map[string]policy.Verdict{
		"file:///w/p/a": policy.Allow, "FILE:/w/p/a": policy.Allow, "file://localhost/w/p/a": policy.Allow,
		"file:/etc/hosts": policy.Ask, "File:///etc/hosts": policy.Ask, "file:///w/p/a?b": policy.Ask, "file:/w/p/a#b": policy.Ask,
		"file://elsewhere/w/p/a": policy.Ask, "http://w/p/a": policy.Ask,
	} {
		p := policy.Policy{Mode: policy.ModeAcceptEdits}
		if got := p.Decide(policy.FromOperation(policy.Place{CWD: "/w/p"}, policy.OperationFileWrite, uri)).Verdict; got != want {
			t.Errorf("%s: %v, want %v", uri, got, want)
		}
	}
}
