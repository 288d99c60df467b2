package sandbox_test

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// A bound program is the process that was started: number, group, status, signals, arguments, input and environment are its.
func TestAProgramIsTheProcessThatWasStarted(t *testing.T) {
	inWorlds(t, func(w *world) {
		p := w.workspace()
		cmd := w.command("sh", "-c", `echo $$; ps -o pgid= -p $$ 2>/dev/null || cut -d" " -f5 /proc/$$/stat; pwd; echo "$0 $1 $X"; cat; exit 7`, "name", "two words")
		cmd.SysProcAttr.Setpgid = true
		cmd.Env = append(os.Environ(), "X=x")
		cmd.Stdin = strings.NewReader("input")
		out, status := w.run(&p, cmd)
		pid := strconv.Itoa(cmd.Process.Pid)
		want := []string{pid, pid, w.root, "name", "two", "words", "x", "input"}
		if got := strings.Fields(out); status != 7 || strings.Join(got, "|") != strings.Join(want, "|") {
			w.Errorf("it says %q and ends with %d; want %q and 7", got, status, want)
		}
		cmd = w.command("sh", "-c", "kill -TERM $$")
		w.run(&p, cmd)
		if s := cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != unix.SIGTERM {
			w.Errorf("it ended with %v", cmd.ProcessState)
		}
	})
}

func TestAProgramIsNotStartedWithoutItsSandbox(t *testing.T) {
	inWorlds(t, func(w *world) {
		p := w.workspace()
		cmd := w.command("sh", "-c", "echo started")
		if err := p.Wrap(cmd); err != nil {
			w.Fatal(err)
		}
		if err := sandbox.RemoveTemp(w.temp); err != nil { // between Wrap and the start
			w.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != sandbox.ExitFailed || !strings.HasPrefix(string(out), "patchbay sandbox: the program was not started: ") {
			w.Errorf("%q, %v", out, err)
		}
		if strings.Contains(string(out), "started\n") {
			w.Error("the program was started")
		}
		if err := p.Wrap(w.command("true")); err == nil || !strings.Contains(err.Error(), "what may be changed") {
			w.Errorf("wrapping with a missing folder: %v", err)
		}
	})
}

// A folder that may be changed and is swapped for a link after Wrap has looked is not followed.
func TestASwappedFolderIsNotFollowed(t *testing.T) {
	inWorlds(t, func(w *world) {
		p := w.workspace()
		p.Read = append(p.Read, w.outside)
		cmd := w.command("sh", "-c", "cat "+w.home+"/.ssh/id")
		cmd.Dir = "/"
		if err := p.Wrap(cmd); err != nil {
			w.Fatal(err)
		}
		if err := errors.Join(os.Rename(w.outside, w.outside+"-moved"), os.Symlink(w.home, w.outside)); err != nil {
			w.Fatal(err)
		}
		out, err := cmd.CombinedOutput()
		if err == nil || strings.Contains(string(out), "KEY") {
			w.Errorf("it says %q, %v", out, err)
		}
	})
}

func TestErrorsOfTheProgram(t *testing.T) {
	inWorlds(t, func(w *world) {
		p := w.workspace()
		if err := p.Wrap(exec.Command("no-such-program-anywhere")); !errors.Is(err, exec.ErrNotFound) {
			w.Errorf("a program that is not on the PATH: %v", err)
		}
		out, status := w.run(&p, w.command("/no/such/program"))
		if status != sandbox.ExitFailed || out != "patchbay sandbox: starting /no/such/program: no such file or directory" {
			w.Errorf("a program that is missing: %q, status %d", out, status)
		}
		out, status = w.run(&p, w.command(w.root+"/file"))
		if status != sandbox.ExitFailed || !strings.HasSuffix(out, "permission denied") {
			w.Errorf("a file that is no program: %q, status %d", out, status)
		}
		if err := (sandbox.Policy{Read: []string{"relative"}}).Wrap(exec.Command("true")); err == nil || !strings.Contains(err.Error(), "no absolute path") {
			w.Errorf("a relative path: %v", err)
		}
		if err := (sandbox.Policy{Read: []string{"/" + strings.Repeat("x", 200<<10)}}).Wrap(exec.Command("true")); err != nil {
			w.Errorf("a path that can't be is one that is missing: %v", err)
		}
	})
}

// The program may be read though its folder may not.
func TestTheProgramItselfMayBeRead(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.write("outside/script", "#!/bin/sh\necho ran\ncat \""+w.outside+"/file\"")
		if err := os.Chmod(w.outside+"/script", 0o755); err != nil {
			w.Fatal(err)
		}
		p := w.workspace()
		out, status := w.run(&p, w.command(w.outside+"/script"))
		if !strings.HasPrefix(out, "ran\n") || !strings.Contains(out, "ermission denied") || status == 0 {
			w.Errorf("%q, status %d", out, status)
		}
		relative := w.command("true")
		relative.Path, relative.Err = "./../../outside/script", nil
		if out, _ := w.run(&p, relative); !strings.HasPrefix(out, "ran\n") {
			w.Errorf("by a relative path: %q", out)
		}
	})
}

// A sandbox in a sandbox: the walls add up.
func TestSandboxesAreNested(t *testing.T) {
	inWorlds(t, func(w *world) {
		outer := w.workspace()
		cmd := w.acting(nil, "nest "+w.root+" "+w.root+"/sub")
		out, status := w.run(&outer, cmd)
		if status != 0 || out != "read: ok, write inner: ok, write outer: EACCES, key: EACCES\nok" {
			w.Errorf("%q, status %d", out, status)
		}
	})
}

// From any thread, and from many at once.
func TestWrapIsCalledFromAnyGoroutine(t *testing.T) {
	inWorlds(t, func(w *world) {
		p := w.workspace()
		results := make(chan string)
		for range 8 {
			go func() {
				cmd := w.command("sh", "-c", "cat file; cat ../.ssh/id")
				if err := p.Wrap(cmd); err != nil {
					results <- err.Error()
					return
				}
				out, _ := cmd.Output()
				results <- string(out)
			}()
		}
		for range 8 {
			if got := <-results; got != "inside" {
				w.Errorf("one says %q", got)
			}
		}
		if err := unix.Access(w.outside, unix.W_OK); err != nil {
			w.Errorf("this process is bound: %v", err)
		}
		if err := os.WriteFile(w.outside+"/mine", nil, 0o644); err != nil {
			w.Errorf("this process is bound: %v", err)
		}
	})
}
