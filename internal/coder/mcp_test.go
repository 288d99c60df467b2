package coder_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// withServers starts an agent with a scripted model and a session with MCP servers.
func withServers(t *testing.T, c *client, m model.Model, servers ...acp.MCPServer) (*client, *coder.Coder) {
	t.Helper()
	a := coder.With(m)
	a.JoinTime(30 * time.Second) // those that are slow on purpose say otherwise
	t.Cleanup(a.Close)           // after the connection's end
	if c.permit == nil {
		c.permit = answers(acp.PermissionOptionKindAllowOnce)
	}
	c.connect(t, a)
	c.dir = t.TempDir()
	c.session = c.openWith(servers...)
	return c, a
}

// openWith opens a further session with MCP servers.
func (c *client) openWith(servers ...acp.MCPServer) acp.SessionID {
	c.Helper()
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: append([]acp.MCPServer{}, servers...)}, &opened)
	return opened.SessionID
}

// callOf is an answer that calls one tool.
func callOf(name, input string) []any {
	return []any{&model.Call{ID: "1", Name: name, Input: acp.Raw(input)}, stop(model.StopCalls)}
}

var finished = []any{model.Text("ok"), stop(model.StopEnd)}

// offeredNames are the tools of MCP servers that a request offers.
func offeredNames(r *model.Request) []string {
	var names []string
	for _, t := range r.Tools {
		if strings.HasPrefix(t.Name, "mcp__") {
			names = append(names, t.Name)
		}
	}
	return names
}

// resultOf is the only result that a request tells the model.
func resultOf(t *testing.T, r *model.Request) model.Result {
	t.Helper()
	last := r.Messages[len(r.Messages)-1]
	if len(last.Results) != 1 {
		t.Fatalf("the model is told %+v", last)
	}
	return last.Results[0]
}

// awaitText waits until the agent has said something.
func (c *client) awaitText(text string) {
	c.await(func(acp.SessionUpdate) bool { return strings.Contains(saidText(c.updates), text) })
}

// S001.21: a tool of a server is called like any other: shown, asked for whatever the server says about it, and "always"
// means that tool.
func TestS001_21_ToolsOfServersAreAskedFor(t *testing.T) {
	m := &scripted{answers: [][]any{
		callOf("mcp__my_files__echo", `{"text":"one"}`), callOf("mcp__my_files__echo", `{"text":"two"}`),
		callOf("mcp__my_files__fail", `{}`), finished,
	}}
	c, _ := withServers(t, &client{permit: answers(acp.PermissionOptionKindAllowAlways)}, m, mcpCommand(t, "my files", "full"))
	c.wantScript(c.turn("go", acp.StopReasonEndTurn), `
my files: The echo | mcp__my_files__echo other pending
  in_progress
  completed [echo: one]
my files: The echo | mcp__my_files__echo other pending
  in_progress
  completed [echo: two]
my files: The fail | mcp__my_files__fail other pending
  in_progress
  failed [it went wrong]
`)
	if len(c.asked) != 2 || c.asked[0].Options[1].Name != "Always allow mcp__my_files__echo in this session" {
		t.Errorf("asked was %+v", c.asked)
	}
	if r := resultOf(t, m.requests[1]); r.Text != "echo: one" || r.Failed {
		t.Errorf("the model is told %+v", r)
	}
	if r := resultOf(t, m.requests[3]); r.Text != "it went wrong" || !r.Failed {
		t.Errorf("the model is told %+v", r)
	}
	if got := offeredNames(m.requests[0]); !slices.Contains(got, "mcp__my_files__echo") || len(m.requests[0].Tools) <= len(got) {
		t.Errorf("offered are %v", got)
	}
}

// F59: an "always" does not cover servers that the client sends later by the same name. /help says how they are.
func TestF59_AlwaysDoesNotCoverOtherServers(t *testing.T) {
	m := &scripted{answers: [][]any{callOf("mcp__s__echo", `{}`), finished, callOf("mcp__s__echo", `{}`), finished}}
	c, _ := withServers(t, &client{permit: answers(acp.PermissionOptionKindAllowAlways)}, m, mcpCommand(t, "s", "full"))
	c.turn("go", acp.StopReasonEndTurn)
	help := saidText(c.turn("/help", acp.StopReasonEndTurn))
	if !strings.Contains(help, "* s: ready, tools: 8, prompts: 1\n") || !strings.Contains(help, "allowed `mcp__s__echo`") {
		t.Errorf("it said %q", help)
	}
	load := &acp.LoadSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: []acp.MCPServer{mcpCommand(t, "s", "full")}}
	c.must(acp.MethodSessionLoad, load, &acp.LoadSessionResponse{})
	c.turn("go", acp.StopReasonEndTurn)
	if len(c.asked) != 1 {
		t.Errorf("asked was %d times", len(c.asked))
	}
}

