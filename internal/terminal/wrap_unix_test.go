//go:build unix

package terminal_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/terminal"
)

// Wrap sees the command as it is to be started, may have another started, and keeps it from being started at all.
func TestWrap(t *testing.T) {
	dir := t.TempDir()
	term := start(t, terminal.Command{Line: "touch $0", Dir: dir, Env: []string{"NAME=value"}, Wrap: func(cmd *exec.Cmd) error {
		if cmd.Dir != dir || cmd.Env[len(cmd.Env)-1] != "NAME=value" {
			t.Errorf("it is run in %s with %q", cmd.Dir, cmd.Env)
		}
		cmd.Args = append(cmd.Args, "wrapped")
		return nil
	}})
	if got := wait(t, term); got != "0" {
		t.Errorf("ended with %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "wrapped")); err != nil {
		t.Error(err)
	}

	refused := errors.New("refused")
	_, err := terminal.Start(terminal.Command{Line: "touch started", Dir: dir, Wrap: func(*exec.Cmd) error { return refused }})
	if !errors.Is(err, refused) {
		t.Errorf("got error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
		t.Error("it was started")
	}
}
