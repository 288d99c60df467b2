package terminal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/patchbay-dev/patchbay/internal/process"
)

// DefaultLimit is how much output is kept where Command does not say, in bytes.
const DefaultLimit = 1 << 20

// A Command says what to run. Either Path or Line is required.
type Command struct {
	// Path is a program: a name that is looked up in this process's PATH, or a file, relative to Dir. Args are its
	// arguments; no shell reads them.
	Path string
	Args []string

	// Line, if not empty, is run by the shell in the place of Path and Args: by sh -c, on Windows by cmd /C.
	Line string

	// Env is added to the environment, "name=value" each; the last of a name wins.
	Env []string

	// Base is the environment to which Env is added. Nil means this process's own.
	Base []string

	// Dir is the working directory, an absolute path. Empty means this process's own.
	Dir string

	// Limit is how much of the end of the output is kept, in bytes. Zero means DefaultLimit; a negative value, none.
	Limit int

	// TermGrace is how long the command and what it started may take to end after SIGTERM until they are killed. Zero
	// means a second; a negative value, no time at all. Windows has no such signal, and kills at once.
	TermGrace time.Duration

	// Wrap, if not nil, has the last word on the command before it is started, such as to have it run in a sandbox. If it
	// returns an error, nothing is started.
	Wrap func(cmd *exec.Cmd) error
}

// Start starts a command. Its standard input is empty (F108). Call Close when done with it, however it ended.
func Start(c Command) (*Terminal, error) {
	t, err := start(c)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmp.Or(c.Line, c.Path), err)
	}
	return t, nil
}

func start(c Command) (*Terminal, error) {
	if c.Line == "" && c.Path == "" {
		return nil, errors.New("there is no command")
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	cmd := c.prepare()
	if c.Wrap != nil {
		if err := c.Wrap(cmd); err != nil {
			return nil, err
		}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = w, w
	family, err := process.StartGuarded(cmd)
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return run(c, cmd, family, r), nil
}

// prepare makes the command of package os/exec.
func (c Command) prepare() *exec.Cmd {
	var cmd *exec.Cmd
	if c.Line != "" {
		cmd = shell(c.Line)
	} else {
		cmd = exec.Command(c.Path, c.Args...)
		detach(cmd)
	}
	cmd.Dir = c.Dir
	cmd.Env = c.Base
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], c.Env...)
	return cmd
}

// grace is how long the command has after SIGTERM.
func (c Command) grace() time.Duration {
	if runtime.GOOS == "windows" {
		return 0
	}
	return max(cmp.Or(c.TermGrace, time.Second), 0)
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

// IsProgram reports whether a command's Path, in a working directory, is the name of a program.
func IsProgram(path, dir string) bool {
	if filepath.Base(path) != path && !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	_, err := exec.LookPath(path)
	return err == nil
}
