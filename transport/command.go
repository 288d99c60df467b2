package transport

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/patchbay-dev/patchbay/internal/process"
)

// A Command says how to start a peer as a subprocess, and how to end it. Only Path is required.
type Command struct {
	// Path is the program: a file, relative to Dir if it is not absolute, or a name that is looked up in this process's
	// PATH (on Windows with the extensions of PATHEXT, so that the shims of npm are found; F149).
	Path string

	// Args are its arguments, without the program's name. They reach the program as they are: no shell reads them.
	Args []string

	// Dir is its working directory; empty means this process's own.
	Dir string

	// Env is its environment, "name=value" each. Nil means this process's own; to keep secrets from an agent, say what
	// it may have by AllowEnv (F175). On Linux the variable PATCHBAY_PROCESS_MARK is added, by which escaped descendants are found.
	Env []string

	// CloseGrace is how long the process may take to end by itself after its standard input was closed, and TermGrace
	// how long it and its group may take after SIGTERM, which Windows doesn't have. Then they are killed. Zero means 2 s
	// for either, a negative value no time at all.
	CloseGrace time.Duration
	TermGrace  time.Duration

	// Guarded has the process's group killed, too, when this process is killed and can't do so itself. On Unix a small process
	// of ours, which outlives us by a moment, sees to that; on Windows the system does it always (F92).
	Guarded bool

	// StderrBytes is how much of the end of standard error is kept, in bytes; zero means 64 KiB.
	StderrBytes int

	// OnStderr, if not nil, gets each line of standard error, without its line end and in pieces if it is longer than
	// 8 KiB. While it runs nothing more is read there, the process waits once the pipe is full, and its end is not reported:
	// it must return soon, and not wait for the process.
	OnStderr func(line string)

	// Wrap, if not nil, has the last word on the command before it is started, such as to have it run in a sandbox. If it
	// returns an error, nothing is started.
	Wrap func(cmd *exec.Cmd) error

	// Options are those of the stream over the process's standard input and output.
	Options Options
}

// Start starts the command. The peer is its standard output and input; its standard error is always drained (F86).
//
// When ctx ends, the process is ended as if by Close. Otherwise it runs until it ends by itself, or Close or Kill ends it.
// Whichever it is, everything that it started in turn is killed with it: it is a group of its own, on Windows a job, and
// what has left the group is looked for on Linux by a mark in its environment. On other systems a descendant that called
// setsid lives on; so does, everywhere, one that was started by a service for it, or without that environment.
//
// Call Close when done, however the process ended.
func Start(ctx context.Context, c Command) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, context.Cause(ctx))
	}
	c.CloseGrace = max(cmp.Or(c.CloseGrace, 2*time.Second), 0)
	c.TermGrace = max(cmp.Or(c.TermGrace, 2*time.Second), 0)
	c.StderrBytes = cmp.Or(c.StderrBytes, 64<<10)

	if err := checkDir(c.Dir); err != nil {
		return nil, fmt.Errorf("start %s: working directory: %w", c.Path, err)
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if c.Wrap != nil {
		if err := c.Wrap(cmd); err != nil {
			return nil, fmt.Errorf("start %s: %w", c.Path, err)
		}
	}
	ends, err := openEnds(cmd)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	start := process.Start
	if c.Guarded {
		start = process.StartGuarded
	}
	family, err := start(cmd)
	ends.closeTheirs()
	if err != nil {
		ends.closeOurs()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	p := newProcess(c, cmd, family, ends)
	p.unhook = context.AfterFunc(ctx, func() { _ = p.Close() })
	go p.drainStderr()
	go p.run()
	return p, nil
}

// checkDir looks at a working directory in advance, since the system's error for a missing one names the program.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "chdir", Path: dir, Err: syscall.ENOTDIR}
	}
	return err
}

// ends are the two ends of the pipes to a process, by its descriptors. They are ours rather than those of os/exec, whose
// Wait closes them under the reader's hands; and our ends are in the poller, so that a blocked read or write can be
// interrupted.
type ends struct{ ours, theirs [3]*os.File }

func openEnds(cmd *exec.Cmd) (*ends, error) {
	e := &ends{}
	for fd := range e.ours {
		r, w, err := os.Pipe()
		if err != nil {
			e.closeTheirs()
			e.closeOurs()
			return nil, err
		}
		if fd == 0 {
			e.theirs[fd], e.ours[fd] = r, w
		} else {
			e.ours[fd], e.theirs[fd] = r, w
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = e.theirs[0], e.theirs[1], e.theirs[2]
	return e, nil
}

func (e *ends) closeTheirs() { closeFiles(e.theirs) }

func (e *ends) closeOurs() { closeFiles(e.ours) }

func closeFiles(files [3]*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}
