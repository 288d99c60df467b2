package policy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
)

func read(paths ...string) policy.Call {
	return policy.Call{Place: here, Tool: policy.Read, Paths: paths}
}

func edit(paths ...string) policy.Call {
	return policy.Call{Place: here, Tool: policy.Edit, Paths: paths}
}

func TestEditRuleCoversPaths(t *testing.T) {
	for _, c := range []struct{ rule, path, want string }{
		{"Edit", "/etc/x", "allow"},
		{"Edit(src/**)", "/w/p/src/a.go", "allow"},
		{"Edit(src/**)", "/w/p/src/a/b/c.go", "allow"},
		{"Edit(src/**)", "/w/p/src", "ask"},
		{"Edit(src/**)", "/w/p/srcs/a.go", "ask"},
		{"Edit(src/**)", "/w/p/sub/src/a.go", "ask"},
		{"Edit(src/**)", "/w/p/src/../main.go", "ask"},
		{"Edit(src/**)", "/w/p/src/../../q/x", "ask"},
		{"Edit(src/**)", "/src/a.go", "ask"},
		{"Edit(src/**)", "src/a.go", "allow"},
		{"Edit(src/**)", "../p/src/a.go", "allow"},
		{"Edit(src/**)", "/w/p/src/.git/hooks/pre-commit", "ask"},
		{"Edit(**)", "/w/p/.GIT/config", "ask"},
		{"Edit(**)", "/w/p/.git/config", "ask"},
		{"Edit(*/config)", "/w/p/.git/config", "ask"},
		{"Edit(**/hooks/*)", "/w/p/.git/hooks/x", "ask"},
		{"Edit(**)", "/w/p/.husky/pre-commit", "ask"},
		{"Edit(**)", "/w/p/sub/.envrc", "ask"},
		{"Edit(*.go)", "/w/p/.githooks/x.go", "ask"},
		{"Edit(.envrc)", "/w/p/.envrc", "allow"},
		{"Edit(**)", "/w/p/.github/workflows/x.yml", "allow"},
		{"Edit(.git/**)", "/w/p/.git/config", "allow"},
		{"Edit(**)", "/w/p/a/b", "allow"},
		{"Edit(**)", "/w/q", "ask"},
		{"Edit(*.go)", "/w/p/main.go", "allow"},
		{"Edit(*.go)", "/w/p/a/b/main.go", "allow"},
		{"Edit(*.go)", "/w/q/main.go", "ask"},
		{"Edit(/*.go)", "/w/p/main.go", "allow"},
		{"Edit(/*.go)", "/w/p/a/main.go", "ask"},
		{"Edit(src/*.go)", "/w/p/src/main.go", "allow"},
		{"Edit(src/*.go)", "/w/p/src/a/main.go", "ask"},
		{"Edit(src/**/x.go)", "/w/p/src/x.go", "allow"},
		{"Edit(src/**/x.go)", "/w/p/src/a/b/x.go", "allow"},
		{"Edit(src/?.go)", "/w/p/src/x.go", "allow"},
		{"Edit(src/[a-c].go)", "/w/p/src/b.go", "allow"},
		{"Edit(src/[a-c].go)", "/w/p/src/d.go", "ask"},
		{`Edit(a\*b)`, "/w/p/a*b", "allow"},
		{`Edit(a\*b)`, "/w/p/axb", "ask"},
		{"Edit(src/)", "/w/p/src/x", "allow"},
		{"Edit(src)", "/w/p/src/x", "ask"},
		{"Edit(./src/x)", "/w/p/src/x", "allow"},
		{"Edit(//tmp/**)", "/tmp/x", "allow"},
		{"Edit(//tmp/**)", "/w/p/tmp/x", "ask"},
		{"Edit(/tmp/**)", "/tmp/x", "ask"}, // .gitignore's meaning: in the session's folder
		{"Edit(~/notes/**)", "/home/u/notes/x", "allow"},
		{"Edit(~/notes/**)", "/home/v/notes/x", "ask"},
		{"Edit(~)", "/home/u/x", "ask"},
		{"Write", "/w/p/x", "ask"}, // an edit is more than a new file
		{"Read", "/w/p/x", "ask"},
		{"Delete(src/**)", "/w/p/src/x", "ask"},
	} {
		p := policy.Policy{Allow: rules(t, c.rule)}
		if d := p.Decide(edit(c.path)); d.Verdict.String() != c.want {
			t.Errorf("%s, %s: %v, want %s (%s)", c.rule, c.path, d.Verdict, c.want, d.Reason)
		}
	}
}

// What restricts is taken wide: what is below is meant, and both meanings of a slash at the beginning.
func TestDenyRuleCoversPaths(t *testing.T) {
	for _, c := range []struct{ rule, path, want string }{
		{"Read(~/.ssh/**)", "/home/u/.ssh/id", "deny"},
		{"Read(~/.ssh/**)", "/home/u/x/../.ssh/id", "deny"},
		{"Read(~/.ssh/**)", "/home/u/.ssh", "deny"},
		{"Read(~/.ssh)", "/home/u/.ssh/a/b", "deny"},
		{"Read(/etc)", "/etc/passwd", "deny"},
		{"Read(/etc)", "/w/p/etc/x", "deny"},
		{"Read(.env)", "/w/p/.env", "deny"},
		{"Read(.env)", "/w/p/a/.env", "deny"},
		{"Read(.env)", "/w/p/.envrc", "allow"},
		{"Read(secret/**)", "/w/p/secret/.git/x", "deny"},
		{"Read", "/w/p/x", "deny"},
		{"Grep", "/w/p/x", "allow"},
		{"Edit", "/w/p/x", "allow"},
	} {
		p := policy.Policy{Deny: rules(t, c.rule)}
		if d := p.Decide(read(c.path)); d.Verdict.String() != c.want {
			t.Errorf("%s, %s: %v, want %s (%s)", c.rule, c.path, d.Verdict, c.want, d.Reason)
		}
	}
}

