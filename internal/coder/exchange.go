package coder

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// maxRequests bounds how often the model is asked in one turn.
const maxRequests = 200

// An exchange is a turn with the model.
type exchange struct {
	coder        *Coder
	turn         *agent.Turn
	session      *session
	instructions []instruction // of the project
	mode         *mode         // in which the model was asked last
	types        []*subagentType
	subagents    expense

	before    []model.Message // of earlier turns
	messages  []model.Message // of this turn
	compacted bool            // before has become a summary

	saved   int    // how many of messages are stored
	partial string // what the model has said of an answer that it didn't finish

	usage   acp.Usage
	counted count  // of before and messages
	sent    uint64 // what went with them in the last request, as count.fixed
}

func newExchange(c *Coder, t *agent.Turn, s *session) *exchange {
	return &exchange{coder: c, turn: t, session: s, mode: s.mode()}
}

// exchange takes a turn with the model, which is told words. What is refused is not remembered, and what fails before
// anything was said or done isn't either, so that the next turn begins where this one did.
func (c *Coder) exchange(ctx context.Context, t *agent.Turn, s *session, words []acp.ContentBlock) (acp.StopReason, error) {
	if err := s.chosen().engine.takesAll(words); err != nil {
		return "", err
	}
	x := newExchange(c, t, s)
	x.before, x.counted = s.state()
	x.messages = []model.Message{{Role: model.RoleUser, Content: words}}
	if err := x.instruct(); err != nil {
		return "", err
	}
	if err := x.save(); err != nil {
		return "", err
	}
	reason, err := x.run(ctx)
	t.SetUsage(x.subagents.with(x.usage))
	switch {
	case err != nil && (len(x.messages) > 1 || x.compacted || x.partial != ""): // the user may speak of it, and the model has to know
		x.interrupted(err.Error())
		err = errors.Join(err, x.remember())
	case err == nil && reason != acp.StopReasonRefusal:
		if reason == acp.StopReasonCancelled && x.partial != "" {
			x.interrupted("the user has cancelled the turn")
		}
		err = x.remember()
	case err != nil:
		before, counted := s.state()
		err = errors.Join(err, s.keepConversation(before, counted, true))
	}
	if err != nil {
		return "", failure(err)
	}
	return reason, nil
}

// maxWhy is how much the model is told of why its answer broke off, in bytes.
const maxWhy = 500

// interrupted adds the answer that was not finished: what the user has seen of it, and a mark. Calls that it may have had
// were never made, and reasoning without its signature is nothing that a provider would take.
func (x *exchange) interrupted(why string) {
	text := "[interrupted: " + shortened(why, maxWhy) + "]"
	if x.partial != "" {
		text = x.partial + "\n\n" + text
	}
	x.messages = append(x.messages, model.Message{Role: model.RoleAssistant, Content: []acp.ContentBlock{acp.Text(text)}})
}

// remember makes the turn part of the session's conversation.
func (x *exchange) remember() error {
	if x.compacted {
		x.session.replace(x.before)
	}
	if calls := x.messages[len(x.messages)-1].Calls; len(calls) > 0 { // the cancel came before they were made
		x.messages = append(x.messages, model.Message{Role: model.RoleUser, Results: noResults(calls)})
	}
	x.session.remember(x.messages, x.counted, x.room())
	return x.save()
}

// window is how many tokens the model can hold; 0 if nobody knows.
func (x *exchange) window() uint64 { return x.session.chosen().engine.Info().ContextTokens }

// instruct reads the project's instructions, anew for each turn. One that can't be read is worth a word and no more.
func (x *exchange) instruct() error {
	if x.session.chosen().engine.scripted() || !x.session.config.Instructions.Value {
		return nil
	}
	for _, root := range x.turn.Session().Roots() {
		found, err := instructionsAbove(root, x.session.hides)
		x.instructions = append(x.instructions, found...)
		if err != nil {
			notice := acp.Notice{Severity: acp.NoticeSeverityWarning, Title: "Instructions can't be read", Description: err.Error()}
			if err := x.turn.Notice(notice); err != nil {
				return err
			}
		}
	}
	for _, i := range x.instructions {
		x.session.told(i.path)
	}
	return nil
}