// S002.14: a session with a server of a kind that is not supported is refused, and the error names it.
func TestServersOfOtherKindsAreRefused(t *testing.T) {
	c := begin(t, &client{})
	servers := []acp.MCPServer{&acp.MCPServerACP{Name: "inside", ServerID: "1"}}
	err := c.rpc.Call(t.Context(), acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: servers}, nil)
	if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) || !strings.Contains(err.Error(), "acp") {
		t.Errorf("got %v", err)
	}
}

// Without the user's permission the server isn't called.
func TestARejectedToolOfAServerIsNotCalled(t *testing.T) {
	m := &scripted{answers: [][]any{callOf("mcp__s__echo", `{"text":"one"}`), finished}}
	c, _ := withServers(t, &client{permit: answers(acp.PermissionOptionKindRejectOnce)}, m, mcpCommand(t, "s", "full"))
	c.turn("go", acp.StopReasonEndTurn)
	if r := resultOf(t, m.requests[1]); !r.Failed || strings.Contains(r.Text, "echo") || !strings.Contains(r.Text, "rejected") {
		t.Errorf("the model is told %+v", r)
	}
}

// Servers behind HTTP and SSE work as well, and their images reach people, and models that take them.
func TestImagesOfServersReachTheModel(t *testing.T) {
	for _, kind := range []string{"http", "sse"} {
		var handler http.Handler = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcpServer() }, nil)
		if kind == "sse" {
			handler = sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return mcpServer() }, nil)
		}
		web := httptest.NewServer(handler)
		t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
		var server acp.MCPServer = &acp.MCPServerHTTP{Name: "web", URL: web.URL}
		if kind == "sse" {
			server = &acp.MCPServerSSE{Name: "web", URL: web.URL}
		}
		m := &scripted{answers: [][]any{callOf("mcp__web__picture", `{}`), finished}, prompt: acp.PromptCapabilities{Image: true}}
		c, _ := withServers(t, &client{}, m, server)
		seen := c.turn("go", acp.StopReasonEndTurn)
		if r := resultOf(t, m.requests[1]); !strings.HasPrefix(r.Text, "a dot") || len(r.Images) != 1 || r.Images[0].Data != dot {
			t.Errorf("%s: the model is told %+v", kind, r)
		}
		if !slices.ContainsFunc(seen, func(u acp.SessionUpdate) bool {
			call, ok := u.(*acp.ToolCallUpdate)
			if !ok {
				return false
			}
			content, _ := call.Content.Get()
			return slices.ContainsFunc(content, func(each acp.ToolCallContent) bool {
				block, _ := each.(*acp.Content)
				image, ok := block.Content.(*acp.ImageContent)
				return ok && image.MIMEType == "image/png"
			})
		}) {
			t.Errorf("%s: no image is shown", kind)
		}
		_ = c.rpc.Close()
	}
}

// F110, F113, S002.14: a server that fails is named with the reason, and the session goes on with the others.
func TestF113_AFailingServerIsNamedAndTheSessionGoesOn(t *testing.T) {
	m := &scripted{answers: [][]any{callOf("mcp__good__echo", `{"text":"hi"}`), finished}}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "bad", "broken"), mcpCommand(t, "good", "full"),
		&acp.MCPServerStdio{Name: "gone", Command: filepath.Join(t.TempDir(), "no-such-program")})
	c.turn("go", acp.StopReasonEndTurn)
	c.awaitText(`The MCP server "bad" can't be used`)
	c.awaitText("there is no database")
	c.awaitText(`The MCP server "gone" can't be used`)
	if r := resultOf(t, m.requests[1]); r.Text != "echo: hi" {
		t.Errorf("the model is told %+v", r)
	}
}

// F115: a server that dies fails the call, is started once more, and the turn goes on.
func TestF115_AServerThatDiesFailsItsCallAndNotTheTurn(t *testing.T) {
	m := &scripted{answers: [][]any{callOf("mcp__s__die", `{}`), callOf("mcp__s__echo", `{"text":"again"}`), finished}}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "full"))
	c.turn("go", acp.StopReasonEndTurn)
	if r := resultOf(t, m.requests[1]); !r.Failed || !strings.Contains(r.Text, "died") {
		t.Errorf("the model is told %+v", r)
	}
	if r := resultOf(t, m.requests[2]); r.Text != "echo: again" {
		t.Errorf("the model is told %+v", r)
	}
	c.awaitText(`The MCP server "s" is started once more`)
}

