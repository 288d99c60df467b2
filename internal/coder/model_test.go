package coder_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A scripted model answers each request with the next list of events, or errors.
type scripted struct {
	prompt  acp.PromptCapabilities
	answers [][]any
	forever []any // the answer when there are no more

	mu       sync.Mutex
	requests []*model.Request
}

func (s *scripted) Info() model.Info {
	return model.Info{Name: "scripted", Provider: "scripted", Title: "Scripted", ContextTokens: 100_000, Prompt: s.prompt}
}

func (s *scripted) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	answer := s.forever
	if n < len(s.answers) {
		answer = s.answers[n]
	}
	return func(yield func(model.Event, error) bool) {
		for _, each := range answer {
			err, failed := each.(error)
			if failed {
				yield(nil, err)
				return
			}
			if !yield(each.(model.Event), nil) {
				return
			}
		}
	}
}

// with starts an agent with a scripted model.
func with(t *testing.T, m *scripted) *client {
	t.Helper()
	c := &client{permit: answers(acp.PermissionOptionKindAllowOnce)}
	c.connect(t, coder.With(m))
	c.dir = t.TempDir()
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	return c
}

// texts lists what a request says, a message each.
func texts(r *model.Request) []string {
	var list []string
	for _, m := range r.Messages {
		line := string(m.Role)
		for _, block := range m.Content {
			line += " " + block.(*acp.TextContent).Text
		}
		for _, call := range m.Calls {
			line += " call " + call.Name
		}
		for _, result := range m.Results {
			line += fmt.Sprintf(" result %s %t", strings.TrimSpace(result.Text), result.Failed)
		}
		list = append(list, line)
	}
	return list
}

func stop(reason model.StopReason) model.Event { return model.Stop{Reason: reason} }

// T6, F168: a provider that fails is an error with data that a client can act on, never an empty end. What failed before a
// word was said is not remembered, so that the same prompt can be tried again.
func TestT6_ProviderFailure(t *testing.T) {
	overloaded := &model.Error{Provider: "acme", Status: 529, RetryAfter: 3 * time.Second, Message: "overloaded"}
	m := &scripted{answers: [][]any{
		{model.Text("I will"), overloaded},
		{errors.New("no such host")},
		{model.Text("half an answer")},
		{stop(model.StopCalls)},
		{model.Text("hello"), stop(model.StopEnd)},
	}}
	c := with(t, m)
	for _, want := range []struct{ message, data string }{
		{"the model's provider acme failed with status 529: overloaded", `{"provider":"acme","status":529,"retryAfter":3,"retryable":true}`},
		{"no such host", ""},
		{"the model's provider scripted failed: the answer broke off", `{"provider":"scripted","status":0,"retryAfter":0,"retryable":true}`},
		{"the model's provider scripted failed: the answer has no calls though it says so", `{"provider":"scripted","status":0,"retryAfter":0,"retryable":true}`},
	} {
		_, err := c.prompt("hi")
		var sent *acp.Error
		if !errors.As(err, &sent) || sent.Code != acp.CodeInternalError || sent.Message != want.message || string(sent.Data) != want.data {
			t.Errorf("got %#v, want %v", sent, want)
		}
	}
	c.turn("hi again", acp.StopReasonEndTurn)
	want := []string{
		"user hi", "assistant I will\n\n[interrupted: the model's provider acme failed with status 529: overloaded]",
		"user hi", "assistant half an answer\n\n[interrupted: the model's provider scripted failed: the answer broke off]",
		"user hi again",
	}
	if diff := cmp.Diff(want, texts(m.requests[4])); diff != "" {
		t.Errorf("the model is asked (-want +got):\n%s", diff)
	}
}

