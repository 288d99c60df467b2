package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

func grant(t *testing.T, g *policy.Grants, grant policy.Grant) policy.Grant {
	t.Helper()
	kept, err := g.Add(grant)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// A grant holds as far as its scope says, and no further: no session sees another's.
func TestGrantHoldsInItsScope(t *testing.T) {
	at := func(session, cwd string) policy.Call {
		c := shell("make all")
		c.Session, c.CWD = acp.SessionID(session), cwd
		return c
	}
	for _, c := range []struct {
		grant policy.Grant
		want  string // for: the same session; another in the same folder; another elsewhere
	}{
		{policy.Grant{Scope: policy.ScopeSession, Session: "s1"}, "allow ask ask"},
		{policy.Grant{Scope: policy.ScopeWorkspace, Workspace: "/w/p"}, "allow allow ask"},
		{policy.Grant{Scope: policy.ScopeAlways}, "allow allow allow"},
		{policy.Grant{Scope: policy.ScopeOnce, Session: "s1"}, "allow ask ask"},
	} {
		g := &policy.Grants{}
		c.grant.Rule, c.grant.Allow = policy.MustRule("Bash(make *)"), true
		grant(t, g, c.grant)
		p := policy.Policy{Grants: g}
		var got []string
		for _, call := range []policy.Call{at("s1", "/w/p"), at("s2", "/w/p"), at("s2", "/w/q")} {
			got = append(got, p.Decide(call).Verdict.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.grant.Scope, got, c.want)
		}
	}
	p := policy.Policy{Grants: &policy.Grants{}}
	grant(t, p.Grants, policy.Grant{Scope: policy.ScopeSession, Session: "s1", Rule: policy.MustRule("Bash"), Allow: true})
	if d := p.Decide(at("", "/w/p")); d.Verdict != policy.Ask {
		t.Errorf("a call of no session: %v", d)
	}
}

// The decision names the grant, with which it can be revoked.
func TestGrantIsNamedAndRevoked(t *testing.T) {
	p := policy.Policy{Grants: &policy.Grants{}, Allow: rules(t, "Bash(head *)")}
	kept := grant(t, p.Grants, policy.Grant{Scope: policy.ScopeAlways, Rule: policy.MustRule("Bash(git *)"), Allow: true, Shown: "git log"})
	d := p.Decide(shell("git log | head"))
	if d.Verdict != policy.Allow || d.Source != policy.SourceGrant || len(d.Grants) != 1 || d.Grants[0] != kept.ID || len(d.Rules) != 2 {
		t.Errorf("%+v", d)
	}
	if list := p.Grants.List(); len(list) != 1 || list[0] != kept || kept.At.IsZero() || kept.Shown != "git log" {
		t.Errorf("%+v", list)
	}
	revoke := func(id string) bool {
		was, err := p.Grants.Revoke(id)
		return was && err == nil
	}
	if revoke("x") || !revoke(kept.ID) || revoke(kept.ID) {
		t.Error("revoking says something else than it did")
	}
	if d := p.Decide(shell("git log | head")); d.Verdict != policy.Ask {
		t.Errorf("after it was revoked: %+v", d)
	}
}

// A rejection that is kept denies, before anything that allows; but not what only may be meant.
func TestRejectionIsKept(t *testing.T) {
	p := policy.Policy{Grants: &policy.Grants{}, Allow: rules(t, "Bash")}
	grant(t, p.Grants, policy.Grant{Scope: policy.ScopeSession, Session: "s1", Rule: policy.MustRule("Bash(git push *)")})
	for line, want := range map[string]policy.Verdict{
		"git push": policy.Deny, "cd x && git push -f": policy.Deny, "git log": policy.Allow, "git $X": policy.Allow,
	} {
		if d := p.Decide(shell(line)); d.Verdict != want {
			t.Errorf("%s: %v, want %v", line, d.Verdict, want)
		}
	}
}

// F59: a permission for a sandbox holds in one alone, a rejection everywhere, and a wider answer takes the place of a narrower.
func TestF59_GrantsForASandbox(t *testing.T) {
	rule := policy.MustRule("Bash(make *)")
	given := policy.Grant{Scope: policy.ScopeAlways, Rule: rule}
	permitted, inside := given, given
	permitted.Allow, inside.Allow, inside.Sandboxed = true, true, true
	for _, each := range []struct {
		grants []policy.Grant
		want   string // outside, inside
	}{
		{[]policy.Grant{inside}, "ask allow"},
		{[]policy.Grant{permitted}, "allow allow"},
		{[]policy.Grant{permitted, inside}, "allow allow"},
		{[]policy.Grant{inside, given}, "deny deny"},
	} {
		p := policy.Policy{Grants: &policy.Grants{}}
		for _, g := range each.grants {
			grant(t, p.Grants, g)
		}
		call := shell("make all")
		outside := p.Decide(call)
		call.Sandboxed = true
		if got := outside.Verdict.String() + " " + p.Decide(call).Verdict.String(); got != each.want {
			t.Errorf("%+v: %s, want %s", each.grants, got, each.want)
		}
		text, err := json.Marshal(p.Grants)
		var kept policy.Grants
		if err == nil {
			err = json.Unmarshal(text, &kept)
		}
		last := kept.List()
		if err != nil || last[len(last)-1].Sandboxed != each.grants[len(each.grants)-1].Sandboxed {
			t.Errorf("%s: %v", text, err)
		}
	}
	g := &policy.Grants{}
	grant(t, g, inside)
	grant(t, g, permitted)
	if list := g.List(); len(list) != 1 || list[0].Sandboxed {
		t.Errorf("%+v", list)
	}
}

// No grant passes what a rule denies or asks about each time, nor what plan forbids.
func TestRulesStandAboveGrants(t *testing.T) {
	for _, p := range []policy.Policy{
		{Deny: rules(t, "Bash(git *)")}, {Ask: rules(t, "Bash(git *)")}, {Mode: policy.ModePlan},
	} {
		p.Grants = &policy.Grants{}
		grant(t, p.Grants, policy.Grant{Scope: policy.ScopeAlways, Rule: policy.MustRule("Bash"), Allow: true})
		if d := p.Decide(shell("git status")); d.Verdict == policy.Allow {
			t.Errorf("%+v: %+v", p, d)
		}
	}
}

// A grant for once decides one call, however many ask at the same time. Explain uses up none.
func TestOnceIsOnce(t *testing.T) {
	p := policy.Policy{Grants: &policy.Grants{}}
	grant(t, p.Grants, policy.Grant{Scope: policy.ScopeOnce, Session: "s1", Rule: policy.MustRule("Bash(make)"), Allow: true})
	if e := p.Explain(shell("make")); e.Decision.Verdict != policy.Allow {
		t.Errorf("%+v", e.Decision)
	}
	if d := p.Decide(shell("ls")); d.Verdict != policy.Ask || len(p.Grants.List()) != 1 {
		t.Error("a call that it isn't about used it up")
	}
	var allowed atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if p.Decide(shell("make")).Verdict == policy.Allow {
				allowed.Add(1)
			}
		})
	}
	wg.Wait()
	if n := allowed.Load(); n != 1 || len(p.Grants.List()) != 0 {
		t.Errorf("%d calls passed, %d grants are left", n, len(p.Grants.List()))
	}
}

