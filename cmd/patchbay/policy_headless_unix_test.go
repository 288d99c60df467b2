//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// F61, F58: where nobody can be asked, what the policy file doesn't let pass is denied, each decision is in the log, also what the
// agent does without asking (F55), and the run says what was denied and has a status for it.
func TestF61_HeadlessIsDeniedByDefaultAndWrittenDown(t *testing.T) {
	dir := t.TempDir()
	file, audit := filepath.Join(dir, "policy.toml"), filepath.Join(dir, "audit.jsonl")
	if err := os.WriteFile(file, []byte("allow = ['Bash(echo *)', 'Edit(src/**)']\ndeny = ['Bash(rm *)']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		prompt string
		code   int
		says   string // in the log
	}{
		{"run echo hello", exitOK, `"call":"Bash(echo hello)"`},
		{"write src/a.txt: x", exitOK, `"operation":"file_write"`},
		{"run rm policy.toml", exitOK, `"verdict":"deny"`},
		{"write b.txt: x", exitDenied, `"by":"nobody"`},
		{"run touch c.txt", exitDenied, `"call":"Bash(touch c.txt)"`},
	} {
		out, code := patchbayIn(t, dir, "run", "--policy", file, "--no-grants", "--audit", audit, "--format", "json", c.prompt)
		text, err := os.ReadFile(audit)
		if err != nil || code != c.code || !strings.Contains(string(text), c.says) {
			t.Errorf("%s: status %d, %v\n%s\n%s", c.prompt, code, err, out, text)
		}
		if c.code == exitDenied && !strings.Contains(out, `"reason": "no_terminal"`) {
			t.Errorf("%s: what was denied is not said: %s", c.prompt, out)
		}
	}
	for name, there := range map[string]bool{"src/a.txt": true, "policy.toml": true, "b.txt": false, "c.txt": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	log, err := os.Open(audit)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if s, err := ledger.Verify(log, ""); err != nil || s.Denied < 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// The policy file of the guide is one, and its tests pass.
func TestTheGuidesPolicyPasses(t *testing.T) {
	guide, err := os.ReadFile("../../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "```toml\n")
	example, _, _ := strings.Cut(rest, "```")
	file := filepath.Join(t.TempDir(), "policy.toml")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	checked, err := checkFile(policy.Place{CWD: "/w/p"}, file)
	if err != nil || checked.Tests != 4 || len(checked.Failed) > 0 {
		t.Errorf("%+v, %v", checked, err)
	}
}
