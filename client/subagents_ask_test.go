package client_test

import (
	"context"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// S004.11: what a subagent asks reaches the user, who can be shown whose question it is: the request names the child session, and
// the tree has it, whether the agent speaks of it in a tool call or in an update.
func TestS004_11_AChildsQuestionHasAPlaceInTheTree(t *testing.T) {
	for name, told := range map[string]string{
		"a tool call": taskCall + `,"description":"Look"},"_meta":{"sessionId":"child"}}`,
		"an update":   `{"sessionUpdate":"subagent_update","sessionId":"child","title":"Look (@general subagent)","state":{"state":"requires_action"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var asked *client.SubagentNode
			u := &user{permit: func(_ context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
				for s.Parent() != nil {
					s = s.Parent()
				}
				asked = s.State().SubagentTree().Session(req.SessionID)
				return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
			}}
			c, a := connect(t, u, client.Options{Shows: client.Shows{Subagents: true}}, noCapabilities)
			s := open(t, c, a)
			turn, p := prompt(t, s, a)
			a.send(update("s", told), `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"child",`+
				`"toolCall":{"toolCallId":"x"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}`)
			a.next()
			a.send(outcome(p, `{"stopReason":"end_turn"}`))
			ends(t, turn, acp.StopReasonEndTurn)
			if asked == nil || asked.Name() != "Look (@general subagent)" {
				t.Errorf("the question is of %+v", asked)
			}
		})
	}
}
