package coder_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

// A result of 50 MiB fails its call, and neither the turn nor what comes after it.
func TestAHugeResultOfAServerFailsItsCall(t *testing.T) {
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return badServer() }, &sdk.StreamableHTTPOptions{Stateless: true}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	for name, server := range map[string]acp.MCPServer{
		"stdio": mcpCommand(t, "s", "bad"), "http": &acp.MCPServerHTTP{Name: "s", URL: web.URL},
	} {
		t.Run(name, func(t *testing.T) {
			m := &scripted{answers: [][]any{callOf("mcp__s__huge", `{}`), callOf("mcp__s__echo", `{"text":"one"}`), finished}}
			c, _ := withServers(t, &client{}, m, server)
			c.turn("go", acp.StopReasonEndTurn)
			if r := resultOf(t, m.requests[1]); !r.Failed || len(r.Text) > 10_000 {
				t.Errorf("the model is told %.300q, %d bytes in all", r.Text, len(r.Text))
			}
			if r := resultOf(t, m.requests[2]); r.Text != "echo: one" {
				t.Errorf("the model is told %+v", r)
			}
			_ = c.rpc.Close()
		})
	}
}

// A flood of reports becomes no flood of updates, and its call ends well.
func TestAFloodOfAServerReachesNobody(t *testing.T) {
	m := &scripted{answers: [][]any{callOf("mcp__s__flood", `{}`), finished}}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "bad"))
	updates := c.turn("go", acp.StopReasonEndTurn)
	if r := resultOf(t, m.requests[1]); r.Text != "flooded" {
		t.Errorf("the model is told %+v", r)
	}
	if len(updates) > 500 {
		t.Errorf("there are %d updates", len(updates))
	}
}

// A tool that a server takes away is not offered any more, and a call of it fails with the reason.
func TestAToolThatHasGoneIsNotOffered(t *testing.T) {
	m := &scripted{answers: [][]any{callOf("mcp__s__shrink", `{}`), finished}, forever: finished}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "bad"))
	c.turn("go", acp.StopReasonEndTurn)
	if !slices.Contains(offeredNames(m.requests[0]), "mcp__s__echo") {
		t.Errorf("offered are %q", offeredNames(m.requests[0]))
	}
	eventually(t, "the tool has gone", func() bool {
		c.turn("and now?", acp.StopReasonEndTurn)
		return !slices.Contains(offeredNames(m.requests[len(m.requests)-1]), "mcp__s__echo")
	})
	n := len(m.requests)
	m.answers = append(m.answers, make([][]any, n-len(m.answers))...)
	m.answers = append(m.answers, callOf("mcp__s__echo", `{"text":"one"}`), finished)
	c.turn("call it", acp.StopReasonEndTurn)
	if r := resultOf(t, m.requests[n+1]); !r.Failed || !strings.Contains(r.Text, "there is no tool named") {
		t.Errorf("the model is told %+v", r)
	}
}