// A slow server holds nothing up: its tools are offered once it is there.
func TestASlowServerJoinsLater(t *testing.T) {
	file := filepath.Join(t.TempDir(), "now")
	m := &scripted{forever: finished}
	c := &client{}
	a := coder.With(m)
	a.JoinTime(time.Millisecond)
	t.Cleanup(a.Close)
	c.connect(t, a)
	c.dir = t.TempDir()
	c.session = c.openWith(mcpCommand(t, "slow", "late", file))
	c.turn("go", acp.StopReasonEndTurn)
	if got := offeredNames(m.requests[0]); len(got) != 0 {
		t.Errorf("offered are %v", got)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c.await(hasCommand("mcp__slow__review"))
	c.turn("go", acp.StopReasonEndTurn)
	if got := offeredNames(m.requests[1]); !slices.Contains(got, "mcp__slow__echo") {
		t.Errorf("offered are %v", got)
	}
}

// hasCommand reports whether an update tells of a command.
func hasCommand(name string) func(acp.SessionUpdate) bool {
	return func(u acp.SessionUpdate) bool {
		update, ok := u.(*acp.AvailableCommandsUpdate)
		return ok && slices.ContainsFunc(update.AvailableCommands, func(a acp.AvailableCommand) bool { return a.Name == name })
	}
}

// A server's prompt is a slash command, whose words are the user's. What is missing is said, and new ones are told.
func TestPromptsOfServersAreCommands(t *testing.T) {
	m := &scripted{answers: [][]any{finished, callOf("mcp__s__grow", `{}`), finished}}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "full"))
	c.await(hasCommand("mcp__s__review"))
	if said := saidText(c.turn("/mcp__s__review", acp.StopReasonEndTurn)); !strings.Contains(said, "needs file") {
		t.Errorf("it said %q", said)
	}
	c.turn("/mcp__s__review main.go", acp.StopReasonEndTurn)
	if got := texts(m.requests[0]); len(got) != 1 || got[0] != "user Review main.go (In your own words:) I will." {
		t.Errorf("the model is told %q", got)
	}
	c.turn("go", acp.StopReasonEndTurn)
	c.await(hasCommand("mcp__s__grown"))
}

// A server's question reaches the user, with its name and the call that it is asked for.
func TestQuestionsOfServersReachTheUser(t *testing.T) {
	var asked acp.CreateElicitationRequest
	c := &client{can: acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}}}
	c.handle = map[string]func([]byte) (any, error){acp.MethodElicitationCreate: func(params []byte) (any, error) {
		if _, err := acp.Decode(params, &asked); err != nil {
			return nil, err
		}
		return &acp.CreateElicitationResponse{Action: &acp.ElicitationAcceptAction{
			Content: map[string]acp.ElicitationContentValue{"name": acp.StringValue("Ada")},
		}}, nil
	}}
	m := &scripted{answers: [][]any{callOf("mcp__s__ask", `{}`), finished}}
	withServers(t, c, m, mcpCommand(t, "s", "full"))
	c.turn("go", acp.StopReasonEndTurn)
	if r := resultOf(t, m.requests[1]); r.Text != "accept Ada" {
		t.Errorf("the model is told %+v", r)
	}
	if asked.Message != `The MCP server "s" asks: Who are you?` {
		t.Errorf("asked was %q", asked.Message)
	}
	if scope, ok := asked.Scope.(*acp.ElicitationSessionScope); !ok || scope.SessionID != c.session || scope.ToolCallID == "" {
		t.Errorf("the scope is %+v", asked.Scope)
	}
}

// F145: a user who can't be asked has declined.
func TestF145_AServerThatAsksNobodyIsDeclined(t *testing.T) {
	m := &scripted{answers: [][]any{callOf("mcp__s__ask", `{}`), finished}}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "full"))
	c.turn("go", acp.StopReasonEndTurn)
	if r := resultOf(t, m.requests[1]); !strings.HasPrefix(r.Text, "decline") {
		t.Errorf("the model is told %+v", r)
	}
}

// Progress is shown, and a cancel reaches the server (T4).
func TestT4_ACallOfAServerIsCancelled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "said")
	m := &scripted{answers: [][]any{callOf("mcp__s__wait", `{"text":`+strconv.Quote(file)+`}`)}}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "full"))
	done := make(chan []acp.SessionUpdate)
	go func() { done <- c.turn("go", acp.StopReasonCancelled) }()
	c.await(func(u acp.SessionUpdate) bool {
		call, ok := u.(*acp.ToolCallUpdate)
		if !ok {
			return false
		}
		content, _ := call.Content.Get()
		return len(content) == 1 && c.content(content[0]) == " [half asleep (1 of 3)]"
	})
	c.cancel()
	<-done
	eventually(t, "the server knows", func() bool { _, err := os.Stat(file); return err == nil })
}

// eventually polls a condition until it holds, and fails the test if it never does.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.Now().Add(30 * time.Second)
	for tick := time.Tick(2 * time.Millisecond); !holds(); <-tick {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}