// S002.8: a turn ends for the reason for which the model stopped. What was refused leaves the conversation.
func TestStopReasonsAreTheModels(t *testing.T) {
	m := &scripted{answers: [][]any{
		{model.Text("a"), stop(model.StopEnd)},
		{stop(model.StopRefusal)},
		{model.Text("c"), &model.Call{ID: "1", Name: "list", Input: acp.Raw(`{}`)}, stop(model.StopMaxTokens)},
		{model.Text("ok"), stop(model.StopEnd)},
	}}
	c := with(t, m)
	c.turn("one", acp.StopReasonEndTurn)
	c.turn("two", acp.StopReasonRefusal)
	if got := c.script(c.turn("three", acp.StopReasonMaxTokens)); got != "" {
		t.Errorf("a call that may be cut off was made:\n%s", got)
	}
	c.turn("four", acp.StopReasonEndTurn)
	want := []string{"user one", "assistant a", "user three", "assistant c", "user four"}
	if diff := cmp.Diff(want, texts(m.requests[3])); diff != "" {
		t.Errorf("the model is asked (-want +got):\n%s", diff)
	}
}

// S002.8: a model that never stops calling is stopped.
func TestMaxTurnRequests(t *testing.T) {
	m := &scripted{forever: []any{&model.Call{ID: "1", Name: "list", Input: acp.Raw(`{}`)}, stop(model.StopCalls)}}
	c := with(t, m)
	c.turn("go", acp.StopReasonMaxTurnRequests)
	if len(m.requests) != 200 {
		t.Errorf("%d requests", len(m.requests))
	}
}

// A model may call several tools at once, or tools that don't exist, or with input that makes no sense. Each call gets a
// result, in order.
func TestCallsGetResults(t *testing.T) {
	m := &scripted{answers: [][]any{
		{
			&model.Call{ID: "1", Name: "fly", Input: acp.Raw(`{}`)},
			&model.Call{ID: "2", Name: "read", Input: acp.Raw(`{"path":7}`)},
			&model.Call{ID: "3", Name: "list", Input: acp.Raw(`{}`)},
			stop(model.StopCalls),
		},
		{model.Text("ok"), stop(model.StopEnd)},
	}}
	c := with(t, m)
	if got := c.script(c.turn("go", acp.StopReasonEndTurn)); strings.Count(got, " failed ") != 2 || strings.Count(got, " completed ") != 1 {
		t.Errorf("got\n%s", got)
	}
	got := texts(m.requests[1])
	if len(got) != 3 || got[1] != "assistant call fly call read call list" ||
		!strings.Contains(got[2], `result there is no tool named "fly" true result the input doesn't fit`) ||
		!strings.HasSuffix(got[2], "result . has 0 entries false") {
		t.Errorf("the model is told %q", got)
	}
}

// A conversation that was cut short has a result for every call all the same.
func TestCancelledCallsHaveResults(t *testing.T) {
	call := func(id string) *model.Call {
		return &model.Call{ID: id, Name: "write", Input: acp.Raw(`{"path":"a","text":"b"}`)}
	}
	m := &scripted{answers: [][]any{{call("1"), call("2"), stop(model.StopCalls)}, {model.Text("ok"), stop(model.StopEnd)}}}
	c := with(t, m)
	c.permit = answers("none of these")
	c.turn("go", acp.StopReasonCancelled)
	c.turn("and now?", acp.StopReasonEndTurn)
	want := []string{"user go", "assistant call write call write",
		"user result nothing was done: the turn ended before this call was made true " +
			"result nothing was done: the turn ended before this call was made true", "user and now?"}
	if diff := cmp.Diff(want, texts(m.requests[1])); diff != "" {
		t.Errorf("the model is asked (-want +got):\n%s", diff)
	}
}

// A call whose input is no object fails with the reason, for the user and the model, and the turn goes on. A model that
// never writes anything else is stopped as any other that doesn't end.
func TestACallWhoseInputIsBrokenFails(t *testing.T) {
	broken := &model.Call{ID: "1", Name: "write", Input: acp.Raw(`{}`), Broken: "the input ends in mid-word"}
	m := &scripted{answers: [][]any{
		{broken, &model.Call{ID: "2", Name: "list", Input: acp.Raw(`{}`)}, stop(model.StopCalls)},
		{model.Text("ok"), stop(model.StopEnd)},
	}, forever: []any{broken, stop(model.StopCalls)}}
	c := with(t, m)
	c.wantScript(c.turn("go", acp.StopReasonEndTurn), `
write | write edit pending
  failed [the input ends in mid-word]
List . | list read pending DIR
  in_progress
  completed [. has 0 entries]
`)
	want := []string{"user go", "assistant call write call list", "user result the input ends in mid-word true result . has 0 entries false"}
	if diff := cmp.Diff(want, texts(m.requests[1])); diff != "" {
		t.Errorf("the model is told (-want +got):\n%s", diff)
	}
	c.turn("go on", acp.StopReasonMaxTurnRequests)
}

