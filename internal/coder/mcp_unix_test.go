//go:build unix

package coder_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// S001.3, F92: a session has its own servers, which no other one sees, and which end with it or are replaced when it is opened once more.
func TestServersBelongToTheirSession(t *testing.T) {
	m := &scripted{}
	c, _ := withServers(t, &client{}, m, mcpCommand(t, "s", "full"))
	pid := func(tool string) string {
		n := len(m.requests)
		m.answers = append(m.answers, callOf(tool, `{}`), finished)
		c.turn("go", acp.StopReasonEndTurn)
		return resultOf(t, m.requests[n+1]).Text
	}
	first, mine := c.session, pid("mcp__s__pid")
	if !alive(mine) {
		t.Fatalf("the server is %q", mine)
	}

	c.session = c.openWith()
	if got := pid("mcp__s__pid"); !strings.Contains(got, "there is no tool named") {
		t.Errorf("another session calls it: %q", got)
	}
	if got := offeredNames(m.requests[len(m.requests)-1]); len(got) != 0 {
		t.Errorf("another session is offered %v", got)
	}
	c.session = c.openWith(mcpCommand(t, "s", "full"))
	closed := pid("mcp__s__pid")
	if closed == mine {
		t.Errorf("two sessions share a server")
	}
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, &acp.CloseSessionResponse{})
	if alive(closed) || !alive(mine) {
		t.Errorf("after one is closed its server is there: %v, the other's: %v", alive(closed), alive(mine))
	}

	c.session = first
	load := &acp.LoadSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: []acp.MCPServer{mcpCommand(t, "other", "full")}}
	c.must(acp.MethodSessionLoad, load, &acp.LoadSessionResponse{})
	other := pid("mcp__other__pid")
	eventually(t, "the old server has ended", func() bool { return !alive(mine) })
	if got := pid("mcp__s__pid"); !strings.Contains(got, "there is no tool named") {
		t.Errorf("the old server is called: %q", got)
	}
	_ = c.rpc.Close()
	eventually(t, "the server has ended with the connection", func() bool { return !alive(other) })
}
