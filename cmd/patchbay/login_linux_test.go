package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is typed for a key does not show, and is stored. That is all there is to a login: no browser is opened, and nothing
// listens (F122).
func TestF174_AKeyDoesNotShowOnTheTerminal(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	s := runOnTerminal(t, "login")
	s.await("Provider (anthropic, openai, gemini, openrouter): ")
	s.typed("openai\n")
	s.await("Key of OpenAI (it does not show): ")
	s.awaitEcho(false)
	s.typed("sk-hush-hush\n")
	s.ended(0)
	if strings.Contains(s.text(), "hush") {
		t.Errorf("the key shows:\n%s", s.text())
	}
	content, err := os.ReadFile(filepath.Join(dir, "patchbay", "keys.json"))
	if err != nil || !strings.Contains(string(content), `"sk-hush-hush"`) {
		t.Errorf("stored %q, %v", content, err)
	}
}

// Ctrl-C at the question stores nothing and leaves a terminal that shows what is typed.
func TestCtrlCAtAKey(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	s := runOnTerminal(t, "login", "openai")
	s.await("Key of OpenAI")
	s.awaitEcho(false)
	s.typed("sk-hush\x03")
	s.await("nothing was stored")
	s.awaitEcho(true)
	s.ended(exitInterrupted)
	if _, err := os.Stat(filepath.Join(dir, "patchbay")); err == nil {
		t.Error("something was stored")
	}
}

// awaitEcho waits until the terminal shows what is typed, or doesn't.
func (s *screen) awaitEcho(want bool) {
	s.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		state, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
		if err != nil {
			s.Fatal(err)
		}
		if (state.Lflag&unix.ECHO != 0) == want {
			return
		}
		runtime.Gosched()
	}
	s.Fatalf("the terminal never came to echo: %t", want)
}
