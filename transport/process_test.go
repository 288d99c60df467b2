//go:build unix

package transport_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/transport"
)

var background = context.Background()

// start starts a helper. The test fails if it is not gone at the end.
func start(t testing.TB, helper string, change ...func(*transport.Command)) *transport.Process {
	t.Helper()
	c := transport.Command{Path: os.Args[0], Env: helperEnv(helper)}
	for _, f := range change {
		f(&c)
	}
	p, err := transport.Start(background, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		p.Close()
		wait(t, p)
	})
	return p
}

// quick sets the graces to be over at once.
func quick(c *transport.Command) { c.CloseGrace, c.TermGrace = -1, -1 }

// patient sets the graces to last longer than any test, so that nothing but the good will of a process ends it.
func patient(c *transport.Command) { c.CloseGrace, c.TermGrace = time.Hour, time.Hour }

// wait waits until a process is gone and returns how it ended.
func wait(t testing.TB, p *transport.Process) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(background, 10*time.Second)
	defer cancel()
	err := p.Wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Fatal("the process does not end")
	}
	return err
}

// exitOf returns the ExitError in err.
func exitOf(t testing.TB, err error) *transport.ExitError {
	t.Helper()
	var exit *transport.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("got %v, want an ExitError", err)
	}
	if !errors.Is(err, io.EOF) {
		t.Error("the error is not the end of input")
	}
	return exit
}

