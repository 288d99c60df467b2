//go:build unix

package client

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/acp"
)

// A stage is Terminals and one session that uses them.
type stage struct {
	*Terminals
	owner terminalOwner
}

func newStage(t *testing.T, terminals *Terminals) stage {
	t.Helper()
	t.Cleanup(func() {
		terminals.Close()
		goleak.VerifyNone(t)
	})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return stage{terminals, terminalOwner{id: "s1", cwd: dir, roots: []string{dir}}}
}

func (s stage) start(t *testing.T, req acp.CreateTerminalRequest) acp.TerminalID {
	t.Helper()
	resp, err := s.create(t.Context(), s.owner, &req)
	if err != nil {
		t.Fatal(err)
	}
	return resp.TerminalID
}

func (s stage) line(t *testing.T, text string) acp.TerminalID {
	t.Helper()
	return s.start(t, acp.CreateTerminalRequest{Command: text})
}

func (s stage) waitFor(t *testing.T, id acp.TerminalID) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	resp, err := s.wait(ctx, s.owner.id, &acp.WaitForTerminalExitRequest{TerminalID: id})
	if err != nil {
		t.Fatal(err)
	}
	return exitText(resp.ExitCode, resp.Signal)
}

func exitText(code *uint32, signal string) string {
	if code != nil {
		return strconv.Itoa(int(*code)) + signal
	}
	return signal
}

func (s stage) shown(t *testing.T, id acp.TerminalID) *acp.TerminalOutputResponse {
	t.Helper()
	resp, err := s.output(s.owner.id, &acp.TerminalOutputRequest{TerminalID: id})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// pid polls for the number that a command prints first.
func (s stage) pid(t *testing.T, id acp.TerminalID) int {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); <-tick.C {
		if text, _, ok := strings.Cut(s.shown(t, id).Output, "\n"); ok {
			pid, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("it prints nothing")
	return 0
}

func (s stage) let(t *testing.T, id acp.TerminalID) {
	t.Helper()
	if _, err := s.release(s.owner.id, &acp.ReleaseTerminalRequest{TerminalID: id}); err != nil {
		t.Fatal(err)
	}
}

// checkEnded fails the test unless a process has ended; one that nobody has reaped yet has.
func checkEnded(t *testing.T, pid int) {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err == nil && !strings.Contains(string(stat), ") Z") || err != nil && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		t.Errorf("process %d lives on", pid)
	}
}

// A command is a program with arguments, a program by itself, or else a line for the shell.
func TestTerminalCommands(t *testing.T) {
	s := newStage(t, &Terminals{})
	program := s.owner.cwd + "/my program"
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho mine\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		req        acp.CreateTerminalRequest
		want, exit string
	}{
		{acp.CreateTerminalRequest{Command: "echo", Args: []string{"a  b", "$HOME"}}, "a  b $HOME\n", "0"},
		{acp.CreateTerminalRequest{Command: "pwd"}, s.owner.cwd + "\n", "0"},
		{acp.CreateTerminalRequest{Command: "echo x && ls 'my program'; exit 3"}, "x\nmy program\n", "3"},
		{acp.CreateTerminalRequest{Command: program}, "mine\n", "0"},
		{acp.CreateTerminalRequest{Command: "./my program"}, "mine\n", "0"},
		{acp.CreateTerminalRequest{Command: "echo $A$B", Env: []acp.EnvVariable{{Name: "A", Value: "1"}, {Name: "B", Value: "=2"}}}, "1=2\n", "0"},
		{acp.CreateTerminalRequest{Command: "kill -9 $$"}, "", "SIGKILL"},
	} {
		id := s.start(t, c.req)
		exit := s.waitFor(t, id)
		out := s.shown(t, id)
		if out.Output != c.want || exit != c.exit || out.Truncated {
			t.Errorf("%s: got %q and %s, want %q and %s", c.req.Command, out.Output, exit, c.want, c.exit)
		}
		if out.ExitStatus == nil || exitText(out.ExitStatus.ExitCode, out.ExitStatus.Signal) != c.exit {
			t.Errorf("%s: the output says %+v", c.req.Command, out.ExitStatus)
		}
	}
}

// What can't be run is an error that says why.
func TestTerminalCreateErrors(t *testing.T) {
	s := newStage(t, &Terminals{})
	if err := os.Symlink("/", s.owner.cwd+"/exit"); err != nil {
		t.Fatal(err)
	}
	for want, req := range map[string]acp.CreateTerminalRequest{
		"the command is empty":                           {Command: " "},
		"does-not-exist-here":                            {Command: "does-not-exist-here", Args: []string{"x"}},
		`cwd must be an absolute path, got "sub"`:        {Command: "true", CWD: "sub"},
		"cwd: /etc is outside the root " + s.owner.cwd:   {Command: "true", CWD: "/etc"},
		"exit/etc leads by a link outside the root":      {Command: "true", CWD: s.owner.cwd + "/exit/etc"},
		s.owner.cwd + "/none: no such file or directory": {Command: "true", CWD: s.owner.cwd + "/none"},
		`"=x" can't be a variable`:                       {Command: "true", Env: []acp.EnvVariable{{Value: "x"}}},
		`"A=B=x" can't be a variable`:                    {Command: "true", Env: []acp.EnvVariable{{Name: "A=B", Value: "x"}}},
		"invalid argument":                               {Command: "echo", Args: []string{"a\x00b"}},
	} {
		_, err := s.create(t.Context(), s.owner, &req)
		checkError(t, err, invalidParams, want)
	}
}

