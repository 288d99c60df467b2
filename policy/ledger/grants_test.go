package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// process is what a process knows: grants of its own, and those in the file.
func process(path string) *policy.Grants { return &policy.Grants{Store: ledger.NewGrants(path)} }

func always(rule string) policy.Grant {
	return policy.Grant{Rule: policy.MustRule(rule), Allow: true, Scope: policy.ScopeAlways}
}

func verdict(g *policy.Grants, session, cwd, line string) policy.Verdict {
	p := policy.Policy{Grants: g}
	return p.Decide(policy.Call{Place: policy.Place{Session: acp.SessionID(session), CWD: cwd}, Tool: policy.Bash, Command: line}).Verdict
}

// F59, S001.30: "always" is stored with its scope, holds in other processes as far as that reaches, is listed there, and is
// taken back there for the next decision of all. What was said for a session ends with it: another agent may use its id.
func TestF59_GrantsAreSharedAndRevoked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "grants.json")
	one, two := process(path), process(path)
	for _, g := range []policy.Grant{
		always("Bash(git push *)"),
		{Rule: policy.MustRule("Bash(make *)"), Allow: true, Scope: policy.ScopeWorkspace, Workspace: "/w/p"},
		{Rule: policy.MustRule("Bash(ls *)"), Allow: true, Scope: policy.ScopeSession, Session: "s1"},
		{Rule: policy.MustRule("Bash(pwd *)"), Allow: true, Scope: policy.ScopeOnce, Session: "s1"},
	} {
		if _, err := one.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		who          *policy.Grants
		session, cwd string
		line         string
		want         policy.Verdict
	}{
		{one, "s1", "/w/p", "ls", policy.Allow},
		{one, "s1", "/w/p", "pwd", policy.Allow},
		{one, "s1", "/w/p", "pwd", policy.Ask}, // once
		{two, "s1", "/w/p", "ls", policy.Ask},
		{two, "s9", "/w/p", "make", policy.Allow},
		{two, "s9", "/w/q", "make", policy.Ask},
		{two, "s9", "/w/q", "git push x", policy.Allow},
	} {
		if got := verdict(c.who, c.session, c.cwd, c.line); got != c.want {
			t.Errorf("%s in %s: %v, want %v", c.line, c.cwd, got, c.want)
		}
	}
	kept, err := two.Kept()
	if err != nil || len(kept) != 2 || len(one.List()) != 1 {
		t.Fatalf("kept are %v, %v", kept, err)
	}
	if was, err := two.Revoke(kept[0].ID); !was || err != nil {
		t.Fatal(was, err)
	}
	if was, err := two.Revoke(kept[0].ID); was || err != nil {
		t.Fatal(was, err)
	}
	if got := verdict(one, "s1", "/w/p", "git push x"); got != policy.Ask {
		t.Errorf("what was revoked elsewhere still holds: %v", got)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Nobody's answer is lost, however many give one at the same time.
func TestGrantsOfManyAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			mine := process(path)
			for k := range 10 {
				if _, err := mine.Add(always(fmt.Sprintf("Bash(x%d-%d *)", i, k))); err != nil {
					t.Error(err)
				}
				if verdict(mine, "s", "/w", fmt.Sprintf("x%d-%d now", i, k)) != policy.Allow {
					t.Error("what was granted does not hold")
				}
			}
		})
	}
	all.Wait()
	if kept, err := process(path).Kept(); err != nil || len(kept) != 40 {
		t.Errorf("%d grants, %v", len(kept), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".grants*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// F61: where the answers can't be read, a rejection may be among them, and nothing passes. A change leaves such a file alone.
func TestF61_UnreadableGrantsDenyEverything(t *testing.T) {
	for name, content := range map[string]string{
		"something else": "hello", "another member": `{"grants":[],"more":1}`, "a grant of nothing": `{"grants":[{}]}`,
		"no session": `{"grants":[{"id":"1","rule":"Read","allow":true,"scope":"once","at":"2026-01-01T00:00:00Z"}]}`,
		"twice": `{"grants":[{"id":"1","rule":"Read","allow":true,"scope":"always","at":"2026-01-01T00:00:00Z"},` +
			`{"id":"1","rule":"Bash","allow":true,"scope":"always","at":"2026-01-01T00:00:00Z"}]}`,
		"for a session":   `{"grants":[{"id":"1","rule":"Bash","allow":true,"scope":"session","session":"s","at":"2026-01-01T00:00:00Z"}]}`,
		"for once":        `{"grants":[{"id":"1","rule":"Bash","allow":true,"scope":"once","session":"s","at":"2026-01-01T00:00:00Z"}]}`,
		"an unknown rule": `{"grants":[{"id":"1","rule":"Rea","allow":true,"scope":"always","at":"2026-01-01T00:00:00Z"}]}`,
	} {
		path := filepath.Join(t.TempDir(), "grants.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		p := policy.Policy{Mode: policy.ModeBypass, Grants: process(path)}
		call := policy.Call{Place: policy.Place{CWD: "/w", Session: "s"}, Tool: policy.Bash, Command: "ls"}
		if d := p.Decide(call); d.Verdict != policy.Deny || !strings.Contains(d.Reason, "read the grants") {
			t.Errorf("%s: %v: %s", name, d.Verdict, d.Reason)
		}
		if e := p.Explain(call); e.Decision.Verdict != policy.Deny {
			t.Errorf("%s: explained as %v", name, e.Decision)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	path := filepath.Join(t.TempDir(), "grants.json")
	if err := os.WriteFile(path, []byte(`{"grants":[]}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := process(path).Kept(); err == nil || !strings.Contains(err.Error(), "by others") {
		t.Errorf("others may write it: %v", err)
	}
	if _, err := process(path).Add(always("Read")); err == nil {
		t.Error("a grant is kept in a file that others may write")
	}
}

// A change that fails changes nothing.
func TestAChangeThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	if _, err := process(path).Add(always("Read")); err != nil {
		t.Fatal(err)
	}
	no := errors.New("no")
	if err := ledger.NewGrants(path).Change(func([]policy.Grant) ([]policy.Grant, error) { return nil, no }); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if kept, err := process(path).Kept(); err != nil || len(kept) != 1 {
		t.Errorf("got %v, %v", kept, err)
	}
}