// pidOf reads the number of a process from the peer.
func pidOf(t testing.TB, p *transport.Process) int {
	t.Helper()
	pid, err := strconv.Atoi(readOne(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestProcessTalks(t *testing.T) {
	p := start(t, "echo", patient)
	for range 3 {
		mustWrite(t, p, `{"a":1}`)
		if got := readOne(t, p); got != `{"a":1}` {
			t.Errorf("got %q", got)
		}
		if done, err := p.TryWrite([]byte(`{"b":2}`)); !done || err != nil {
			t.Errorf("TryWrite: %t, %v", done, err)
		}
		if got := readOne(t, p); got != `{"b":2}` {
			t.Errorf("got %q", got)
		}
	}
}

// Banners, colours, log lines that are JSON and lines that come in halves are frames like others: a Conn judges them
// (F1, F2, F4, F6, F15).
func TestProcessNoise(t *testing.T) {
	p := start(t, "noise")
	got := []string{}
	for len(got) < 3 {
		frames, err := p.Read(limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range frames {
			got = append(got, show(f))
		}
	}
	mustWrite(t, p, "go on")
	rest, err := readAll(p, limit)
	exitOf(t, err)
	got = append(got, rest...)
	want := []string{"Welcome!", "\x1b[1mready\x1b[0m", `{"level":"info","id":1}`, `{"half":1}`, `{"cut":`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Standard error is drained whatever its volume, its end kept, and its lines reported (F86).
func TestProcessStderrFlood(t *testing.T) {
	var mu sync.Mutex
	lines := 0
	p := start(t, "flood", patient, func(c *transport.Command) {
		c.StderrBytes = 1000
		c.OnStderr = func(line string) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Trim(line, "e") == "" {
				lines++
			}
		}
	})
	if got := readOne(t, p); got != `"done"` {
		t.Errorf("got %q", got)
	}
	p.Close()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if lines != 50_000 {
		t.Errorf("%d lines were reported, want 50000", lines)
	}
	if got := p.Stderr(); len(got) != 1000 || strings.Trim(got, "e\n") != "" {
		t.Errorf("kept %d bytes: %q", len(got), got)
	}
}

// A dead process is the end of input, after the frames that it has written, with the reason (W8, F83).
func TestW8_DeadProcessSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		frames []string
		code   int
		words  []string
	}{
		"crash":   {[]string{"1", "2"}, -1, []string{"signal: killed", "last lines of its standard error", "about to\n\t[31mcrash[0m"}},
		"fail":    {[]string{"1"}, 3, []string{"exit status 3", "last line of its standard error: no key"}},
		"succeed": {[]string{"1"}, 0, []string{"exit status 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, name)
			frames, err := readAll(p, limit)
			if !slices.Equal(frames, c.frames) {
				t.Errorf("got %q, want %q", frames, c.frames)
			}
			exit := exitOf(t, err)
			contains(t, exit.Error(), append(c.words, os.Args[0])...)
			if exit.ExitCode() != c.code {
				t.Errorf("exit code %d, want %d", exit.ExitCode(), c.code)
			}
			// A write says so too, and so does every later one.
			for range 2 {
				if err := p.Write([][]byte{[]byte("{}")}); !errors.As(err, &exit) {
					t.Errorf("write: got %v, want an ExitError", err)
				}
			}
			if err := wait(t, p); (err == nil) != (c.code == 0) {
				t.Errorf("Wait: %v", err)
			}
		})
	}
}

// A write to a process that is dead or dying waits for the reason, and TryWrite leaves finding out to it (W8).
func TestW8_WriteToDeadProcess(t *testing.T) {
	p := start(t, "stubborn")
	pidOf(t, p)
	p.Kill()
	eventually(t, "the pipe breaks", func() bool {
		done, err := p.TryWrite([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		return !done
	})
	exit := exitOf(t, p.Write(nil))
	contains(t, exit.Error(), "signal: killed")
}

// Frames that were written before the death are delivered however late they are asked for (W8): reading may pause.
func TestW8_LateReaderGetsEverything(t *testing.T) {
	p := start(t, "crash")
	within(t, "the process to end", p.Done())
	frames, err := readAll(p, limit)
	exitOf(t, err)
	if want := []string{"1", "2"}; !slices.Equal(frames, want) {
		t.Errorf("got %q, want %q", frames, want)
	}
}

// A good process ends by itself when its input does. No signal is sent, and its last words don't kill it (F80).
func TestCloseIsPolite(t *testing.T) {
	p := start(t, "echo", patient)
	p.Close()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	checkClosed(t, p)
}

// Close returns at once and makes a Read return that waits (W8).
func TestW8_CloseInterruptsRead(t *testing.T) {
	p := start(t, "stubborn", quick)
	pidOf(t, p)
	ended := make(chan error)
	go func() {
		_, err := p.Read(limit)
		ended <- err
	}()
	p.Close()
	if err := within(t, "Read to return", ended); err != io.ErrClosedPipe {
		t.Errorf("got %v, want io.ErrClosedPipe", err)
	}
	exit := exitOf(t, wait(t, p))
	if exit.State.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("ended by %v", exit)
	}
}

// The ladder has three steps, each for those whom the one before did not move (F44, F79).
func TestLadder(t *testing.T) {
	t.Run("SIGTERM", func(t *testing.T) {
		p := start(t, "heeds SIGTERM", func(c *transport.Command) { c.CloseGrace, c.TermGrace = time.Millisecond, time.Hour })
		pidOf(t, p)
		p.Close()
		if err := wait(t, p); err != nil {
			t.Error(err)
		}
		contains(t, p.Stderr(), "got SIGTERM")
	})
	t.Run("SIGKILL", func(t *testing.T) {
		p := start(t, "stubborn", func(c *transport.Command) { c.CloseGrace, c.TermGrace = time.Millisecond, time.Millisecond })
		pidOf(t, p)
		p.Close()
		contains(t, exitOf(t, wait(t, p)).Error(), "signal: killed")
	})
}

// A wrapper does not pass signals on, so they go to the group (F81).
func TestSignalsReachTheGroup(t *testing.T) {
	p := start(t, "wrapper", func(c *transport.Command) { c.CloseGrace, c.TermGrace = -1, time.Hour })
	child := pidOf(t, p)
	p.Close()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	contains(t, p.Stderr(), "got SIGTERM")
	checkGone(t, child)
}

// When the process ends, for whatever reason, its descendants don't outlive it, however stubborn they are and whatever
// pipes they hold (F79, F92).
func TestDescendantsEndWithTheProcess(t *testing.T) {
	for name, end := range map[string]func(p *transport.Process){
		"by itself": func(p *transport.Process) { _ = p.Write([][]byte{nil}) },
		"by Close":  func(p *transport.Process) { p.Close() },
		"by Kill":   func(p *transport.Process) { p.Kill() },
	} {
		for _, helper := range families {
			t.Run(helper+" ends "+name, func(t *testing.T) {
				p := start(t, helper, patient)
				child := pidOf(t, p)
				end(p)
				_, err := readAll(p, limit)
				if name == "by Close" {
					_ = wait(t, p)
				} else {
					exitOf(t, err)
				}
				checkGone(t, child)
			})
		}
	}
}

// A descendant that nothing finds may hold the pipes for as long as it likes: a second after the death of the process
// its output has ended (W8, F79).
func TestW8_LostDescendantHoldsThePipes(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *transport.Process){
		"killed": func(t *testing.T, p *transport.Process) {
			p.Kill()
			_, err := readAll(p, limit)
			exitOf(t, err)
		},
		"closed": func(_ *testing.T, p *transport.Process) { p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "parent of a lost daemon", patient)
			child := pidOf(t, p)
			defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
			end(t, p)
			_ = wait(t, p)
			if isGone(child) {
				t.Error("the descendant was found after all: this test proves nothing")
			}
		})
	}
}

// A context that ends closes the process.
func TestContextEndsProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	p, err := transport.Start(ctx, transport.Command{Path: os.Args[0], Env: helperEnv("echo")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	eventually(t, "the stream is closed", func() bool {
		_, err := p.Read(limit)
		return err == io.ErrClosedPipe
	})
	if _, err := transport.Start(ctx, transport.Command{Path: os.Args[0]}); !errors.Is(err, context.Canceled) {
		t.Errorf("start with a context that has ended: %v", err)
	}
}

// Waiting gives up with its context, and the process lives on.
func TestWaitGivesUp(t *testing.T) {
	p := start(t, "echo")
	ctx, cancel := context.WithCancelCause(background)
	reason := errors.New("enough")
	cancel(reason)
	if err := p.Wait(ctx); err != reason {
		t.Errorf("got %v, want the cause", err)
	}
	mustWrite(t, p, "{}")
	if got := readOne(t, p); got != "{}" {
		t.Errorf("got %q", got)
	}
}

// A process that closes its end of a pipe and lives on is of no use: whoever waits for it learns so in time (W8), and it is
// led out.
func TestW8_ProcessThatClosesItsPipes(t *testing.T) {
	for _, helper := range []string{"closes its output", "closes its input"} {
		t.Run(helper, func(t *testing.T) {
			t.Parallel()
			p := start(t, helper, patient)
			if got := readOne(t, p); got != "1" {
				t.Errorf("got %q", got)
			}
			var err error
			if helper == "closes its output" {
				_, err = p.Read(limit)
			} else {
				err = p.Write([][]byte{[]byte("{}")})
			}
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), "still runs")
		})
	}
}

