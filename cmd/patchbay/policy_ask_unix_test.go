//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// patchbayIn runs the command without a terminal, and returns what it prints and its status.
func patchbayIn(t *testing.T, dir string, args ...string) (string, int) {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// F59, S001.30: "always" shows what it covers and how far it reaches, is kept so, holds where nobody can be asked, is listed, and can be
// taken back. The agent is told "once", so that it asks again.
func TestF59_AlwaysIsKeptByScope(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	audit := filepath.Join(t.TempDir(), "audit.jsonl")
	s := runOnTerminal(t, "run", "--audit", audit, "run mkdir -p a/b then run mkdir -p a/b")
	s.await("always allow Bash(mkdir -p a/b): ys in this session, yw in this folder, ya everywhere")
	s.await("always reject Bash(mkdir -p a/b): ns in this session, nw in this folder, na everywhere")
	s.typed("ya\n")
	s.ended(0) // and it was asked about once
	if !s.has("a/b") {
		t.Error("it was not done")
	}
	if text, err := os.ReadFile(audit); err != nil || !strings.Contains(string(text), `"by":"user","option":"allow_once","granted":"allow Bash(mkdir -p a/b), always"`) {
		t.Errorf("%s, %v", text, err)
	}
	dir := t.TempDir()
	if out, code := patchbayIn(t, dir, "run", "run mkdir -p a/b"); code != 0 {
		t.Fatalf("status %d: %s", code, out)
	}
	if out, code := patchbayIn(t, dir, "run", "--no-grants", "run mkdir -p a/b"); code != exitDenied {
		t.Fatalf("without grants: status %d: %s", code, out)
	}
	out, _ := patchbayIn(t, dir, "policy", "grants")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 || !strings.Contains(lines[1], "allow") || !strings.Contains(lines[1], "everywhere") {
		t.Fatalf("the list is %s", out)
	}
	if out, code := patchbayIn(t, dir, "policy", "revoke", strings.Fields(lines[1])[0]); code != 0 {
		t.Fatalf("status %d: %s", code, out)
	}
	if out, code := patchbayIn(t, dir, "run", "run mkdir -p a/b"); code != exitDenied {
		t.Fatalf("after it was revoked: status %d: %s", code, out)
	}
}

// A rejection is kept in the same way, and is what was wanted: no failure. One for a session ends with it.
func TestRejectionsAreKeptByScope(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := runOnTerminal(t, "run", "run mkdir a then run mkdir a then run mkdir b")
	s.await("always reject Bash(mkdir a): ")
	s.typed("nw\n")
	s.await("Run `mkdir b`")
	s.await("always reject Bash(mkdir b): ")
	s.typed("ns\n")
	s.ended(0)
	if out, code := patchbayIn(t, s.dir, "run", "--permissions", "bypassPermissions", "run mkdir a then run mkdir b"); code != 0 || !strings.Contains(out, "denied, since an answer that is kept says so") {
		t.Errorf("status %d: %s", code, out)
	}
	if s.has("a") {
		t.Error("what was rejected in this folder was done")
	}
	if out, code := patchbayIn(t, s.dir, "run", "--permissions", "bypassPermissions", "run mkdir b"); code != 0 || !s.has("b") {
		t.Errorf("what was rejected for a session alone: status %d: %s", code, out)
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), policyFolder, "grants.json"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, code := patchbayIn(t, s.dir, "run", "run mkdir c"); code != exitUsage || !strings.Contains(out, "is no file of grants") {
		t.Errorf("answers that can't be read: status %d: %s", code, out)
	}
}

// F62: a question that nobody answers in time is answered with no, which has a status of its own.
func TestF62_AQuestionHasADeadline(t *testing.T) {
	conf := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", conf)
	if err := os.Mkdir(filepath.Join(conf, "patchbay"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(conf, "patchbay", "patchbay.toml"), []byte("permission_timeout = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := runOnTerminal(t, "run", "x", "--", "sh", "-c", strings.Replace(askAfterGo, "until [ -e go ]; do sleep 0.01; done", "", 1))
	s.await("Choose 1-2")
	s.await("denied, since nobody has answered in time")
	s.await(`CHOSE {"outcome":{"outcome":"selected","optionId":"nope"}}`)
	s.ended(exitDenied)
}