// A command may start anywhere in the roots, which another one may be as well, and where an exception says.
func TestTerminalCWD(t *testing.T) {
	s := newStage(t, &Terminals{})
	second := newDesk(t).root
	third := newDesk(t).root
	s.owner.roots = append(s.owner.roots, second)
	s.Exceptions = []string{third}
	for _, dir := range []string{"", s.owner.cwd, second, third} {
		id := s.start(t, acp.CreateTerminalRequest{Command: "pwd", CWD: dir})
		s.waitFor(t, id)
		want := dir
		if dir == "" {
			want = s.owner.cwd
		}
		if got := s.shown(t, id).Output; got != want+"\n" {
			t.Errorf("in %q: got %q", dir, got)
		}
	}
}

// The agent's limit counts, up to the client's own; without one there is the default (F106).
func TestF106_TerminalOutputLimit(t *testing.T) {
	s := newStage(t, &Terminals{OutputBytes: 20, MaxOutputBytes: 40})
	limit := func(n uint64) *uint64 { return &n }
	for _, c := range []struct {
		limit     *uint64
		want      int
		truncated bool
	}{{nil, 18, true}, {limit(10), 9, true}, {limit(0), 0, true}, {limit(1 << 60), 39, true}, {limit(30), 30, true}} {
		id := s.start(t, acp.CreateTerminalRequest{Command: "for i in $(seq 100); do printf €; done", OutputByteLimit: c.limit})
		s.waitFor(t, id)
		if out := s.shown(t, id); len(out.Output) != c.want || out.Truncated != c.truncated || strings.Trim(out.Output, "€") != "" {
			t.Errorf("got %d bytes, want %d: %q", len(out.Output), c.want, out.Output)
		}
	}
}

// Kill ends a command and what it started (F48), leaves the terminal usable, and succeeds after the end too.
func TestF48_KillTerminal(t *testing.T) {
	s := newStage(t, &Terminals{})
	id := s.line(t, "sleep 1000 & echo $!; wait")
	child := s.pid(t, id)
	for range 2 {
		if _, err := s.kill(s.owner.id, &acp.KillTerminalRequest{TerminalID: id}); err != nil {
			t.Fatal(err)
		}
		if got := s.waitFor(t, id); got != "SIGTERM" {
			t.Errorf("ended with %s", got)
		}
	}
	checkEnded(t, child)
	if out := s.shown(t, id); out.Output != strconv.Itoa(child)+"\n" || out.ExitStatus == nil {
		t.Errorf("got %+v", out)
	}
}

// Release ends a command, and the id with it; those who wait get the answer, and what was shown stays for display.
func TestReleaseTerminal(t *testing.T) {
	s := newStage(t, &Terminals{})
	id := s.line(t, "sleep 1000 & echo $!; wait")
	child := s.pid(t, id)
	var waiters sync.WaitGroup
	for range 3 {
		ctx := asked{t.Context(), make(chan struct{})}
		waiters.Go(func() {
			resp, err := s.wait(ctx, s.owner.id, &acp.WaitForTerminalExitRequest{TerminalID: id})
			if err != nil || resp.Signal != "SIGTERM" {
				t.Errorf("got %+v and %v", resp, err)
			}
		})
		<-ctx.once
	}
	running, _ := s.Output(id)
	if running.Text == "" || running.Exit != nil {
		t.Errorf("while it runs: %+v", running)
	}
	s.let(t, id)
	waiters.Wait()
	checkEnded(t, child)
	_, err := s.output(s.owner.id, &acp.TerminalOutputRequest{TerminalID: id})
	checkError(t, err, invalidParams, string(id))
	_, err = s.release(s.owner.id, &acp.ReleaseTerminalRequest{TerminalID: id})
	checkError(t, err, invalidParams, string(id))
	after, ok := s.Output(id)
	if !ok || after.Text != running.Text || after.Exit == nil || after.Exit.Signal != "SIGTERM" {
		t.Errorf("after release: %+v", after)
	}
	if _, ok := s.Output("term_none"); ok {
		t.Error("there is output of a terminal that never was")
	}
}

// asked is a context that says when someone begins to wait for its end. That may happen once.
type asked struct {
	context.Context
	once chan struct{}
}

func (a asked) Done() <-chan struct{} {
	close(a.once)
	return a.Context.Done()
}

// A wait ends with its context, and the command goes on.
func TestTerminalWaitHonoursContext(t *testing.T) {
	s := newStage(t, &Terminals{})
	id := s.line(t, "sleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.wait(ctx, s.owner.id, &acp.WaitForTerminalExitRequest{TerminalID: id}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if s.shown(t, id).ExitStatus != nil {
		t.Error("it has ended")
	}
}

