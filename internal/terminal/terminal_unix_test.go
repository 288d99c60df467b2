//go:build unix

package terminal_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/internal/terminal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, c terminal.Command) *terminal.Terminal {
	t.Helper()
	term, err := terminal.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(term.Close)
	return term
}

func line(t *testing.T, text string) *terminal.Terminal {
	t.Helper()
	return start(t, terminal.Command{Line: text})
}

// wait waits for the end and describes it: an exit code or the name of a signal.
func wait(t *testing.T, term *terminal.Terminal) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	exit, err := term.Wait(ctx)
	if err != nil {
		t.Fatal("wait:", err)
	}
	return describe(exit)
}

func describe(e terminal.Exit) string {
	if e.Code != nil {
		return strconv.Itoa(int(*e.Code)) + e.Signal
	}
	return e.Signal
}

// shown polls until the output has a text in it.
func shown(t *testing.T, term *terminal.Terminal, text string) string {
	t.Helper()
	var got string
	eventually(t, "the output has "+text, func() bool {
		got = term.Output().Text
		return strings.Contains(got, text)
	})
	return got
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	end := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(end) {
			t.Fatal("waited in vain until", what)
		}
		<-tick.C
	}
}

// isGone reports whether a process has ended. One that nobody has reaped yet is gone too.
func isGone(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return strings.HasPrefix(state, "Z")
	}
	return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func TestExit(t *testing.T) {
	for text, want := range map[string]string{
		"exit 0":              "0",
		"exit 7":              "7",
		"kill -KILL $$":       "SIGKILL",
		"kill -SEGV $$":       "SIGSEGV",
		"does-not-exist-here": "127",
	} {
		term := line(t, text)
		if got := wait(t, term); got != want {
			t.Errorf("%s: ended with %s, want %s", text, got, want)
		}
		out := term.Output()
		if out.Exit == nil || describe(*out.Exit) != want {
			t.Errorf("%s: the output says %+v", text, out.Exit)
		}
	}
}

// Both outputs are in one, in order, and nothing is lost at the end.
func TestOutputIsInterleaved(t *testing.T) {
	term := line(t, "for i in 1 2 3; do echo out $i; echo err $i >&2; done; printf end")
	wait(t, term)
	if got, want := term.Output().Text, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\nend"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A command gets its arguments as they are, its directory, and the variables that were added.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	term := start(t, terminal.Command{
		Path: "sh",
		Args: []string{"-c", `printf '%s\n' "$0" "$1" "$PWD" "$ADDED" "${HOME-none}"`, "a b", "$HOME"},
		Dir:  dir,
		Base: []string{"PATH=" + os.Getenv("PATH"), "ADDED=old"},
		Env:  []string{"ADDED=first", "ADDED=new"},
	})
	wait(t, term)
	if got, want := term.Output().Text, "a b\n$HOME\n"+dir+"\nnew\nnone\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if os.Getenv("HOME") == "" {
		t.Setenv("HOME", "/root")
	}
	term = start(t, terminal.Command{Line: `echo "$HOME$ADDED"`, Env: []string{"ADDED=!"}})
	wait(t, term)
	if got, want := term.Output().Text, os.Getenv("HOME")+"!\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A command that can't be started is an error that says what and why.