func TestStartFails(t *testing.T) {
	for name, c := range map[string]struct {
		command transport.Command
		is      error
		words   []string
	}{
		"no such program":     {transport.Command{Path: "no-such-program-anywhere"}, exec.ErrNotFound, []string{"start no-such-program-anywhere", "not found"}},
		"no such file":        {transport.Command{Path: "/no/such/file"}, fs.ErrNotExist, []string{"start /no/such/file"}},
		"no such folder":      {transport.Command{Path: os.Args[0], Dir: "/no/such/folder"}, fs.ErrNotExist, []string{"/no/such/folder"}},
		"no folder at all":    {transport.Command{Path: os.Args[0], Dir: os.Args[0]}, syscall.ENOTDIR, []string{"working directory"}},
		"not to be executed":  {transport.Command{Path: "/etc/passwd"}, fs.ErrPermission, []string{"start /etc/passwd"}},
		"nothing to start at": {transport.Command{}, nil, []string{"start"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := transport.Start(background, c.command)
			if err == nil {
				p.Kill()
				t.Fatal("it started")
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got %v, want %v", err, c.is)
			}
			contains(t, err.Error(), c.words...)
		})
	}
}

// Arguments and directory arrive as they are (F149); the environment is only what was given, if anything was (F175).
func TestCommand(t *testing.T) {
	t.Setenv("TRANSPORT_TEST_SECRET", "secret")
	dir := t.TempDir()
	args := []string{"a b", `c"d'`, "", "$HOME"}
	p := start(t, "arguments", func(c *transport.Command) { c.Args, c.Dir = args, dir })
	contains(t, readOne(t, p), `["a b" "c\"d'" "" "$HOME"] `, dir)

	p = start(t, "environment", func(c *transport.Command) { c.Env = []string{helperVariable + "=environment"} })
	if got := readOne(t, p); strings.Contains(got, "secret") {
		t.Errorf("the environment leaked: %s", got)
	}

	t.Setenv(helperVariable, "environment")
	p = start(t, "", func(c *transport.Command) { c.Env = nil })
	contains(t, readOne(t, p), "TRANSPORT_TEST_SECRET=secret")
}