func TestSameAnswerAgainReplacesTheOneBefore(t *testing.T) {
	g := &policy.Grants{}
	rule := policy.MustRule("Bash(make *)")
	grant(t, g, policy.Grant{Scope: policy.ScopeSession, Session: "s1", Rule: rule, Allow: true})
	grant(t, g, policy.Grant{Scope: policy.ScopeSession, Session: "s2", Rule: rule, Allow: true})
	last := grant(t, g, policy.Grant{Scope: policy.ScopeSession, Session: "s1", Rule: rule})
	if list := g.List(); len(list) != 2 || list[1] != last {
		t.Errorf("%+v", list)
	}
	g.EndSession("s1")
	if list := g.List(); len(list) != 1 || list[0].Session != "s2" {
		t.Errorf("after the session: %+v", list)
	}
}

func TestGrantThatSaysTooLittleIsRefused(t *testing.T) {
	rule := policy.MustRule("Read")
	for want, bad := range map[string]policy.Grant{
		"no rule":               {Scope: policy.ScopeAlways},
		`unknown scope "ever"`:  {Scope: "ever", Rule: rule},
		`unknown scope ""`:      {Rule: rule},
		"names none":            {Scope: policy.ScopeSession, Rule: rule},
		"is no absolute path":   {Scope: policy.ScopeWorkspace, Rule: rule, Workspace: "p"},
		"and names none":        {Scope: policy.ScopeOnce, Rule: rule},
		`"" is no absolute pat`: {Scope: policy.ScopeWorkspace, Rule: rule},
	} {
		g := &policy.Grants{}
		if _, err := g.Add(bad); err == nil || !strings.Contains(err.Error(), want) || len(g.List()) != 0 {
			t.Errorf("%+v: %v, want %s", bad, err, want)
		}
	}
}

