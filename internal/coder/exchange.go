package coder

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// maxRequests bounds how often the model is asked in one turn.
const maxRequests = 200

// An exchange is a turn with the model.
type exchange struct {
	coder   *Coder
	turn    *agent.Turn
	session *session

	before   []model.Message // of earlier turns
	messages []model.Message // of this turn
	usage    acp.Usage
}

// exchange takes a turn with the model. What is refused, and what fails, is not remembered, so that the next turn begins
// where this one did.
func (c *Coder) exchange(ctx context.Context, t *agent.Turn, s *session) (acp.StopReason, error) {
	x := &exchange{coder: c, turn: t, session: s, before: s.messages()}
	x.messages = []model.Message{{Role: model.RoleUser, Content: forModel(t.Prompt())}}
	reason, err := x.run(ctx)
	t.SetUsage(x.usage)
	if err != nil {
		return "", failure(err)
	}
	if reason != acp.StopReasonRefusal {
		s.remember(x.messages, c.model.Info().ContextTokens)
	}
	return reason, nil
}

// run asks the model, and makes the calls that it wants, until it wants none.
func (x *exchange) run(ctx context.Context) (acp.StopReason, error) {
	for range maxRequests {
		stop, err := x.ask(ctx)
		switch {
		case ctx.Err() != nil:
			return acp.StopReasonCancelled, nil
		case err != nil:
			return "", err
		case stop != model.StopCalls:
			return stop.ACP(), nil
		}
		err = x.calls(ctx)
		switch {
		case ctx.Err() != nil || errors.Is(err, agent.ErrCancelled):
			return acp.StopReasonCancelled, nil
		case err != nil:
			return "", err
		}
		x.turn.NewMessage()
	}
	return acp.StopReasonMaxTurnRequests, nil
}

// ask has the model go on, and passes on what it says as it comes.
func (x *exchange) ask(ctx context.Context) (model.StopReason, error) {
	request := &model.Request{Messages: append(x.before[:len(x.before):len(x.before)], x.messages...), Tools: x.coder.offered}
	var said strings.Builder
	answer := model.Message{Role: model.RoleAssistant}
	var stop model.StopReason
	for event, err := range x.coder.model.Stream(ctx, request) {
		if err == nil {
			err = x.event(event, &said, &answer, &stop)
		}
		if err != nil {
			return "", err
		}
	}
	if said.Len() > 0 {
		answer.Content = []acp.ContentBlock{acp.Text(said.String())}
	}
	switch {
	case stop == "":
		return "", &model.Error{Provider: x.coder.model.Info().Name, Message: "the answer broke off"}
	case stop == model.StopCalls && len(answer.Calls) == 0:
		return "", &model.Error{Provider: x.coder.model.Info().Name, Message: "the answer has no calls though it says so"}
	case stop != model.StopCalls:
		answer.Calls = nil // an answer that was cut off may have half a call
	}
	x.messages = append(x.messages, answer)
	return stop, nil
}

func (x *exchange) event(event model.Event, said *strings.Builder, answer *model.Message, stop *model.StopReason) error {
	switch e := event.(type) {
	case model.Text:
		said.WriteString(string(e))
		return x.turn.Text(string(e))
	case model.Thought:
		return x.turn.Thought(string(e))
	case *model.Call:
		answer.Calls = append(answer.Calls, e)
	case model.Usage:
		return x.count(e)
	case model.Stop:
		*stop = e.Reason
	}
	return nil
}

// count reports the tokens of a request, once for each (F165), and adds them up for the answer to the prompt.
func (x *exchange) count(u model.Usage) error {
	x.usage.InputTokens += u.InputTokens
	x.usage.OutputTokens += u.OutputTokens
	x.usage.TotalTokens += u.InputTokens + u.OutputTokens
	update := acp.UsageUpdate{Used: u.InputTokens + u.OutputTokens, Size: x.coder.model.Info().ContextTokens}
	if u.Estimate != "" {
		update.Meta = acp.Meta{"patchbay.dev/estimate": quote(u.Estimate)}
		x.usage.Meta = update.Meta
	}
	return x.turn.Usage(update)
}

// calls makes the calls of the last answer, one after the other, and adds the results. When the turn ends in between, the
// rest gets results that say so: a conversation must not have a call without one.
func (x *exchange) calls(ctx context.Context) error {
	calls := x.messages[len(x.messages)-1].Calls
	results := model.Message{Role: model.RoleUser}
	var failed error
	for _, c := range calls {
		result := model.Result{CallID: c.ID, Text: "the user has cancelled the turn", Failed: true}
		if failed == nil {
			var text string
			var bad bool
			if text, bad, failed = x.call(ctx, c); failed == nil {
				result.Text, result.Failed = text, bad
			}
		}
		results.Results = append(results.Results, result)
	}
	x.messages = append(x.messages, results)
	return failed
}

// failure is a turn's error as the client gets it. A client that knows the data can tell a rate limit from a wrong key
// (F168).
func failure(err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}
	sent := acp.ErrInternal("%s", e.Error())
	sent.Data = fmt.Appendf(nil, `{"provider":%s,"status":%d,"retryAfter":%d,"retryable":%t}`,
		quote(e.Provider), e.Status, e.RetryAfter, e.Retryable())
	return sent
}
