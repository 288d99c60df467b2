package coder_test

import (
	"context"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// F51: what a server asks for the sake of a subagent's call is asked in the session that the user has opened, with the
// subagent named, and names no call that this session doesn't have.
func TestF51_AServerAsksForASubagent(t *testing.T) {
	asked := map[string]acp.CreateElicitationRequest{}
	c := &client{can: acp.ClientCapabilities{
		Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}, Subagents: &acp.SubagentCapabilities{},
	}}
	c.handle = map[string]func([]byte) (any, error){acp.MethodElicitationCreate: func(params []byte) (any, error) {
		var question acp.CreateElicitationRequest
		if _, err := acp.Decode(params, &question); err != nil {
			return nil, err
		}
		asked[question.Message] = question
		return &acp.CreateElicitationResponse{Action: &acp.ElicitationAcceptAction{
			Content: map[string]acp.ElicitationContentValue{"name": acp.StringValue("Ada")},
		}}, nil
	}}
	m := parent([]*model.Call{startTask("1", "general", "who")}, func(_ context.Context, r *model.Request) []any {
		if len(lastOf(r).Results) == 0 {
			return callOf("mcp__s__ask", `{}`)
		}
		return says(lastOf(r).Results[0].Text)
	})
	withServers(t, c, m, mcpCommand(t, "s", "full"))
	updates := c.turn("go", acp.StopReasonEndTurn)
	question, ok := asked[`do who (@general subagent): The MCP server "s" asks: Who are you?`]
	if !ok || len(asked) != 1 {
		t.Fatalf("asked was %+v", asked)
	}
	if scope, ok := question.Scope.(*acp.ElicitationSessionScope); !ok || scope.SessionID != c.session || scope.ToolCallID != "" {
		t.Errorf("the scope is %+v", question.Scope)
	}
	var waited int
	for _, u := range updates {
		if u, ok := u.(*acp.SubagentUpdate); ok {
			if _, ok := u.State.Or(nil).(*acp.RequiresActionStateUpdate); ok {
				waited++
			}
		}
	}
	if waited != 2 { // for the permission, and for the answer
		t.Errorf("the subagent waited %d times", waited)
	}
}