// Grants are written and read as they are; text that says something else than it seems is refused, and changes nothing.
func TestGrantsInJSON(t *testing.T) {
	g := &policy.Grants{}
	if text, err := json.Marshal(g); err != nil || string(text) != `{"grants":[]}` {
		t.Errorf("no grants: %s, %v", text, err)
	}
	at := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	grant(t, g, policy.Grant{ID: "1", Scope: policy.ScopeAlways, Rule: policy.MustRule("Bash(git push *)"), Allow: true, At: at, Shown: "git push origin"})
	grant(t, g, policy.Grant{ID: "2", Scope: policy.ScopeWorkspace, Workspace: "/w/p", Rule: policy.MustRule("Read(~/.ssh/**)"), At: at})
	text, err := json.Marshal(g)
	want := `{"grants":[{"id":"1","rule":"Bash(git push *)","allow":true,"scope":"always","at":"2026-11-28T12:00:00Z","shown":"git push origin"},` +
		`{"id":"2","rule":"Read(~/.ssh/**)","allow":false,"scope":"workspace","workspace":"/w/p","at":"2026-11-28T12:00:00Z"}]}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	var again policy.Grants
	if err := json.Unmarshal(text, &again); err != nil || fmt.Sprint(again.List()) != fmt.Sprint(g.List()) {
		t.Errorf("%v, %v", again.List(), err)
	}
	for _, bad := range []string{
		`{"grants":[{"id":"1","rule":"Bsah","allow":true,"scope":"always","at":"2026-11-28T12:00:00Z"}]}`,
		`{"grants":[{"id":"1","rule":"Bash","allow":true,"scope":"ever","at":"2026-11-28T12:00:00Z"}]}`,
		`{"grants":[{"id":"1","rule":"Bash","allow":true,"at":"2026-11-28T12:00:00Z"}]}`,
		`{"grants":[{"id":"1","rule":"Bash","allow":true,"scope":"session"}]}`,
		`{"grants":[{"id":"1","rule":"Bash","allow":true,"scope":"always","until":"tomorrow"}]}`,
		`{"grants":[{"id":"1","rule":"Bash","scope":"always"},{"id":"1","rule":"Read","scope":"always"}]}`,
		`{"grants":[{"rule":"Bash","scope":"always"}]}`,
		`[]`, `{`,
	} {
		if err := json.Unmarshal([]byte(bad), &again); err == nil || len(again.List()) != 2 {
			t.Errorf("%s is taken: %v", bad, again.List())
		}
	}
}

// F59: what is suggested is what was shown, covers the call, and nothing that it doesn't say.
func TestSuggest(t *testing.T) {
	p := &policy.Policy{Ask: rules(t, "Bash(npm publish *)")}
	for _, c := range []struct {
		call policy.Call
		want string
	}{
		{shell("git push origin main"), "Bash(git push *)"},
		{shell("git push"), "Bash(git push *)"},
		{shell("go test ./..."), "Bash(go test *)"},
		{shell("npm run build -- --fast"), "Bash(npm run build *)"},
		{shell("npm run"), "Bash(npm run)"},
		{shell("npm exec x"), "Bash(npm exec x)"},
		{shell("git -C /tmp push"), "Bash(git -C /tmp push)"},
		{shell("git push --receive-pack=x"), "Bash(git push --receive-pack=x)"},
		{shell("git log $X"), "Bash(git log $X)"},
		{shell("git x"), "Bash(git x)"},
		{shell("git push; rm x"), "Bash(git push; rm x)"},
		{shell("git push > log"), "Bash(git push > log)"},
		{shell("GIT_PAGER=x git log"), "Bash(GIT_PAGER=x git log)"},
		{shell("sudo git push"), "Bash(sudo git push)"},
		{shell("rm -rf build"), "Bash(rm -rf build)"},
		{shell(" ls *.go "), "Bash(=ls *.go)"},
		{shell("make x:*"), "Bash(=make x:*)"},
		{shell("*"), ""}, // which may be npm publish
		{shell("echo *"), "Bash(=echo *)"},
		{shell("=x"), "Bash(==x)"},
		{shell("echo (a"), ""},
		{shell("npm publish"), ""},
		{calls["PowerShell"], ""},
		{edit("/w/p/src/a.go"), "Edit(//w/p/src/**)"},
		{edit("/w/p/main.go"), "Edit(//w/p/**)"},
		{edit("/w/p/src/a.go", "/w/p/src/b.go"), "Edit(//w/p/src/**)"},
		{edit("/w/p/src/a.go", "/w/p/doc/b.go"), ""},
		{edit("/w/p/a*b/x"), `Edit(//w/p/a\*b/**)`},
		{edit("/w/p/.git/config"), "Edit(//w/p/.git/**)"},
		{edit("/etc/hosts"), "Edit(//etc/hosts)"},
		{policy.Call{Place: here, Tool: policy.Write, Paths: []string{"/w/p/a/x"}}, "Edit(//w/p/a/**)"},
		{policy.Call{Place: here, Tool: policy.Delete, Paths: []string{"/w/p/a/x"}}, "Delete(//w/p/a/**)"},
		{policy.Call{Place: here, Tool: policy.Delete, Paths: []string{"/w/p"}}, "Delete(//w/p)"},
		{read("/etc/hosts"), "Read(//etc/hosts)"},
		{policy.Call{Place: here, Tool: policy.Grep, Paths: []string{"/usr/include"}}, "Grep(//usr/include/**)"},
		{calls["fetch"], "WebFetch(domain:example.com)"},
		{policy.Call{Place: here, Tool: policy.WebFetch}, ""},
		{calls["mcp"], "mcp__docs__find"},
		{policy.Call{Place: here, Server: "a__b", ServerTool: "c"}, ""},
		{policy.Call{Place: here, Server: "a", ServerTool: "_c"}, ""},
		{calls["own tool"], "Tool(deploy)"},
		{calls["switch mode"], ""},
		{calls["task"], "Task"},
		{calls["unclear"], ""},
	} {
		got := suggestion(t, p, c.call)
		if got.String() != c.want {
			t.Errorf("%v: %q, want %q", &c.call, got, c.want)
		}
	}
}

// A suggested rule covers no other line than it shows.
func TestSuggestedLineIsThatLine(t *testing.T) {
	for _, c := range readLines(t) {
		r, ok := (&policy.Policy{}).Suggest(shell(c.line))
		if !ok || strings.HasSuffix(r.String(), " *)") {
			continue
		}
		p := policy.Policy{Allow: []policy.Rule{r}}
		for _, other := range []string{c.line + " x", c.line + "; reboot", "reboot; " + c.line, c.line + "\nreboot"} {
			if strings.TrimSpace(other) != strings.TrimSpace(c.line) && p.Decide(shell(other)).Verdict == policy.Allow && !strings.Contains(c.line, "#") {
				t.Errorf("%s allows %q", r, other)
			}
		}
	}
}
