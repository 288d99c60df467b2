package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// The agent as a process of its own; among other things it takes what people type by hand (S002.15).
func TestAgent(t *testing.T) {
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]func(t *testing.T, path string){
		"starts and ends":        testStartsAndEnds,
		"demo stray":             testDemoStray,
		"demo crash":             testDemoCrash,
		"runs commands":          testRunsCommands,
		"takes commands with it": testTakesCommandsWithIt,
		"killed leaves nothing":  testKilledLeavesNothing,
		"trace":                  testTrace,
		"mistakes":               testMistakes,
		"typed by hand":          testTypedByHand,
	} {
		t.Run(name, func(t *testing.T) { test(t, path) })
	}
}

// A wire is `patchbay agent` as a process, and what came from it.
type wire struct {
	*testing.T
	process *transport.Process
	rpc     *jsonrpc.Conn
	dir     string
	session acp.SessionID

	mu    sync.Mutex // guards what follows
	text  strings.Builder
	noise []string
}

// startAgent starts the agent with arguments.
func startAgent(t *testing.T, path string, args ...string) *wire {
	t.Helper()
	w := &wire{T: t, dir: t.TempDir()}
	var err error
	w.process, err = transport.Start(t.Context(), transport.Command{Path: path, Args: append([]string{"agent"}, args...)})
	if err != nil {
		t.Fatal(err)
	}
	w.rpc = jsonrpc.NewConn(w.process, w, jsonrpc.Options{KeyMember: acp.SessionKeyMember, Key: acp.SessionKey, Diagnose: func(d jsonrpc.Diagnostic) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.noise = append(w.noise, d.Text)
	}})
	t.Cleanup(func() {
		_ = w.rpc.Close()
		_ = w.process.Wait(context.Background())
	})
	return w
}

// Handle keeps the text of messages and allows everything.
func (w *wire) Handle(_ context.Context, req *jsonrpc.Request) (any, error) {
	switch req.Method {
	case acp.MethodSessionUpdate:
		var n acp.SessionNotification
		if err := json.Unmarshal(req.Params, &n); err != nil {
			return nil, err
		}
		if chunk, ok := n.Update.(*acp.AgentMessageChunk); ok {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.text.WriteString(chunk.Content.(*acp.TextContent).Text)
		}
		return nil, nil
	case acp.MethodSessionRequestPermission:
		return &acp.RequestPermissionResponse{Outcome: acp.PermissionSelected("allow_once")}, nil
	}
	return nil, jsonrpc.ErrMethodNotFound
}

func (w *wire) must(method string, params, result any) {
	w.Helper()
	if err := w.rpc.Call(w.Context(), method, params, result); err != nil {
		w.Fatalf("%s: %v", method, err)
	}
}

// open says hello and makes a session.
func (w *wire) open() {
	w.Helper()
	w.must(acp.MethodInitialize, &acp.InitializeRequest{ProtocolVersion: acp.Version1}, &acp.InitializeResponse{})
	var opened acp.NewSessionResponse
	w.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: w.dir, MCPServers: []acp.MCPServer{}}, &opened)
	w.session = opened.SessionID
}

func (w *wire) prompt(text string) (acp.StopReason, error) {
	var answer acp.PromptResponse
	req := &acp.PromptRequest{SessionID: w.session, Prompt: []acp.ContentBlock{acp.Text(text)}}
	err := w.rpc.Call(w.Context(), acp.MethodSessionPrompt, req, &answer)
	return answer.StopReason, err
}

