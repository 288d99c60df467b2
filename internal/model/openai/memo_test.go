package openai_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// goOn is the conversation after an answer whose calls have results.
func goOn(r *model.Request, got *reply) *model.Request {
	next := model.Message{Role: model.RoleUser, Content: []acp.ContentBlock{acp.Text("Go on.")}}
	for _, c := range got.calls {
		next.Results = append(next.Results, model.Result{CallID: c.ID, Name: c.Name, Text: "done"})
	}
	return &model.Request{Messages: append(append([]model.Message(nil), r.Messages...), got.message(), next)}
}

// Nothing is stored, so encrypted reasoning goes back to the model, in its place among the other items.
func TestReasoningGoesRound(t *testing.T) {
	s := serve(t,
		modeltest.Answer{Thought: "hm", Text: "I look.", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"a"}`}}},
		modeltest.Answer{Thought: "aha", Text: "It is a program."},
		modeltest.Answer{Text: "Bye."},
	)
	m := open(t, s.OpenAIURL(), "responses")
	r := ask("What is it?")
	for _, want := range []string{`(hm) | I look. | read{"path":"a"} | calls`, "(aha) | It is a program. | end", "Bye. | end"} {
		got := stream(t.Context(), m, r)
		if got.told() != want {
			t.Fatalf("got %s (%v), want %s", got.told(), got.err, want)
		}
		r = goOn(r, got)
	}
	input := string(body(t, s)["input"])
	if strings.Count(input, `"encrypted_content":"gAAAA`) != 2 || strings.Contains(input, "null") {
		t.Errorf("the model has been told %s", input)
	}
	if said := s.Last().Messages; len(said) != 5 || said[1].Text != "I look." || len(said[1].Calls) != 1 || said[3].Text != "It is a program." {
		t.Errorf("the model has heard %+v", said)
	}
}

// Another model, another provider and the other API get what was said, and not the memo.
func TestMemoIsForTheSameModel(t *testing.T) {
	s := serve(t, modeltest.Answer{Thought: "hm", Text: "I look.", Calls: []modeltest.Called{{Name: "read", Input: `{}`}}})
	r := ask("?")
	r = goOn(r, stream(t.Context(), open(t, s.OpenAIURL(), "responses"), r))
	if r.Messages[1].Memo == nil {
		t.Fatal("there is no memo")
	}
	for name, m := range map[string]model.Model{
		"model":    open(t, s.OpenAIURL(), "responses", func(o *openai.Options) { o.Model = "other" }),
		"provider": open(t, s.OpenAIURL(), "responses", func(o *openai.Options) { o.Provider = "other" }),
		"API":      open(t, s.OpenAIURL(), "chat"),
	} {
		if got := stream(t.Context(), m, r); got.err != nil {
			t.Fatal(got.err)
		}
		said := s.Last().Messages[1]
		if strings.Contains(string(s.Last().Body), "gAAAA") || said.Text != "I look." || len(said.Calls) != 1 {
			t.Errorf("another %s: %s", name, s.Last().Body)
		}
	}
}

// Without encrypted reasoning there is nothing to go back: the server would look for what it has not stored.
func TestNoMemoWithoutReasoning(t *testing.T) {
	for _, c := range []struct {
		answer  modeltest.Answer
		thinker bool
	}{
		{modeltest.Answer{Text: "Hello."}, true},
		{modeltest.Answer{Text: "Hello.", Thought: "hm"}, false},
		{modeltest.Answer{Thought: "hm"}, true}, // reasoning alone is refused
	} {
		s := serve(t, c.answer)
		got := stream(t.Context(), open(t, s.OpenAIURL(), "responses", func(o *openai.Options) { o.Thinking = c.thinker }), ask("?"))
		if got.memo != nil || got.err != nil {
			t.Errorf("got %v, %v", got.memo, got.err)
		}
	}
}

// A half call or message is not told again.
func TestMemoOfAnAnswerThatIsTooLong(t *testing.T) {
	s := serve(t, modeltest.Answer{
		Thought: "hm", Text: "I look.", Stop: "max_tokens",
		Calls: []modeltest.Called{{Name: "list", Input: `{}`}, {Name: "write", Input: `{"path":"a`}},
	})
	m := open(t, s.OpenAIURL(), "responses")
	r := ask("?")
	got := stream(t.Context(), m, r)
	if got.memo == nil || strings.Contains(string(got.memo.Data), "write") {
		t.Fatalf("got %s, %v", got.told(), got.memo)
	}
	if got := stream(t.Context(), m, goOn(r, got)); got.err != nil {
		t.Error(got.err)
	}
}