// run asks the model, and makes the calls that it wants, until it wants none.
func (x *exchange) run(ctx context.Context) (acp.StopReason, error) {
	for range maxRequests {
		stop, err := x.askInTime(ctx)
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

// askInTime asks the model with a conversation that it can hold. The provider has the last word about that.
func (x *exchange) askInTime(ctx context.Context) (model.StopReason, error) {
	if x.crowded() {
		if err := x.compact(ctx); err != nil && ctx.Err() != nil {
			return "", err
		} // a failure is shown, and there is room for a while yet
	}
	stop, err := x.ask(ctx)
	if tooLong := (*model.Error)(nil); errors.As(err, &tooLong) && tooLong.TooLong && x.canCompact() {
		if err := x.compact(ctx); err != nil {
			return "", err
		}
		return x.ask(ctx)
	}
	return stop, err
}

// conversation is all that the model is to be told. What an earlier model was shown, and this one can't take, is only
// mentioned: it must not keep the session from going on.
func (x *exchange) conversation() []model.Message {
	all := make([]model.Message, 0, len(x.before)+len(x.messages))
	e := x.session.chosen().engine
	for _, m := range x.before {
		all = append(all, e.taken(m))
	}
	return append(all, x.messages...)
}

// An answer is what a model says to one request.
type answer struct {
	message model.Message
	said    strings.Builder
	stop    model.StopReason
}

// ask has the model go on, and passes on what it says as it comes.
func (x *exchange) ask(ctx context.Context) (model.StopReason, error) {
	now := x.session.chosen()
	x.mode = x.session.mode()
	tools, left := x.fitting()
	if err := x.tellLeft(left); err != nil {
		return "", err
	}
	request := &model.Request{
		System: x.system(), Messages: x.conversation(), Tools: tools,
		Thinking: now.thinking, MaxTokens: now.maxTokens,
	}
	x.sent = x.bounded(fixedTokens(request.System, tools))
	a := &answer{message: model.Message{Role: model.RoleAssistant}}
	finished := false
	defer func() {
		if x.partial = ""; !finished {
			x.partial = strings.TrimSpace(a.said.String())
		}
	}()
	for event, err := range now.engine.Stream(ctx, request) {
		if err == nil {
			err = x.event(event, now.engine, a)
		}
		if err != nil {
			return "", err
		}
	}
	if a.said.Len() > 0 {
		a.message.Content = []acp.ContentBlock{acp.Text(a.said.String())}
	}
	info := now.engine.Info()
	switch {
	case a.stop == "":
		return "", &model.Error{Provider: info.Provider, Message: "the answer broke off"}
	case a.stop == model.StopEnd && a.said.Len() == 0 && len(a.message.Calls) == 0 && x.expectsWords():
		return "", &model.Error{Provider: info.Provider, Message: "the answer is empty"}
	case a.stop == model.StopCalls && len(a.message.Calls) == 0:
		return "", &model.Error{Provider: info.Provider, Message: "the answer has no calls though it says so"}
	case a.stop != model.StopCalls:
		a.message.Calls, a.message.Memo = nil, memoWithoutCalls(&a.message) // an answer that was cut off may have half a call
	}
	finished = true
	x.messages = append(x.messages, a.message)
	x.counted.messages = len(x.before) + len(x.messages)
	return a.stop, x.save()
}

// expectsWords reports whether an answer without a word makes no sense (T6). After the results of calls it may: some models
// have nothing to add then.
func (x *exchange) expectsWords() bool {
	return len(x.messages[len(x.messages)-1].Results) == 0
}

// memoWithoutCalls returns a memo that does not speak of calls that are not made.
func memoWithoutCalls(m *model.Message) *model.Memo {
	if len(m.Calls) > 0 {
		return nil
	}
	return m.Memo
}

func (x *exchange) event(event model.Event, e engine, a *answer) error {
	switch event := event.(type) {
	case model.Text:
		a.said.WriteString(string(event))
		return x.turn.Text(string(event))
	case model.Thought:
		return x.turn.Thought(string(event))
	case *model.Call:
		a.message.Calls = append(a.message.Calls, event)
	case *model.Memo:
		a.message.Memo = event
	case model.Usage:
		return x.count(event, e)
	case model.Waiting:
		return x.turn.Notice(acp.Notice{
			Severity:    acp.NoticeSeverityWarning,
			Title:       fmt.Sprintf("Asking the model again in %s", roundly(event.For)),
			Description: event.Err.Error(),
		})
	case model.Stop:
		a.stop = event.Reason
		if event.Why != "" {
			return x.turn.Notice(acp.Notice{Severity: acp.NoticeSeverityWarning, Title: "The model has stopped: " + event.Why})
		}
	}
	return nil
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
		quote(e.Provider), e.Status, int(math.Ceil(e.RetryAfter.Seconds())), e.Retryable())
	return sent
}
