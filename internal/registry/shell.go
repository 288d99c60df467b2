package registry

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/internal/process"
)

// shellPatience is how long the user's shell may take to start: some load a lot, and some wait for an answer that nobody
// gives.
const shellPatience = 5 * time.Second

// outputLimit is how much of a helper's output is read.
const outputLimit = 1 << 20

// mark stands before and after what is wanted of a shell, since what it loads may print things.
const mark = "_patchbay_8d2f_"

// shellPath asks the user's login shell for its PATH, which is what a terminal has and a graphical program often lacks (F101).
// It is empty if there is no such shell, or it doesn't say in time.
func (o *Options) shellPath(ctx context.Context) []string {
	shell := o.Env("SHELL")
	if !filepath.IsAbs(shell) {
		return nil
	}
	// env is a program and so says the same in every shell. Version managers are set up by what only interactive shells read.
	cmd := exec.Command(shell, "-l", "-i", "-c", "echo "+mark+"; env; echo "+mark)
	detach(cmd) // an interactive shell in the background of a terminal is stopped by it
	out, err := capture(ctx, shellPatience, cmd, false)
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(out, mark+"\n")
	all, _, whole := strings.Cut(rest, mark+"\n")
	if !whole {
		return nil
	}
	for line := range strings.Lines(all) {
		if list, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "PATH="); ok {
			return filepath.SplitList(list)
		}
	}
	return nil
}

// capture runs a helper with nothing on its standard input, and returns what it has printed, also to standard error if that is
// wanted. When it ends, and after a time at the latest, nothing of it is left.
func capture(ctx context.Context, patience time.Duration, cmd *exec.Cmd, stderr bool) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := os.CreateTemp("", "patchbay-") // and not a pipe, which what it leaves behind could hold open
	if err != nil {
		return "", err
	}
	defer os.Remove(out.Name())
	defer out.Close()
	cmd.Stdout = out
	if stderr {
		cmd.Stderr = out
	}
	family, err := process.Start(cmd)
	if err != nil {
		return "", err
	}
	dead := make(chan struct{})
	go func() {
		family.AwaitDeath()
		close(dead)
	}()
	select {
	case <-dead:
	case <-ctx.Done():
		select {
		case <-dead: // and its number may be another's
		default:
			family.Kill()
			<-dead
		}
	}
	family.Finish()
	if cmd.ProcessState == nil {
		_ = cmd.Wait()
	}
	family.Release()
	if err := ctx.Err(); err != nil {
		return "", err
	}
	text := make([]byte, outputLimit)
	n, _ := out.ReadAt(text, 0)
	return string(bytes.ToValidUTF8(text[:n], []byte("\uFFFD"))), nil
}