// What a provider says about why it has stopped is shown.
func TestTheReasonOfARefusalIsShown(t *testing.T) {
	c := with(t, &scripted{forever: []any{model.Stop{Reason: model.StopRefusal, Why: "its filter SAFETY"}}})
	if said := saidText(c.turn("go", acp.StopReasonRefusal)); !strings.Contains(said, "The model has stopped: its filter SAFETY") {
		t.Errorf("it said %q", said)
	}
}

// S003.4, S000.8, S002.11, F141: a prompt's content reaches a model that takes it, kind by kind, and is refused for one that doesn't.
func TestMultiModalPrompts(t *testing.T) {
	prompt := []acp.ContentBlock{
		acp.Text("what is this?"), acp.Image("image/png", []byte("i")), acp.Audio("audio/wav", []byte("a")),
		acp.Link("l", "file:///l"), acp.TextResource("file:///r", "text/plain", "r"),
	}
	m := &scripted{forever: []any{model.Text("ok"), stop(model.StopEnd)}, prompt: acp.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true}}
	c := with(t, m)
	c.must(acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: c.session, Prompt: prompt}, &acp.PromptResponse{})
	if diff := cmp.Diff(prompt, m.requests[0].Messages[0].Content); diff != "" {
		t.Errorf("the model is asked (-want +got):\n%s", diff)
	}

	offline := begin(t, &client{})
	for _, i := range []int{1, 2} {
		err := offline.rpc.Call(t.Context(), acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: offline.session, Prompt: prompt[i : i+1]}, nil)
		if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
			t.Errorf("block %d: got %v", i, err)
		}
	}
}

// S004.5: what a prompt marks as meant for people only does not reach the model.
func TestAudience(t *testing.T) {
	forBoth := &acp.TextContent{Text: "for both", Annotations: &acp.Annotations{Audience: []acp.Role{acp.RoleUser, acp.RoleAssistant}}}
	forPeople := &acp.TextContent{Text: "for people", Annotations: &acp.Annotations{Audience: []acp.Role{acp.RoleUser}}}
	prompt := []acp.ContentBlock{acp.Text("for whom it concerns"), forPeople, forBoth}
	m := &scripted{forever: []any{model.Text("ok"), stop(model.StopEnd)}}
	c := with(t, m)
	c.must(acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: c.session, Prompt: prompt}, &acp.PromptResponse{})
	want := []acp.ContentBlock{prompt[0], forBoth}
	if diff := cmp.Diff(want, m.requests[0].Messages[0].Content); diff != "" {
		t.Errorf("the model is asked (-want +got):\n%s", diff)
	}
}

// The oldest turns go when the conversation is longer than the model's context, whole ones, and never the last (F173).
func TestConversationIsBounded(t *testing.T) {
	say := func(role model.Role, bytes int) model.Message {
		return model.Message{Role: role, Content: []acp.ContentBlock{acp.Text(strings.Repeat("x", bytes))}}
	}
	result := model.Message{Role: model.RoleUser, Results: []model.Result{{Text: strings.Repeat("x", 40)}}}
	turn := []model.Message{say(model.RoleUser, 40), say(model.RoleAssistant, 40), result, say(model.RoleAssistant, 40)} // 40 tokens
	var three []model.Message
	for range 3 {
		three = append(three, turn...)
	}
	for limit, want := range map[uint64]int{200: 12, 120: 12, 119: 8, 80: 8, 79: 4, 40: 4, 1: 4} {
		if got := len(coder.Trim(three, limit)); got != want {
			t.Errorf("%d messages fit in %d tokens, want %d", got, limit, want)
		}
	}
}