func (w *wire) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// The agent answers initialize in under 50 ms from its start, and ends by itself, well, when its input does (S000.1).
func testStartsAndEnds(t *testing.T, path string) {
	best := time.Hour
	for range 10 {
		begin := time.Now()
		w := startAgent(t, path)
		w.must(acp.MethodInitialize, &acp.InitializeRequest{ProtocolVersion: acp.Version1}, &acp.InitializeResponse{})
		best = min(best, time.Since(begin))
		_ = w.rpc.Close()
		if err := w.process.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if best > 50*time.Millisecond {
		t.Errorf("the quickest of ten starts took %v, want under 50ms", best)
	}
}

// Lines that are no messages come between those that are, and only there: a client has to live with them (W3).
func testDemoStray(t *testing.T, path string) {
	w := startAgent(t, path)
	w.open()
	stop, err := w.prompt("/demo stray")
	if err != nil || stop != acp.StopReasonEndTurn {
		t.Fatalf("got %s, %v", stop, err)
	}
	if n := strings.Count(w.said(), "A line that is no message came before this chunk."); n != 5 {
		t.Errorf("%d of 5 chunks came", n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	noise := strings.Join(w.noise, "\n")
	for _, want := range []string{"Welcome to the agent!", "is deprecated", "a log line that happens to be JSON", "session/upd"} {
		if !strings.Contains(noise, want) {
			t.Errorf("the noise lacks %q: %q", want, noise)
		}
	}
}

// A crash in the middle of a turn is an error that says how the process ended and what it said last (W8).
func testDemoCrash(t *testing.T, path string) {
	w := startAgent(t, path)
	w.open()
	_, err := w.prompt("/demo crash")
	var exit *transport.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != crashStatus || !strings.Contains(exit.Stderr, "this crash is a demonstration") {
		t.Errorf("got %v", err)
	}
	if got := w.said(); !strings.Contains(got, "The process is about to end.") {
		t.Errorf("before, it said %q", got)
	}
}

// Whatever a command prints goes to the tool call, and nothing of the process's to the protocol (F1).
func testRunsCommands(t *testing.T, path string) {
	w := startAgent(t, path)
	w.open()
	stop, err := w.prompt("run echo hello then write a.txt: x then list")
	if err != nil || stop != acp.StopReasonEndTurn {
		t.Fatalf("got %s, %v", stop, err)
	}
	if got := w.said(); !strings.Contains(got, "hello") || !strings.Contains(got, "3 of 3 steps succeeded") {
		t.Errorf("it says:\n%s", got)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.noise) > 0 {
		t.Errorf("noise: %q", w.noise)
	}
	if text, err := os.ReadFile(filepath.Join(w.dir, "a.txt")); err != nil || string(text) != "x" {
		t.Errorf("a.txt has %q, %v", text, err)
	}
}

// --trace keeps every message of both directions, a JSON object a line (F176).
func testTrace(t *testing.T, path string) {
	file := filepath.Join(t.TempDir(), "trace.ndjson")
	w := startAgent(t, path, "--trace", file)
	w.open()
	if _, err := w.prompt("list"); err != nil {
		t.Fatal(err)
	}
	_ = w.rpc.Close()
	if err := w.process.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"method":"initialize"`, `"method":"session/prompt"`, `"method":"session/update"`, `"stopReason":"end_turn"`} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the trace lacks %s:\n%s", want, text)
		}
	}
	for i, line := range bytes.Split(bytes.TrimSpace(text), []byte("\n")) {
		if !acp.Raw(line).IsValid() {
			t.Errorf("line %d is no JSON: %s", i+1, line)
		}
	}
}

// What can't be done is said at once, on standard error.
func testMistakes(t *testing.T, path string) {
	for want, args := range map[string][]string{
		`no provider "gpt"`: {"--model", "gpt"},
		"open the trace":    {"--trace", filepath.Join(t.TempDir(), "no", "trace")},
		"--log-level":       {"--log-level", "loud"},
		"unexpected argu":   {"now"},
	} {
		var stderr, stdout strings.Builder
		cmd := exec.Command(path, append([]string{"agent"}, args...)...)
		cmd.Stderr, cmd.Stdout = &stderr, &stdout
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || !strings.Contains(stderr.String(), want) || stdout.Len() > 0 {
			t.Errorf("%v: %v, standard error %q, standard output %q", args, err, stderr.String(), stdout.String())
		}
	}
}
