package interop_test

import (
	"context"
	"errors"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

// exampleAgent is the agent that SDK 0.28.1 has among its examples; later versions don't ship it. It sends no name of
// itself, no message ids, and the same five seconds of updates for every prompt. It looks at its cancel only once a
// second: the answer to session/cancel takes up to that long.
func exampleAgent(t *testing.T) transport.Command {
	t.Helper()
	return node(t, "node_modules/acp-sdk-0.28/dist/examples/agent.js")
}

var exampleOpening = []string{
	"agent_message_chunk I'll help you with that. Let me start by reading some files to understand the current situation.",
	"tool_call pending Reading project files",
	"tool_call_update completed # My Project This is a sample project...",
	"agent_message_chunk  Now I understand the project structure. I need to make some changes to improve it.",
	"tool_call pending Modifying critical configuration file",
}

// The example's permission request has other locations for the tool call than its announcement had, and after a
// rejection the call is left pending for ever: it never gets a final status.
func TestExampleAgentRunsATurn(t *testing.T) {
	if testing.Short() {
		t.Skip("the example takes five seconds for a turn")
	}
	for answer, want := range map[acp.PermissionOptionKind][]string{
		acp.PermissionOptionKindAllowOnce: {
			"tool_call_update completed",
			"agent_message_chunk  Perfect! I've successfully updated the configuration. The changes have been applied.",
		},
		acp.PermissionOptionKindRejectOnce: {
			"agent_message_chunk  I understand you prefer not to make that change. I'll skip the configuration update.",
		},
	} {
		t.Run(string(answer), func(t *testing.T) {
			u := &user{answer: answer}
			c := spawn(t, exampleAgent(t), u)
			same(t, "a name", c.AgentInfo(), (*acp.Implementation)(nil))
			e := say(t, newSession(t, c), "hello", nil).must(t)
			same(t, "updates", e.lines(t), append(exampleOpening[:5:5], want...))
			same(t, "asked", u.notes(), []string{"permission Modifying critical configuration file"})
			same(t, "stop reason", e.result.StopReason, acp.StopReasonEndTurn)
		})
	}
}

func TestExampleAgentIsCancelled(t *testing.T) {
	s := newSession(t, spawn(t, exampleAgent(t), new(user)))
	e := say(t, s, "hello", func(turn *client.Turn, u acp.SessionUpdate) {
		if _, ok := u.(*acp.ToolCall); ok {
			if err := turn.Cancel(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}).must(t)
	same(t, "stop reason", e.result.StopReason, acp.StopReasonCancelled)
	same(t, "updates", e.lines(t), exampleOpening[:2])
}

// W11: the example advertises nothing, so nothing but the basic methods is sent to it.
func TestW11_ExampleAgentIsNotAskedForMore(t *testing.T) {
	c := spawn(t, exampleAgent(t), new(user))
	_, err := c.LoadSession(deadline(t), acp.LoadSessionRequest{SessionID: "s", CWD: folder(t)})
	if !errors.Is(err, acp.ErrUnsupported) {
		t.Errorf("session/load without loadSession: %v, want acp.ErrUnsupported (W11)", err)
	}
}
