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
)

// When the agent is told to end, it takes with it what it has started (F80, F81).
func testTakesCommandsWithIt(t *testing.T, path string) {
	w := startAgent(t, path)
	w.open()
	ended := make(chan error, 1)
	go func() {
		_, err := w.prompt("run echo $$ > pid; exec sleep 1000")
		ended <- err
	}()
	pid := awaitPid(t, filepath.Join(w.dir, "pid"))
	if err := syscall.Kill(w.process.Pid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("the prompt was answered as if nothing had happened")
	}
	_ = w.process.Wait(t.Context())
	deadline := time.Now().Add(10 * time.Second)
	for syscall.Kill(pid, 0) == nil {
		if time.Now().After(deadline) {
			t.Fatalf("the command, process %d, goes on", pid)
		}
		time.Sleep(time.Millisecond)
	}
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
