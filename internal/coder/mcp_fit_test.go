package coder_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// beginWithServers starts an agent whose model is reached by the wire, and a session with MCP servers.
func (w wire) beginWithServers(t *testing.T, s *modeltest.Server, c *client, servers ...acp.MCPServer) *client {
	t.Helper()
	env := w.env(s)
	env["PATCHBAY_MODEL"] = w.model
	a, err := coder.New(coder.Options{Config: configured(t, env)})
	if err != nil {
		t.Fatal(err)
	}
	a.JoinTime(30 * time.Second)
	t.Cleanup(a.Close)
	c.permit = answers(acp.PermissionOptionKindAllowOnce)
	c.connect(t, a)
	c.dir = t.TempDir()
	c.session = c.openWith(servers...)
	return c
}

// With more tools than the provider takes in a request, it gets as many as it takes, the agent's own first; the user is told
// once which ones are left out. A provider without such a number gets them all.
func TestMoreToolsThanTheModelTakes(t *testing.T) {
	for w, want := range map[int]int{1: 128, 2: 128, 0: 0} {
		t.Run(wires[w].name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "ok"}))
			c := wires[w].beginWithServers(t, s, &client{}, mcpCommand(t, "s", "many", "150", "10"))
			said := saidText(c.turn("go", acp.StopReasonEndTurn))
			heard := s.Last().Tools
			if want == 0 {
				if len(heard) < 150 || strings.Contains(said, "not offered") {
					t.Errorf("offered are %d tools, and it said %q", len(heard), said)
				}
				return
			}
			if len(heard) != want || !slices.Contains(heard, "shell") || !slices.Contains(heard, "mcp__s__tool000") || slices.Contains(heard, "mcp__s__tool149") {
				t.Errorf("offered are %d tools: %q", len(heard), heard)
			}
			if !strings.Contains(said, "tools are not offered to "+wires[w].model) || !strings.Contains(said, " more.") {
				t.Errorf("it said %q", said)
			}
			if said := saidText(c.turn("go on", acp.StopReasonEndTurn)); strings.Contains(said, "not offered") {
				t.Errorf("it said again %q", said)
			}
		})
	}
}

// The tools of servers take no more than half of what the model can hold.
func TestToolsLeaveRoomForTheConversation(t *testing.T) {
	m := &scripted{forever: finished} // that holds 100,000 tokens
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "many", "100", "4000"))
	said := saidText(c.turn("go", acp.StopReasonEndTurn))
	names := offeredNames(m.requests[0])
	if len(names) < 40 || len(names) > 60 || !slices.Contains(names, "mcp__s__echo") {
		t.Errorf("offered are %d tools: %q", len(names), names)
	}
	if !strings.Contains(said, "not offered to scripted") {
		t.Errorf("it said %q", said)
	}
}

// What the tools take counts when the conversation is compacted: here they and a long prompt fill the window together, though
// the provider counts nothing.
func TestToolsCountInTheWindow(t *testing.T) {
	for name, servers := range map[string][]acp.MCPServer{"without": nil, "with tools": {mcpCommand(t, "s", "many", "45", "4000")}} {
		t.Run(name, func(t *testing.T) {
			m := &scripted{forever: finished}
			c, _ := withServers(t, &client{}, m, servers...)
			c.turn(strings.Repeat("word ", 40_000), acp.StopReasonEndTurn) // 50,000 tokens by estimate
			c.turn("and now?", acp.StopReasonEndTurn)
			compacted := slices.ContainsFunc(m.requests, func(r *model.Request) bool { return strings.Contains(texts(r)[0], "<conversation>") })
			if compacted != (servers != nil) {
				t.Errorf("it is compacted: %t", compacted)
			}
		})
	}
}
