//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// When the agent is told to end, or its client goes away, it takes with it what it has started (F80, F81). It is started
// without package transport here, which would clean up after it.
func testTakesCommandsWithIt(t *testing.T, _ string) {
	for name, end := range map[string]func(w *wire, agent *os.Process) error{
		"signal":     func(_ *wire, agent *os.Process) error { return agent.Signal(syscall.SIGTERM) },
		"input ends": func(w *wire, _ *os.Process) error { return w.rpc.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			w, p := plainly(t)
			w.open()
			ended := make(chan error, 1)
			go func() {
				_, err := w.prompt("run echo $$ > pid; exec sleep 1000")
				ended <- err
			}()
			pid := awaitPid(t, filepath.Join(w.dir, "pid"))
			if err := end(w, p.cmd.Process); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil {
				t.Error("the prompt was answered as if nothing had happened")
			}
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("the agent ended badly: %v", err)
			}
			if syscall.Kill(pid, 0) == nil {
				t.Errorf("the command, process %d, goes on", pid)
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		})
	}
}

// plainly is an agent that nothing looks after, and a connection to it.
func plainly(t *testing.T) (*wire, *process) {
	t.Helper()
	p := startProcess(t, nil)
	w := &wire{T: t, dir: t.TempDir()}
	w.rpc = jsonrpc.NewConn(transport.New(p.out, p.in, transport.Options{}), w, jsonrpc.Options{KeyMember: acp.SessionKeyMember, Key: acp.SessionKey})
	t.Cleanup(func() { _ = w.rpc.Close() })
	return w, p
}

// awaitPid reads a process number from a file that a command is about to write.
func awaitPid(t *testing.T, path string) int {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		text, _ := os.ReadFile(path)
		if line, whole := strings.CutSuffix(string(text), "\n"); whole {
			pid, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("the command did not start")
	return 0
}
