// Package examples_test builds each example and uses it as its reader would.
package examples_test

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

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

// bin is where TestMain puts the programs.
var bin string

func TestMain(m *testing.M) {
	if log := os.Getenv(relayLog); log != "" {
		relay(log, os.Args[1:])
		return
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if bin, err = os.MkdirTemp("", "patchbay-examples-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(bin)
	if err := os.Setenv("XDG_STATE_HOME", filepath.Join(bin, "state")); err != nil { // sessions of tests are nobody's
		panic(err)
	}
	if out, err := exec.Command("go", "build", "-o", bin, "./...").CombinedOutput(); err != nil {
		panic(string(out))
	}
	build := exec.Command("go", "build", "-o", bin, "../cmd/patchbay")
	build.Env = append(os.Environ(), "GOEXPERIMENT=") // as users build it; the vendors' libraries take minutes to compile once more
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

func program(name string) string { return filepath.Join(bin, name) }

// A listener collects what an agent says.
type listener struct {
	mu       sync.Mutex
	text     strings.Builder
	commands []acp.AvailableCommand
	calls    []acp.ToolCallStatus
}

func (l *listener) Update(_ context.Context, _ *client.Session, u acp.SessionUpdate) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		if text, ok := u.Content.(*acp.TextContent); ok {
			l.text.WriteString(text.Text)
		}
	case *acp.AvailableCommandsUpdate:
		l.commands = u.AvailableCommands
	case *acp.ToolCall:
		l.calls = append(l.calls, u.Status)
	case *acp.ToolCallUpdate:
		if status, ok := u.Status.Get(); ok {
			l.calls = append(l.calls, status)
		}
	}
}

func (l *listener) RequestPermission(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
}

// talk prompts an example once.
func talk(t *testing.T, name, dir string, prompt ...acp.ContentBlock) (*listener, *client.Result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	l := &listener{}
	c, err := client.Spawn(ctx, transport.Command{Path: program(name)}, l, client.Options{
		Info:  acp.Implementation{Name: "test", Version: "1"},
		Files: &client.Files{},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = c.Close(), c.Wait() }()
	s, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: dir})
	if err != nil {
		t.Fatal(err)
	}
	result, err := s.Run(ctx, prompt...)
	return l, result, err
}

func TestAgent(t *testing.T) {
	l, result, err := talk(t, "agent", t.TempDir(), acp.Text("one "), acp.Text("two"))
	if err != nil || l.text.String() != "one two" || result.StopReason != acp.StopReasonEndTurn {
		t.Errorf("got %q, %+v, %v", l.text.String(), result, err)
	}
}

func TestClient(t *testing.T) {
	out, err := exec.Command(program("client"), "hello", program("agent")).CombinedOutput()
	if err != nil || string(out) != "hello\n(end_turn)\n" {
		t.Errorf("got %q, %v", out, err)
	}
	out, err = exec.Command(program("client"), "hello", program("missing")).CombinedOutput()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || !strings.Contains(string(out), "missing") {
		t.Errorf("for a command that does not exist: %q, %v", out, err)
	}
}

// S003.3: commands are advertised, parsed and dispatched, and an unknown one is a clear error.
func TestCommands(t *testing.T) {
	for prompt, want := range map[string]string{"/upper shout this": "SHOUT THIS", "/count a b c": "3 words", "hello": "Try /upper or /count."} {
		l, _, err := talk(t, "commands", t.TempDir(), acp.Text(prompt))
		if err != nil || l.text.String() != want {
			t.Errorf("%s: got %q, %v", prompt, l.text.String(), err)
		}
		if len(l.commands) != 2 || l.commands[0].Name != "upper" {
			t.Errorf("advertised are %v", l.commands)
		}
	}
	_, _, err := talk(t, "commands", t.TempDir(), acp.Text("/dance"))
	if failure := (*acp.Error)(nil); !errors.As(err, &failure) || !strings.Contains(failure.Message, "/dance") {
		t.Errorf("/dance: %v", err)
	}
}

// S003.4: text, images and audio are handled by kind.
func TestMedia(t *testing.T) {
	l, _, err := talk(t, "media", t.TempDir(),
		acp.Text("look"), acp.Image("image/png", make([]byte, 6)), acp.Audio("audio/wav", make([]byte, 9)),
		acp.Link("main.go", "file:///main.go"), acp.TextResource("file:///a.txt", "text/plain", "abc"))
	want := "text of 4 bytes\nimage, image/png, 6 bytes\naudio, audio/wav, 9 bytes\nlink to file:///main.go\nfile:///a.txt, 3 bytes of text\n"
	if err != nil || l.text.String() != want {
		t.Errorf("got %q, %v", l.text.String(), err)
	}
}

// S003.1, S003.2: a server of a few lines that streams text and shows the work of a tool.
func TestServer(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(path, []byte("remember"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, _, err := talk(t, "server", dir, acp.Text(path))
	if err != nil || l.text.String() != "Processing your request...\nI've read the file." {
		t.Errorf("got %q, %v", l.text.String(), err)
	}
	if len(l.calls) != 2 || l.calls[0] != acp.ToolCallStatusInProgress || l.calls[1] != acp.ToolCallStatusCompleted {
		t.Errorf("the call went through %v", l.calls)
	}
	l, _, err = talk(t, "server", dir, acp.Text(filepath.Join(dir, "missing")))
	if err != nil || !strings.Contains(l.text.String(), "could not read it") || l.calls[1] != acp.ToolCallStatusFailed {
		t.Errorf("a missing file: %q, %v, %v", l.text.String(), l.calls, err)
	}
}

// S000.19: the whole flow of a conversation, step by step.
func TestFlow(t *testing.T) {
	out, err := exec.Command(program("flow")).Output()
	if err != nil {
		t.Fatal(err)
	}
	steps := []string{
		`client → agent .*"initialize"`, `agent  → client.*"protocolVersion"`,
		`client → agent .*"session/new"`, `agent  → client.*"sessionId"`,
		`client → agent .*"session/prompt"`,
		`agent  → client.*"agent_message_chunk"`,
		`agent  → client.*"tool_call"`,
		`agent  → client.*"session/request_permission"`,
		`client → agent .*"selected"`,
		`agent  → client.*"in_progress"`,
		`agent  → client.*"completed"`,
		`agent  → client.*"agent_message_chunk"`,
		`agent  → client.*"end_turn"`,
		`client → agent .*"session/prompt"`,
		`agent  → client.*"end_turn"`,
	}
	rest := out
	for i, step := range steps {
		from, what, _ := strings.Cut(step, ".*")
		line, after, ok := lineWith(rest, from, what)
		if !ok {
			t.Fatalf("step %d, %s, is missing after %s in\n%s", i+1, step, line, out)
		}
		rest = after
	}
}

// lineWith finds the next line that begins with one text and holds another.
func lineWith(text []byte, from, what string) (line string, rest []byte, ok bool) {
	for len(text) > 0 {
		first, after, _ := bytes.Cut(text, []byte("\n"))
		if bytes.HasPrefix(first, []byte(from)) && bytes.Contains(first, []byte(what)) {
			return string(first), after, true
		}
		text = after
	}
	return "", nil, false
}

// Examples are to be read at one sitting.
func TestExamplesAreShort(t *testing.T) {
	programs, err := filepath.Glob("*/main.go")
	if err != nil || len(programs) < 6 {
		t.Fatalf("found %v, %v", programs, err)
	}
	for _, path := range programs {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte("\n")); n >= 100 {
			t.Errorf("%s has %d lines", path, n)
		}
	}
}
