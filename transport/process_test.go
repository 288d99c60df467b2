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
