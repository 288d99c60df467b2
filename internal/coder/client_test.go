package coder_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A client is the least that can talk to an agent: a connection, and what came over it.
type client struct {
	*testing.T
	rpc     *jsonrpc.Conn
	agent   *agent.Conn
	coder   *coder.Coder // where it has been configured
	dir     string
	session acp.SessionID

	// What the client can do, and its handlers: what they return is the answer.
	can acp.ClientCapabilities
	// Without permit it has no such method.
	permit func(ctx context.Context, req *acp.RequestPermissionRequest) acp.RequestPermissionOutcome
	handle map[string]func(params []byte) (any, error)

	mu      sync.Mutex // guards what follows
	updates []acp.SessionUpdate
	asked   []acp.RequestPermissionRequest
	calls   []string // methods that the agent called, with params
	said    *sync.Cond
}

// begin starts the agent and a session in a folder with files: a name and a text each.
func begin(t *testing.T, c *client, files ...string) *client {
	t.Helper()
	return beginWith(t, c, coder.Options{}, files...)
}

func beginWith(t *testing.T, c *client, o coder.Options, files ...string) *client {
	t.Helper()
	a, err := coder.New(o)
	if err != nil {
		t.Fatal(err)
	}
	c.connect(t, a)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c.dir = dir
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	return c
}

// connect starts an agent and says hello.
func (c *client) connect(t *testing.T, a *coder.Coder) {
	t.Helper()
	c.T = t
	c.said = sync.NewCond(&c.mu)
	ours, theirs := transport.Pipe()
	conn, err := agent.Connect(theirs, a, a.AgentOptions())
	if err != nil {
		t.Fatal(err)
	}
	c.agent = conn
	c.rpc = jsonrpc.NewConn(ours, c, jsonrpc.Options{KeyMember: acp.SessionKeyMember, Key: acp.SessionKey})
	t.Cleanup(func() {
		_ = c.rpc.Close()
		_ = c.rpc.Wait()
		_ = conn.Close()
		_ = conn.Wait()
	})
	c.must(acp.MethodInitialize, &acp.InitializeRequest{ProtocolVersion: acp.Version1, ClientCapabilities: c.can}, &acp.InitializeResponse{})
}

// Handle keeps updates and answers requests.
func (c *client) Handle(ctx context.Context, req *jsonrpc.Request) (any, error) {
	switch req.Method {
	case acp.MethodSessionUpdate:
		var n acp.SessionNotification
		if err := json.Unmarshal(req.Params, &n); err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.updates = append(c.updates, n.Update)
		c.said.Broadcast()
		return nil, nil
	case acp.MethodSessionRequestPermission:
		var asked acp.RequestPermissionRequest
		if err := json.Unmarshal(req.Params, &asked); err != nil {
			return nil, err
		}
		c.mu.Lock()
		c.asked = append(c.asked, asked)
		c.mu.Unlock()
		if c.permit == nil {
			return nil, jsonrpc.ErrMethodNotFound
		}
		return &acp.RequestPermissionResponse{Outcome: c.permit(ctx, &asked)}, nil
	}
	c.mu.Lock()
	c.calls = append(c.calls, req.Method)
	c.mu.Unlock()
	if f := c.handle[req.Method]; f != nil {
		return f(req.Params)
	}
	return nil, jsonrpc.ErrMethodNotFound
}

func (c *client) must(method string, params, result any) {
	c.Helper()
	if err := c.rpc.Call(c.Context(), method, params, result); err != nil {
		c.Fatalf("%s: %v", method, err)
	}
}

// prompt takes a turn and returns how it ended.
func (c *client) prompt(text string) (*acp.PromptResponse, error) {
	var answer acp.PromptResponse
	req := &acp.PromptRequest{SessionID: c.session, Prompt: []acp.ContentBlock{acp.Text(text)}}
	err := c.rpc.Call(c.Context(), acp.MethodSessionPrompt, req, &answer)
	return &answer, err
}

// turn takes a turn that must end so, and returns what came in it.
func (c *client) turn(text string, want acp.StopReason) []acp.SessionUpdate {
	c.Helper()
	c.forget()
	answer, err := c.prompt(text)
	if err != nil {
		c.Fatalf("%q: %v", text, err)
	}
	if answer.StopReason != want {
		c.Errorf("%q ended with %s, want %s", text, answer.StopReason, want)
	}
	return c.seen()
}

// forget drops the updates that have come.
func (c *client) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.updates, c.asked, c.calls = nil, nil, nil
}

