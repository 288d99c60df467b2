package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

// F92: however often an agent is started, given work and closed, nothing is left: no goroutine, no file descriptor, no
// process. The work runs a command that starts another in the background.
func TestF92_StartPromptClose(t *testing.T) {
	path := filepath.Join(t.TempDir(), "patchbay")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mark := fmt.Sprintf("PATCHBAY_TEST_CYCLES=%d-%d", os.Getpid(), time.Now().UnixNano())
	cycles := 40
	if os.Getenv("PATCHBAY_SOAK") != "" {
		cycles = 1000
	}
	cycle(t, path, mark) // for what is made once
	before := takeCensus(t, mark)
	for range cycles {
		cycle(t, path, mark)
	}
	var after census
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		after = takeCensus(t, mark)
		if after == before || time.Now().After(deadline) {
			break
		}
	}
	if after != before {
		t.Errorf("after %d cycles there are %+v, before %+v", cycles, after, before)
	}
}

// cycle is one agent's life.
func cycle(t *testing.T, path, mark string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	terminals := &client.Terminals{}
	c, err := client.Spawn(ctx, transport.Command{Path: path, Args: []string{"agent"}, Env: append(os.Environ(), mark)}, yes{}, client.Options{
		Info:      acp.Implementation{Name: "cycles", Version: "1"},
		Files:     &client.Files{},
		Terminals: terminals,
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Run(ctx, acp.Text("run `env "+mark+" sleep 300 & echo started`"))
	if err != nil || result.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("the turn ended with %+v, %v", result, err)
	}
	if calls := s.State().ToolCalls().Slice(); len(calls) != 1 || calls[0].Status != acp.ToolCallStatusCompleted {
		t.Fatalf("the command did not run: %+v", calls)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	terminals.Close()
}

// A yes allows everything.
type yes struct{}

func (yes) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (yes) RequestPermission(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
}

// A census is what there is of this process, and of those that carry a mark.
type census struct{ goroutines, descriptors, processes int }

func takeCensus(t *testing.T, mark string) census {
	t.Helper()
	descriptors, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	found := census{goroutines: runtime.NumGoroutine(), descriptors: len(descriptors)}
	for _, path := range environments {
		if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(mark)) {
			found.processes++
		}
	}
	return found
}
