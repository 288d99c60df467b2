package agent_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// F31: two questions at once, answered in the other order: each call gets the answer to its own.
func TestF31_AnswersThatCross(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		var allowed [2]bool
		calls := make([]*agent.ToolCall, len(allowed))
		for i := range calls {
			var err error
			if calls[i], err = turn.ToolCall(acp.ToolCall{ToolCallID: acp.ToolCallID(fmt.Sprint(i)), Title: "Run"}); err != nil {
				return "", err
			}
		}
		var done sync.WaitGroup
		for i, call := range calls {
			done.Go(func() {
				allowed[i], _ = call.Allow(ctx)
				_ = call.Complete()
			})
		}
		done.Wait()
		return "", turn.Text(fmt.Sprint(allowed))
	}), options(), `{}`)
	session := p.newSession()
	for _, swapped := range []bool{false, true} {
		id := p.ask("session/prompt", prompt(session, "hi"))
		p.update("tool_call")
		p.update("tool_call")
		first, second := p.asked("session/request_permission"), p.asked("session/request_permission")
		if swapped {
			first, second = second, first
		}
		for _, question := range []*message{first, second} {
			kind := map[string]string{"0": "reject_once", "1": "allow_once"}[question.Params.ToolCall["toolCallId"].(string)]
			p.reply(question, `{"outcome":{"outcome":"selected","optionId":"`+kind+`"}}`)
			p.update("tool_call_update")
		}
		p.says("[false true]")
		p.stopped(id, "end_turn")
	}
}