func (c *client) seen() []acp.SessionUpdate {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.updates)
}

// await waits until something has come that fits.
func (c *client) await(fits func(acp.SessionUpdate) bool) {
	c.Helper()
	if !await(c.Context(), c.said, awaitTime, func() bool { return slices.ContainsFunc(c.updates, fits) }) {
		text, err := json.Marshal(c.seen())
		c.Errorf("what was waited for has not come within %s; the updates are %s, %v", awaitTime, text, err)
	}
}

// awaitTime is how long tests wait for what has to come: enough for a machine that has much else to do.
const awaitTime = 30 * time.Second

// await waits until something is there, which news tells of, and reports whether it is: a test that waits for what never comes
// ends all the same. The lock of news is held while there looks.
func await(ctx context.Context, news *sync.Cond, most time.Duration, there func() bool) bool {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	defer context.AfterFunc(ctx, func() {
		news.L.Lock() // whoever has looked at ctx waits by now
		defer news.L.Unlock()
		news.Broadcast()
	})()
	news.L.Lock()
	defer news.L.Unlock()
	for !there() {
		if ctx.Err() != nil {
			return false
		}
		news.Wait()
	}
	return true
}

func (c *client) cancel() {
	if err := c.rpc.Notify(c.Context(), acp.MethodSessionCancel, &acp.CancelNotification{SessionID: c.session}); err != nil {
		c.Error(err)
	}
}

// answers makes a permission handler that always chooses one kind.
func answers(kind acp.PermissionOptionKind) func(context.Context, *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
	return func(_ context.Context, req *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		for _, option := range req.Options {
			if option.Kind == kind {
				return acp.PermissionSelected(option.OptionID)
			}
		}
		return acp.PermissionCancelled()
	}
}

// saidText joins the text of all messages.
func saidText(updates []acp.SessionUpdate) string {
	var b strings.Builder
	for _, u := range updates {
		if chunk, ok := u.(*acp.AgentMessageChunk); ok {
			if text, ok := chunk.Content.(*acp.TextContent); ok {
				b.WriteString(text.Text)
			}
		}
	}
	return b.String()
}

// script renders what happened to tool calls, permissions aside, a line each.
func (c *client) script(updates []acp.SessionUpdate) string {
	var b strings.Builder
	for _, u := range updates {
		switch u := u.(type) {
		case *acp.ToolCall:
			fmt.Fprintf(&b, "%s | %s %s %s%s\n", u.Title, u.Name, u.Kind, u.Status, c.where(u.Locations))
		case *acp.ToolCallUpdate:
			if !u.RawOutput.IsZero() && u.Status.IsZero() {
				continue
			}
			b.WriteString(" ")
			if status, ok := u.Status.Get(); ok {
				fmt.Fprintf(&b, " %s", status)
			}
			if locations, ok := u.Locations.Get(); ok {
				fmt.Fprintf(&b, " at%s", c.where(locations))
			}
			content, _ := u.Content.Get()
			for _, each := range content {
				b.WriteString(c.content(each))
			}
			b.WriteString("\n")
		case *acp.Plan:
			for _, e := range u.Entries {
				fmt.Fprintf(&b, "plan %s %s %s\n", e.Content, e.Priority, e.Status)
			}
		}
	}
	return b.String()
}

func (c *client) where(locations []acp.ToolCallLocation) string {
	var b strings.Builder
	for _, l := range locations {
		fmt.Fprintf(&b, " %s", c.short(l.Path))
		if l.Line != nil {
			fmt.Fprintf(&b, ":%d", *l.Line)
		}
	}
	return b.String()
}

// short shows that a path is absolute and in the session's folder.
func (c *client) short(path string) string {
	if rest, ok := strings.CutPrefix(path, c.dir); ok {
		return "DIR" + filepath.ToSlash(rest)
	}
	return path
}

func (c *client) content(each acp.ToolCallContent) string {
	switch each := each.(type) {
	case *acp.Content:
		first, _, _ := strings.Cut(each.Content.(*acp.TextContent).Text, "\n")
		return fmt.Sprintf(" [%s]", first)
	case *acp.Diff:
		if each.OldText == nil {
			return fmt.Sprintf(" [%s: new %q]", c.short(each.Path), each.NewText)
		}
		return fmt.Sprintf(" [%s: %q to %q]", c.short(each.Path), *each.OldText, each.NewText)
	case *acp.Terminal:
		return fmt.Sprintf(" [terminal %s]", each.TerminalID)
	}
	return " [?]"
}

// realDir is a new folder, by its name after links.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
