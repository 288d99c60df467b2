package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// F92: however often an agent is started, given work and closed, nothing is left: no goroutine, no file descriptor, no
// process. The work runs a command that starts another in the background.
func TestF92_StartPromptClose(t *testing.T) {
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("PATCHBAY_TEST_CYCLES=%d-%d", os.Getpid(), time.Now().UnixNano())
	cycles := 40
	if os.Getenv("PATCHBAY_SOAK") != "" {
		cycles = 1000
	}
	leavesNothing(t, mark, cycles, func() { cycle(t, path, mark) })
}

// F92, F99: nor is anything left of an agent that is closed in the middle of its work, that is killed and started again, or that
// does not start at all.
func TestF92_OtherEndsLeaveNothingEither(t *testing.T) {
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cycles := 8
	if os.Getenv("PATCHBAY_SOAK") != "" {
		cycles = 200
	}
	for name, life := range map[string]func(t *testing.T, command transport.Command, mark string){
		"closed in its turn":       closedInItsTurn,
		"killed and started again": killedAndStartedAgain,
		"never started":            neverStarted,
	} {
		t.Run(name, func(t *testing.T) {
			mark := fmt.Sprintf("PATCHBAY_TEST_ENDS=%d-%d", os.Getpid(), time.Now().UnixNano())
			env := append(os.Environ(), mark, "XDG_CONFIG_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
			command := transport.Command{Path: path, Args: []string{"agent", "--model", "offline", "--auto-approve"}, Env: env}
			leavesNothing(t, mark, cycles, func() { life(t, command, mark) })
		})
	}
}

func closedInItsTurn(t *testing.T, command transport.Command, mark string) {
	c, err := client.Spawn(t.Context(), command, yes{}, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewSession(t.Context(), acp.NewSessionRequest{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Prompt(t.Context(), acp.Text("run `sleep 300 & sleep 300`"))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the commands run", func() bool { return marked(t, mark) >= 3 })
	_ = c.Close()
	_ = c.Wait()
	if _, err := turn.Wait(); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Fatalf("the turn ended with %v", err)
	}
}

func killedAndStartedAgain(t *testing.T, command transport.Command, _ string) {
	events := make(chan client.SupervisorEvent, 100)
	v, err := client.Supervise(t.Context(), client.LaunchCommand(command), yes{}, client.SupervisorOptions{
		Restart: client.Retry{First: time.Millisecond},
		Event:   func(e client.SupervisorEvent) { events <- e },
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := v.NewSession(t.Context(), acp.NewSessionRequest{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	c, err := v.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Process().Kill()
	awaitResumed(t, events)
	if _, err := s.Run(t.Context(), acp.Text("list")); err != nil {
		t.Fatal(err)
	}
	_ = v.Close()
	if err := v.Wait(); err != nil {
		t.Fatal(err)
	}
}

func neverStarted(t *testing.T, command transport.Command, _ string) {
	command.Args = []string{"agent", "--no-such-flag"}
	if _, err := client.Spawn(t.Context(), command, yes{}, client.Options{}); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Fatalf("the start ended with %v", err)
	}
}

// leavesNothing runs something again and again, and compares what there is before and after.
func leavesNothing(t *testing.T, mark string, cycles int, life func()) {
	t.Helper()
	life() // for what is made once
	before := takeCensus(t, mark)
	for range cycles {
		life()
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