// A rule for reading or changing is about all tools that do it.
func TestFileRulesAreAboutAllTools(t *testing.T) {
	for _, c := range []struct{ deny, tool, want string }{
		{"Read(x)", policy.Grep, "deny"}, {"Read(x)", policy.Glob, "deny"}, {"Read(x)", policy.List, "deny"}, {"Read(x)", policy.Edit, "allow"},
		{"Edit(x)", policy.Write, "deny"}, {"Edit(x)", policy.Delete, "deny"}, {"Edit(x)", policy.Move, "deny"}, {"Edit(x)", policy.Read, "allow"},
		{"Write(x)", policy.Edit, "deny"}, {"Delete(x)", policy.Delete, "deny"}, {"Delete(x)", policy.Edit, "allow"}, {"Grep(x)", policy.Grep, "deny"},
		{"Grep(x)", policy.Read, "allow"}, {"Bash", policy.Edit, "allow"},
	} {
		p := policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, c.deny)}
		call := policy.Call{Place: here, Tool: c.tool, Paths: []string{"/w/p/x"}}
		if d := p.Decide(call); d.Verdict.String() != c.want {
			t.Errorf("deny %s, %s: %v, want %s", c.deny, c.tool, d.Verdict, c.want)
		}
	}
}

// Each of a call's files must be covered, by rules together; one that is denied is enough.
func TestEveryFileCounts(t *testing.T) {
	p := policy.Policy{Allow: rules(t, "Edit(a/**)", "Edit(b/**)"), Deny: rules(t, "Edit(a/secret)")}
	for _, c := range []struct {
		want  policy.Verdict
		paths []string
	}{
		{policy.Allow, []string{"/w/p/a/x", "/w/p/b/x"}},
		{policy.Ask, []string{"/w/p/a/x", "/w/p/c/x"}},
		{policy.Deny, []string{"/w/p/b/x", "/w/p/a/secret"}},
		{policy.Ask, nil},
	} {
		if d := p.Decide(edit(c.paths...)); d.Verdict != c.want {
			t.Errorf("%v: %v, want %v (%s)", c.paths, d.Verdict, c.want, d.Reason)
		}
	}
}

// A link inside the roots doesn't lead out of them, and none leads around a rule.
func TestLinksAreFollowed(t *testing.T) {
	links := map[string]string{"/w/p/link": "/etc", "/w/p/out": "/w/p/src", "/w/p/keys": "/home/u/.ssh"}
	real := func(path string) (string, error) {
		if strings.HasPrefix(path, "/w/p/broken") {
			return "", errors.New("no such link")
		}
		for from, to := range links {
			if rest, ok := strings.CutPrefix(path, from); ok {
				path = to + rest
			}
		}
		return path, nil
	}
	p := policy.Policy{
		Mode: policy.ModeAcceptEdits, Real: real,
		Allow: rules(t, "Edit(src/**)", "Bash(echo *)"), Deny: rules(t, "Read(~/.ssh/**)"),
	}
	for _, c := range []struct {
		call policy.Call
		want policy.Verdict
	}{
		{read("/w/p/x"), policy.Allow},
		{read("/w/p/link/passwd"), policy.Ask},
		{read("/w/p/keys/id"), policy.Deny},
		{read("/w/p/broken"), policy.Ask},
		{edit("/w/p/out/x"), policy.Allow},
		{edit("/w/p/link/x"), policy.Ask},
		{edit("/w/p/link/../p/x"), policy.Ask},
		{edit("/w/p/broken"), policy.Ask},
		{shell("rm -rf link/x"), policy.Ask},
		{shell("rm -rf out/x"), policy.Allow},
		{shell("echo hi > link/x"), policy.Ask},
		{shell("cat keys/id"), policy.Deny},
	} {
		if d := p.Decide(c.call); d.Verdict != c.want {
			t.Errorf("%v: %v, want %v (%s)", &c.call, d.Verdict, c.want, d.Reason)
		}
	}
	p.Mode = policy.ModeBypass
	links["/etc"], links["/home/u"] = "/private/etc", "/data/u"
	p.Deny = append(p.Deny, rules(t, "Read(//etc/**)")...)
	for _, path := range []string{"/etc/x", "/private/etc/x", "/data/u/.ssh/id", "/home/u/.ssh/id"} {
		if d := p.Decide(read(path)); d.Verdict != policy.Deny {
			t.Errorf("%s, where what the rule names is a link: %v", path, d)
		}
	}
	if d := p.Decide(read("/w/p/broken")); d.Verdict != policy.Ask {
		t.Errorf("a link that can't be followed, and may be to what is denied: %v", d)
	}
}

func TestManyStarsTakeNoTime(t *testing.T) {
	rule := "Edit(" + strings.Repeat("**/a*/", 2000) + "x)"
	p := policy.Policy{Allow: rules(t, rule)}
	if d := p.Decide(edit("/w/p/" + strings.Repeat("aa/", 500) + "y")); d.Verdict != policy.Ask {
		t.Error(d)
	}
	line := "git " + strings.Repeat("a ", 2000)
	p = policy.Policy{Allow: rules(t, "Bash(git "+strings.Repeat("* a ", 300)+"b)")}
	if d := p.Decide(shell(line)); d.Verdict != policy.Ask {
		t.Error(d)
	}
}
