package openai_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

func TestAnswerComesInOrder(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{
			Thought: "two words", Text: "I look.", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"a b"}`}, {Name: "list"}},
			Input: 120, Output: 30, Thoughts: 5, CacheRead: 20, CacheWrite: 7,
		})
		got := stream(t.Context(), open(t, s.OpenAIURL(), api), ask("go on"))
		if got.err != nil {
			t.Fatal(got.err)
		}
		if want := `(two words) | I look. | read{"path":"a b"} | list{} | calls`; got.told() != want {
			t.Errorf("got %s, want %s", got.told(), want)
		}
		if got.order != "hhttccmus" {
			t.Errorf("the events came as %s", got.order)
		}
		want := model.Usage{InputTokens: 120, OutputTokens: 30, ThoughtTokens: 5, CachedReadTokens: 20, CachedWriteTokens: 7}
		if diff := cmp.Diff(want, got.usage); diff != "" {
			t.Error(diff)
		}
		if got.calls[0].ID == got.calls[1].ID || got.calls[0].ID == "" {
			t.Errorf("ids %q and %q", got.calls[0].ID, got.calls[1].ID)
		}
	})
}

func TestStopReasons(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		call := []modeltest.Called{{Name: "read", Input: `{}`}}
		for _, c := range []struct {
			answer modeltest.Answer
			want   string
		}{
			{modeltest.Answer{Text: "Done."}, "Done. | end"},
			{modeltest.Answer{}, "end"},
			{modeltest.Answer{Calls: call}, "read{} | calls"},
			{modeltest.Answer{Text: "So much", Stop: "max_tokens"}, "So much | max_tokens"},
			{modeltest.Answer{Text: "I won't.", Stop: "refusal"}, "I won't. | refusal"},
			{modeltest.Answer{Stop: "refusal"}, "refusal"},
		} {
			s := serve(t, c.answer)
			if got := stream(t.Context(), open(t, s.OpenAIURL(), api), ask("?")); got.told() != c.want {
				t.Errorf("got %s (%v), want %s", got.told(), got.err, c.want)
			}
		}
	})
}

// The first word is passed on before the server has sent the second one.
func TestWordsComeAtOnce(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		heard := make(chan bool, 1)
		gate := func(n int) {
			if n == 1 {
				<-heard // for ever, if the first word is held back
			}
		}
		s := serve(t, modeltest.Answer{Text: "one two", Fault: modeltest.Fault{Piece: gate}})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		var words []string
		for event, err := range open(t, s.OpenAIURL(), api).Stream(ctx, ask("?")) {
			if err != nil {
				close(heard)
				t.Fatal(err)
			}
			if word, ok := event.(model.Text); ok {
				words = append(words, string(word))
				heard <- true
			}
		}
		if diff := cmp.Diff([]string{"one ", "two"}, words); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCancelInMidStream(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Text: "one two", Fault: modeltest.Fault{Silent: true, At: 1}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var last error
		for event, err := range open(t, s.OpenAIURL(), api).Stream(ctx, ask("?")) {
			if _, ok := event.(model.Text); ok {
				cancel()
			}
			last = err
		}
		if !errors.Is(last, context.Canceled) {
			t.Errorf("got %v", last)
		}
	})
}

func TestCancelBeforeTheAnswer(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		ctx, cancel := context.WithCancel(t.Context())
		s := modeltest.New(t, func(*modeltest.Heard) modeltest.Answer {
			cancel()
			return modeltest.Answer{Fault: modeltest.Fault{Silent: true}, Text: "never"}
		})
		if got := stream(ctx, open(t, s.OpenAIURL(), api), ask("?")); !errors.Is(got.err, context.Canceled) {
			t.Errorf("got %v", got.err)
		}
	})
}

// A listener who stops ends the request: the server would be silent for ever.
func TestListenerMayStop(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Text: "one two", Fault: modeltest.Fault{Silent: true, At: 1}})
		for event := range open(t, s.OpenAIURL(), api).Stream(t.Context(), ask("?")) {
			if _, ok := event.(model.Text); ok {
				break
			}
		}
	})
}

func TestManyAtOnce(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := modeltest.New(t, func(h *modeltest.Heard) modeltest.Answer {
			return modeltest.Answer{Text: strings.Repeat(h.Messages[0].Text+" ", 20)}
		})
		m := open(t, s.OpenAIURL(), api)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				word := fmt.Sprint("word", i)
				if got := stream(t.Context(), m, ask(word)); strings.Count(got.text, word+" ") != 20 || got.err != nil {
					t.Errorf("got %q, %v", got.text, got.err)
				}
			})
		}
		all.Wait()
	})
}

func TestInfo(t *testing.T) {
	m := open(t, "http://127.0.0.1:1", "", func(o *openai.Options) { o.Provider, o.ContextTokens = "ollama", 8192 })
	info := m.Info()
	if info.Name != "ollama/stub" || info.Provider != "ollama" || info.Title != "stub" || info.ContextTokens != 8192 || !info.Prompt.Audio {
		t.Errorf("got %+v", info)
	}
	if open(t, "http://127.0.0.1:1", openai.APIResponses).Info().Prompt.Audio {
		t.Error("Responses has no audio")
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]openai.Options{
		"no model is named":            {},
		`there is no API "soap"`:       {Model: "m", API: "soap"},
		"does not begin with http://":  {Model: "m", BaseURL: "localhost:8080"},
		"the base URL is no URL":       {Model: "m", BaseURL: "http://a:secret@b\x7f"},
		"the key has a space or other": {Model: "m", Key: "sk secret"},
	} {
		_, err := openai.New(o)
		if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, " or other")) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: got %v", o, err)
		}
	}
}