// A session knows its own terminals only, and an unknown id is an error that names it.
func TestTerminalsOfOtherSessions(t *testing.T) {
	s := newStage(t, &Terminals{})
	id := s.line(t, "sleep 1000")
	for _, c := range []struct {
		session acp.SessionID
		id      acp.TerminalID
	}{{"s2", id}, {"s1", "term_none"}, {"s1", ""}} {
		_, outputErr := s.output(c.session, &acp.TerminalOutputRequest{TerminalID: c.id})
		_, waitErr := s.wait(t.Context(), c.session, &acp.WaitForTerminalExitRequest{TerminalID: c.id})
		_, killErr := s.kill(c.session, &acp.KillTerminalRequest{TerminalID: c.id})
		_, releaseErr := s.release(c.session, &acp.ReleaseTerminalRequest{TerminalID: c.id})
		for _, err := range []error{outputErr, waitErr, killErr, releaseErr} {
			checkError(t, err, invalidParams, string(c.session), string(c.id))
		}
	}
	if s.shown(t, id).ExitStatus != nil {
		t.Error("another session has ended it")
	}
}

// The end of a session ends its commands, the stubborn ones too, and no others; Close ends all. What they showed stays.
func TestTerminalsEndWithTheirSession(t *testing.T) {
	s := newStage(t, &Terminals{TermGrace: 50 * time.Millisecond})
	other := s
	other.owner.id = "s2"
	const script = `trap "" TERM; sleep 1000 & echo $!; wait`
	first, second := s.line(t, script), s.line(t, "sleep 1000 & echo $!; wait")
	third := other.line(t, script)
	mine, yours := []int{s.pid(t, first), s.pid(t, second)}, other.pid(t, third)
	s.CloseSession("s1")
	for _, pid := range mine {
		checkEnded(t, pid)
	}
	if other.shown(t, third).ExitStatus != nil {
		t.Error("the other session's has ended")
	}
	s.Close()
	checkEnded(t, yours)
	for id, want := range map[acp.TerminalID]string{first: "SIGKILL", second: "SIGTERM", third: "SIGKILL"} {
		if shown, ok := s.Output(id); !ok || shown.Exit == nil || shown.Exit.Signal != want {
			t.Errorf("got %+v, want %s", shown, want)
		}
	}
}

// A terminal whose request was given up, or whose session ended, while it was made is not left behind.
func TestTerminalMadeInVain(t *testing.T) {
	s := newStage(t, &Terminals{})
	ended := make(chan struct{})
	close(ended)
	s.owner.done = ended
	if _, err := s.create(t.Context(), s.owner, &acp.CreateTerminalRequest{Command: "sleep 1000"}); !errors.Is(err, ErrSessionClosed) {
		t.Errorf("got %v", err)
	}
	s.owner.done = nil
	ctx := &endsLate{Context: t.Context()}
	if _, err := s.create(ctx, s.owner, &acp.CreateTerminalRequest{Command: "sleep 1000"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(s.live)+len(s.ending)+s.starting != 0 {
		t.Errorf("left %d and %d", len(s.live), len(s.ending))
	}
}

// endsLate is a context that has ended when it is asked the second time.
type endsLate struct {
	context.Context
	asked int
}

func (e *endsLate) Err() error {
	if e.asked++; e.asked > 1 {
		return context.Canceled
	}
	return nil
}

// The number of terminals is bounded, and release makes room, as does a command that did not start.
func TestTerminalsAreBounded(t *testing.T) {
	s := newStage(t, &Terminals{MaxTerminals: 2})
	first := s.line(t, "true")
	_, _ = s.create(t.Context(), s.owner, &acp.CreateTerminalRequest{Command: "none-such", Args: []string{"x"}})
	s.line(t, "true")
	_, err := s.create(t.Context(), s.owner, &acp.CreateTerminalRequest{Command: "true"})
	checkError(t, err, refusedByUs, "2 terminals")
	s.let(t, first)
	s.line(t, "true")
}

// Output that is kept after release is bounded in number and in bytes: the oldest goes.
func TestKeptOutputIsBounded(t *testing.T) {
	s := newStage(t, &Terminals{KeptTerminals: 2, KeptBytes: 20})
	show := func(text string) acp.TerminalID {
		id := s.start(t, acp.CreateTerminalRequest{Command: "printf", Args: []string{text}})
		s.waitFor(t, id)
		s.let(t, id)
		return id
	}
	check := func(want string, ids ...acp.TerminalID) {
		t.Helper()
		var got []string
		for _, id := range ids {
			shown, _ := s.Output(id)
			got = append(got, shown.Text)
		}
		if strings.Join(got, ",") != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	a, b, c := show("a"), show("b"), show("c")
	check(",b,c", a, b, c)
	d := show(strings.Repeat("d", 20))
	check(",,"+strings.Repeat("d", 20), b, c, d)
	e := show(strings.Repeat("e", 21))
	check(",", d, e)
}