// Phases are sent back, since models answer worse without them.
func TestPhasesGoRound(t *testing.T) {
	url := raw(t, 200, "text/event-stream", chunks(
		`{"type":"response.output_item.done","item":{"id":"msg_1","type":"message","role":"assistant","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"hm","annotations":[],"logprobs":null}]}}`,
		`{"type":"response.completed","response":{"status":"completed"}}`))
	got := stream(t.Context(), open(t, url, "responses"), ask("?"))
	if got.memo == nil || !strings.Contains(string(got.memo.Data), `"phase":"commentary"`) {
		t.Errorf("got %v, %v", got.memo, got.err)
	}
}

// Reasoning models that call tools get their reasoning back by the name that their server has for it.
func TestChatMemo(t *testing.T) {
	read := call(`{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":"{}"}}`)
	for name, c := range map[string]struct {
		chunks []string
		want   string
	}{
		"nothing to remember":         {[]string{delta(`{"content":"I look."}`), read, call(`{"index":0,"extra_content":null}`)}, ""},
		"reasoning without calls":     {[]string{delta(`{"reasoning_content":"hm"}`), delta(`{"content":"Done."}`)}, ""},
		"reasoning without an answer": {[]string{delta(`{"reasoning_details":[{"type":"reasoning.text","text":"a"}]}`)}, ""},
		"DeepSeek": {
			[]string{delta(`{"reasoning_content":"h"}`), delta(`{"reasoning_content":"m"}`), delta(`{"content":"I look."}`), read},
			`{"content":"I look.","reasoning_content":"hm","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"read"},"id":"a","type":"function"}]}`,
		},
		"Ollama": {
			[]string{delta(`{"reasoning":"hm"}`), read},
			`{"content":null,"reasoning":"hm","role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"read"},"id":"a","type":"function"}]}`,
		},
		"OpenRouter": {
			[]string{
				delta(`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"h","index":0,"format":"x"}]}`),
				delta(`{"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m","index":0}]}`),
				delta(`{"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0,"text":null},{"type":"reasoning.encrypted","data":"d","index":1}]}`), read,
			},
			`{"content":null,"reasoning_details":[{"format":"x","index":0,"signature":"s","text":"hm","type":"reasoning.text"},` +
				`{"data":"d","index":1,"type":"reasoning.encrypted"}],"role":"assistant","tool_calls":[{"function":{"arguments":"{}","name":"read"},"id":"a","type":"function"}]}`,
		},
		"Gemini": {
			[]string{call(`{"index":0,"id":"a","type":"function","extra_content":{"google":{"thought_signature":"s"}},"function":{"name":"read","arguments":"{}"}}`)},
			`{"content":null,"role":"assistant","tool_calls":[{"extra_content":{"google":{"thought_signature":"s"}},"function":{"arguments":"{}","name":"read"},"id":"a","type":"function"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			first := open(t, raw(t, 200, "text/event-stream", chunks(append(c.chunks, finish("stop"))...)), "chat")
			r := ask("?")
			got := stream(t.Context(), first, r)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if c.want == "" {
				if got.memo != nil {
					t.Errorf("got %s", got.memo.Data)
				}
				return
			}
			if got.memo == nil || string(got.memo.Data) != c.want {
				t.Fatalf("got %v, want %s", got.memo, c.want)
			}
			s := serve(t, modeltest.Answer{Text: "ok"})
			if again := stream(t.Context(), open(t, s.OpenAIURL(), "chat"), goOn(r, got)); again.err != nil {
				t.Fatal(again.err)
			}
			if !strings.Contains(string(s.Last().Body), c.want) {
				t.Errorf("the model has been told %s", s.Last().Body)
			}
		})
	}
}

func TestDamagedMemo(t *testing.T) {
	r := ask("?")
	r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Memo: &model.Memo{Provider: "openai", Model: "stub", Data: acp.Raw(`[`)}}, user(acp.Text("?")))
	if e := stream(t.Context(), open(t, "http://127.0.0.1:1", "responses"), r).failure(t); !e.Final || !strings.Contains(e.Message, "memo") {
		t.Errorf("got %v", e)
	}
}
