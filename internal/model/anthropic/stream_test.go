package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

func TestAnswer(t *testing.T) {
	m, _ := serve(t, modeltest.Answer{
		Thought: "Let me look at it.",
		Text:    "I will read both files.",
		Calls:   []modeltest.Called{{ID: "a", Name: "read", Input: `{"path":"a.go"}`}, {ID: "b", Name: "list", Input: `{}`}},
		Input:   1000, Output: 50, Thoughts: 20, CacheRead: 700, CacheWrite: 200,
	})
	h := ask(t, m, "read")
	if h.err != nil || h.stop != model.StopCalls || h.text != "I will read both files." || h.thought != "Let me look at it." {
		t.Fatalf("got %+v", h)
	}
	if h.order != "thought text call memo usage stop" {
		t.Errorf("the order is %s", h.order)
	}
	calls := []*model.Call{{ID: "a", Name: "read", Input: acp.Raw(`{"path":"a.go"}`)}, {ID: "b", Name: "list", Input: acp.Raw(`{}`)}}
	if d := cmp.Diff(calls, h.calls); d != "" {
		t.Error(d)
	}
	usage := model.Usage{InputTokens: 1000, OutputTokens: 50, ThoughtTokens: 20, CachedReadTokens: 700, CachedWriteTokens: 200}
	if d := cmp.Diff(usage, h.usage); d != "" {
		t.Error(d)
	}
}

func TestStopReasons(t *testing.T) {
	call := []modeltest.Called{{Name: "read", Input: `{"path":"a"}`}}
	for stop, c := range map[string]struct {
		answer modeltest.Answer
		want   model.StopReason
	}{
		"end":                           {modeltest.Answer{Text: "x"}, model.StopEnd},
		"end, and yet calls":            {modeltest.Answer{Calls: call, Stop: "end"}, model.StopCalls},
		"nothing to say":                {modeltest.Answer{}, model.StopEnd},
		"calls":                         {modeltest.Answer{Calls: call}, model.StopCalls},
		"max_tokens":                    {modeltest.Answer{Text: "x", Stop: "max_tokens"}, model.StopMaxTokens},
		"model_context_window_exceeded": {modeltest.Answer{Text: "x", Stop: "model_context_window_exceeded"}, model.StopMaxTokens},
		"stop_sequence":                 {modeltest.Answer{Text: "x", Stop: "stop_sequence"}, model.StopEnd},
		"unknown":                       {modeltest.Answer{Text: "x", Stop: "tired"}, model.StopEnd},
		"refusal":                       {modeltest.Answer{Text: "x ", Thought: "y", Stop: "refusal"}, model.StopRefusal},
	} {
		t.Run(stop, func(t *testing.T) {
			m, _ := serve(t, c.answer)
			h := ask(t, m, "hello")
			if h.err != nil || h.stop != c.want || (h.why != "") != (stop == "refusal" || stop == "model_context_window_exceeded") {
				t.Fatalf("got %+v", h)
			}
			if stop == "refusal" && (h.why != "general_harms: The stub will not say that." || h.memo != nil) {
				t.Errorf("got %+v", h)
			}
		})
	}
}

// Each word is passed on before the next one is sent.
func TestWordsArePassedOnAtOnce(t *testing.T) {
	next := make(chan struct{}, 1)
	next <- struct{}{}
	m, _ := serve(t, modeltest.Answer{Text: "one two three", Fault: modeltest.Fault{Piece: func(int) { <-next }}})
	words := 0
	for event, err := range m.Stream(t.Context(), &model.Request{Messages: []model.Message{user("count")}}) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := event.(model.Text); ok {
			words++
			next <- struct{}{}
		}
	}
	if words != 3 {
		t.Errorf("%d words", words)
	}
}

func TestCancelInMidStream(t *testing.T) {
	for name, answer := range map[string]modeltest.Answer{
		"before a word": {Text: "one two", Fault: modeltest.Fault{Silent: true}},
		"after a word":  {Text: "one two", Fault: modeltest.Fault{Silent: true, At: 1}},
		"in a call":     {Text: "one", Calls: []modeltest.Called{{Name: "x", Input: `{"a":1}`}}, Fault: modeltest.Fault{Silent: true, At: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			reached := make(chan struct{})
			last := answer.Fault.At
			answer.Fault.Piece = func(n int) {
				if n == last {
					close(reached)
				}
			}
			m, _ := serve(t, answer)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				<-reached
				cancel(errors.New("enough"))
			}()
			h := listen(ctx, m, &model.Request{Messages: []model.Message{user("hello")}})
			if !errors.Is(h.err, context.Canceled) || h.stop != "" || len(h.calls) != 0 {
				t.Errorf("got %+v", h)
			}
		})
	}
}

func TestListenerThatLeavesEndsTheRequest(t *testing.T) {
	gone := make(chan struct{})
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "one two", Fault: modeltest.Fault{At: 1, Silent: true}}))
	o := options(s.URL)
	o.HTTP = clientThatTells(gone)
	for range newModel(t, o).Stream(t.Context(), &model.Request{Messages: []model.Message{user("hello")}}) {
		break
	}
	<-gone
}

// A loop over the events may end at each of them; going on would panic.
func TestListenerMayLeaveAtAnyTime(t *testing.T) {
	for _, answer := range []modeltest.Answer{
		{Thought: "hm well", Text: "one two", Calls: []modeltest.Called{{Name: "list", Input: `{}`}, {Name: "read", Input: `{"p":1}`}}},
		{Text: "no", Stop: "refusal"},
		{Text: "x", Fault: modeltest.Fault{At: 0, Cut: true}},
	} {
		m, _ := serve(t, answer)
		for last, more := 1, true; more; last++ {
			n := 0
			for range m.Stream(t.Context(), &model.Request{Messages: []model.Message{user("hello")}}) {
				if n++; n == last {
					break
				}
			}
			more = n == last
		}
	}
}

func TestConcurrency(t *testing.T) {
	s := modeltest.New(t, func(h *modeltest.Heard) modeltest.Answer {
		return modeltest.Answer{Text: "you said " + h.Messages[0].Text, Thought: "well"}
	})
	m := newModel(t, options(s.URL))
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			h := ask(t, m, fmt.Sprint("number ", i))
			if want := fmt.Sprint("you said number ", i); h.text != want || h.err != nil {
				t.Errorf("got %q, %v", h.text, h.err)
			}
		})
	}
	all.Wait()
}

func TestInfo(t *testing.T) {
	o := options("")
	o.ContextTokens = 1_000_000
	got := newModel(t, o).Info()
	want := model.Info{
		Name: "anthropic/claude-opus-5-5", Provider: "anthropic", Title: "claude-opus-5-5", ContextTokens: 1_000_000,
		Prompt: acp.PromptCapabilities{Image: true, EmbeddedContext: true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
