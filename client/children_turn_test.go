package client_test

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// W5, F169: what a subagent sent before its parent's turn ended has been handled when the turn ends, and a turn whose subagent did
// something is no empty one.
func TestW5_ATurnEndsAfterTheUpdatesOfItsSubagents(t *testing.T) {
	const sent = 100
	var handled atomic.Int32
	u := &user{hear: func(_ context.Context, s *client.Session, _ acp.SessionUpdate) {
		if s.Parent() != nil {
			handled.Add(1)
		}
	}}
	c, a := connect(t, u, client.Options{Shows: client.Shows{Subagents: true}}, noCapabilities)
	turn, p := prompt(t, open(t, c, a), a)
	a.send(update("s", `{"sessionUpdate":"subagent_update","sessionId":"child","state":{"state":"running"}}`))
	for i := range sent {
		a.send(update("child", `{"sessionUpdate":"tool_call","toolCallId":"`+strconv.Itoa(i)+`","title":"x"}`))
	}
	a.send(outcome(p, `{"stopReason":"end_turn"}`))
	if r := ends(t, turn, acp.StopReasonEndTurn); handled.Load() != sent || r.Empty {
		t.Errorf("%d of %d updates were handled when the turn had ended; empty: %v", handled.Load(), sent, r.Empty)
	}
}