func TestStartErrors(t *testing.T) {
	for name, c := range map[string]struct {
		command terminal.Command
		is      error
		words   string
	}{
		"nothing":        {terminal.Command{}, nil, "there is no command"},
		"no program":     {terminal.Command{Path: "does-not-exist-here"}, nil, "does-not-exist-here"},
		"no file":        {terminal.Command{Path: "./none"}, fs.ErrNotExist, "./none"},
		"no directory":   {terminal.Command{Path: "true", Dir: "/none"}, fs.ErrNotExist, "working directory"},
		"a file instead": {terminal.Command{Line: "true", Dir: "/dev/null"}, syscall.ENOTDIR, "/dev/null"},
	} {
		term, err := terminal.Start(c.command)
		if err == nil {
			term.Close()
			t.Fatalf("%s: started", name)
		}
		if c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Standard input is empty: nothing waits for it, and nothing reads what belongs to this process (F108).
func TestF108_StandardInputIsEmpty(t *testing.T) {
	term := line(t, "cat; readlink /proc/self/fd/0 || echo /dev/null")
	if got := wait(t, term); got != "0" {
		t.Errorf("ended with %s", got)
	}
	if got := term.Output().Text; got != "/dev/null\n" {
		t.Errorf("got %q", got)
	}
}

// A command has no terminal that it could wait for, or be stopped by, and no helper has to start for it (F102).
func TestF102_NoTerminalToHangOn(t *testing.T) {
	term := line(t, "read password < /dev/tty || echo no terminal")
	wait(t, term)
	if got := term.Output().Text; !strings.HasSuffix(got, "no terminal\n") {
		t.Errorf("got %q", got)
	}
	direct := start(t, terminal.Command{Path: "sh", Args: []string{"-c", "echo $PPID; sleep 1000"}})
	shown(t, direct, "\n")
	if sid, err := unix.Getsid(direct.Pid()); err != nil || sid != direct.Pid() {
		t.Errorf("it is in session %d (%v), want one of its own", sid, err)
	}
	if got := strings.TrimSpace(direct.Output().Text); got != strconv.Itoa(os.Getpid()) {
		t.Errorf("its parent is %s, this process is %d", got, os.Getpid())
	}
}

// Output can be read while a command runs, and says how it ended only when it has.
func TestOutputWhileRunning(t *testing.T) {
	term := line(t, "echo one; sleep 1000")
	if got := shown(t, term, "one"); got != "one\n" {
		t.Errorf("got %q", got)
	}
	if exit := term.Output().Exit; exit != nil {
		t.Errorf("it has ended with %s", describe(*exit))
	}
}

// Output is bounded whatever a command writes (F106).
func TestF106_OutputIsBounded(t *testing.T) {
	term := start(t, terminal.Command{Line: "yes € | head -n 2000000; echo last", Limit: 1000})
	if got := wait(t, term); got != "0" {
		t.Errorf("ended with %s", got)
	}
	out := term.Output()
	if len(out.Text) > 1000 || len(out.Text) < 997 || !out.Truncated || !strings.HasSuffix(out.Text, "€\nlast\n") {
		t.Errorf("got %d bytes, truncated %t: %.20q", len(out.Text), out.Truncated, out.Text)
	}
	none := start(t, terminal.Command{Line: "echo x", Limit: -1})
	wait(t, none)
	if out := none.Output(); out.Text != "" || !out.Truncated {
		t.Errorf("got %+v", out)
	}
}

// Bytes that are no text become U+FFFD.
func TestInvalidOutput(t *testing.T) {
	term := line(t, `printf 'a\377b\303'`)
	wait(t, term)
	if got := term.Output().Text; got != "a\uFFFDb\uFFFD" {
		t.Errorf("got %q", got)
	}
}

// Any number may wait, each with a context of its own, before the end and after it.
func TestManyWait(t *testing.T) {
	term := line(t, "sleep 1000")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := term.Wait(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if exit, err := term.Wait(context.Background()); err != nil || exit.Signal != "SIGTERM" {
				t.Errorf("got %+v and %v", exit, err)
			}
		})
	}
	term.Kill()
	all.Wait()
	if exit, err := term.Wait(gone); err != nil || exit.Signal != "SIGTERM" {
		t.Errorf("after the end: got %+v and %v", exit, err)
	}
}

// Kill reaches what the command has started (F48), takes longer with what ignores it, and is harmless afterwards.
func TestF48_Kill(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"willing":  {`sleep 1000 & echo $!; wait`, "SIGTERM"},
		"stubborn": {`trap "" TERM; sleep 1000 & echo $!; wait`, "SIGKILL"},
		"cleaning": {`trap "echo cleaned; exit 3" TERM; sleep 1000 & echo $!; wait`, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			term := start(t, terminal.Command{Line: c.text, TermGrace: 100 * time.Millisecond})
			if name == "cleaning" {
				term = start(t, terminal.Command{Line: c.text, TermGrace: time.Minute})
			}
			child, err := strconv.Atoi(strings.TrimSpace(shown(t, term, "\n")))
			if err != nil {
				t.Fatal(err)
			}
			term.Kill()
			term.Kill()
			if got := wait(t, term); got != c.want {
				t.Errorf("ended with %s, want %s", got, c.want)
			}
			if !isGone(child) {
				t.Error("the child lives on")
			}
			term.Kill()
			term.Close()
			if got := wait(t, term); got != c.want {
				t.Errorf("then ended with %s, want %s", got, c.want)
			}
			if name == "cleaning" && !strings.HasSuffix(term.Output().Text, "cleaned\n") {
				t.Errorf("got %q", term.Output().Text)
			}
		})
	}
}

// What a command leaves in the background ends with it, and does not hold up its end.
func TestBackgroundEndsWithTheCommand(t *testing.T) {
	term := line(t, "sleep 1000 & echo $!")
	if got := wait(t, term); got != "0" {
		t.Errorf("ended with %s", got)
	}
	child, err := strconv.Atoi(strings.TrimSpace(term.Output().Text))
	if err != nil {
		t.Fatal(err)
	}
	if !isGone(child) {
		t.Error("the child lives on")
	}
}

// Close ends the command, and the output stays.
func TestClose(t *testing.T) {
	term := line(t, "echo out; sleep 1000")
	shown(t, term, "out")
	term.Close()
	select {
	case <-term.Done():
	default:
		t.Error("it has not ended")
	}
	if out := term.Output(); out.Text != "out\n" || out.Exit == nil || out.Exit.Signal != "SIGTERM" {
		t.Errorf("got %+v", out)
	}
}

func TestIsProgram(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"run me", "plain"} {
		mode := fs.FileMode(0o755)
		if name == "plain" {
			mode = 0o644
		}
		if err := os.WriteFile(dir+"/"+name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]bool{
		"sh":              true,
		"echo x && ls":    false,
		"none-such":       false,
		"./run me":        true,
		"./plain":         false,
		dir + "/run me":   true,
		dir + "/run me x": false,
		dir:               false,
	} {
		if got := terminal.IsProgram(path, dir); got != want {
			t.Errorf("%s: got %t", path, got)
		}
	}
}
