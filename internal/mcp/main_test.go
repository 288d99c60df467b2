package mcp_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

// patience ends a test that hangs.
const patience = 30 * time.Second

// serveArgument makes the test binary an MCP server; the next argument says of which kind.
const serveArgument = "serve-mcp"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == serveArgument {
		serve(os.Args[2], os.Args[3:])
		return
	}
	goleak.VerifyTestMain(m)
}

// deadline is a context that ends a test which hangs.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls a condition until it holds, and fails the test if it never does.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.Now().Add(patience)
	for tick := time.Tick(2 * time.Millisecond); !holds(); <-tick {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

// ours is the configuration of a server that is this test binary.
func ours(t *testing.T, name, kind string, args ...string) *acp.MCPServerStdio {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &acp.MCPServerStdio{Name: name, Command: path, Args: append([]string{serveArgument, kind}, args...)}
}

// A heard is what the session was told.
type heard struct {
	mu      sync.Mutex
	states  []mcp.Status
	changes int
}

func (h *heard) status(s mcp.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.states = append(h.states, s)
}

func (h *heard) change() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changes++
}

// of are the states of a server, in order, and once each where it stayed the same.
func (h *heard) of(server string) []mcp.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []mcp.State
	for _, s := range h.states {
		if s.Server == server {
			list = append(list, s.State)
		}
	}
	return slices.Compact(list)
}

// start starts servers and closes them when the test is over. Everything is told to h, and nothing of secrets to the log.
func start(t *testing.T, o mcp.Options, servers ...acp.MCPServer) (*mcp.Set, *heard) {
	t.Helper()
	h := &heard{}
	o.OnStatus, o.OnChange = h.status, h.change
	if o.Grace == 0 {
		o.Grace = 500 * time.Millisecond
	}
	s := mcp.Start(context.Background(), servers, o)
	t.Cleanup(s.Close)
	return s, h
}

// ready starts servers and waits for them.
func ready(t *testing.T, o mcp.Options, servers ...acp.MCPServer) (*mcp.Set, *heard) {
	t.Helper()
	s, h := start(t, o, servers...)
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	for _, status := range s.Status() {
		if status.State != mcp.StateReady {
			t.Fatalf("the server %q is %s: %s", status.Server, status.State, status.Reason)
		}
	}
	return s, h
}

// call calls a tool that must not fail.
func call(t *testing.T, s *mcp.Set, tool, input string) *mcp.Result {
	t.Helper()
	r, err := s.Call(deadline(t), mcp.Call{Tool: tool, Input: acp.Raw(input)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r
}

// toolNames are the names of a set's tools.
func toolNames(s *mcp.Set) []string {
	var names []string
	for _, t := range s.Tools() {
		names = append(names, t.Name)
	}
	return names
}

// log is a logger, and what it has logged.
func log() (*slog.Logger, func() string) {
	var mu sync.Mutex
	var b bytes.Buffer
	w := writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return b.Write(p)
	})
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug})), func() string {
		mu.Lock()
		defer mu.Unlock()
		return b.String()
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// mustHold fails unless a text holds all of some pieces.
func mustHold(t *testing.T, text string, pieces ...string) {
	t.Helper()
	for _, p := range pieces {
		if !strings.Contains(text, p) {
			t.Errorf("%q does not hold %q", text, p)
		}
	}
}
