package openai_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A call whose input is no object says so, and goes back as one that has an object: the model may try again.
func TestBrokenInput(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		for _, in := range []string{`{"path":`, `[]`, `"x"`, `1`} {
			for _, thought := range []string{"", "hm"} {
				s := serve(t, modeltest.Answer{Thought: thought, Calls: []modeltest.Called{{Name: "read", Input: in}, {Name: "list", Input: `{"a":1}`}}}, modeltest.Answer{Text: "sorry"})
				m := open(t, s.OpenAIURL(), api)
				got := stream(t.Context(), m, ask("?"))
				if got.err != nil || len(got.calls) != 2 || !strings.Contains(got.calls[0].Broken, "no JSON object: "+in) || got.calls[1].Broken != "" || got.stop != model.StopCalls {
					t.Fatalf("%s: got %s, %v", in, got.told(), got.err)
				}
				r := ask("?")
				r.Messages = append(r.Messages, got.message(), results(got.calls))
				next := stream(t.Context(), m, r)
				if next.err != nil || next.text != "sorry" || s.Last().Messages[1].Calls[0].Input != "{}" {
					t.Errorf("%s: got %s, %v: %+v", in, next.told(), next.err, s.Last().Messages)
				}
			}
		}
	})
}

// results are those of calls, each of which tells its input.
func results(calls []*model.Call) model.Message {
	m := model.Message{Role: model.RoleUser}
	for _, c := range calls {
		m.Results = append(m.Results, model.Result{CallID: c.ID, Name: c.Name, Text: string(c.Input), Failed: c.Broken != ""})
	}
	return m
}

// Whatever the names of the calls, no two in the conversation are the same, and each result stays with its call.
func TestNamesOfCalls(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		for _, thought := range []string{"", "hm"} {
			calls := []modeltest.Called{{ID: "call_0", Name: "read", Input: `{"n":1}`}, {ID: "call_0", Name: "functions.list", Input: `{"n":2}`}}
			s := serve(t, modeltest.Answer{Thought: thought, Calls: calls}, modeltest.Answer{Thought: thought, Calls: calls[:1]}, modeltest.Answer{Text: "done"})
			m, r := open(t, s.OpenAIURL(), api), ask("?")
			for range 2 {
				got := stream(t.Context(), m, r)
				if got.err != nil {
					t.Fatal(got.err)
				}
				r.Messages = append(r.Messages, got.message(), results(got.calls))
			}
			if got := stream(t.Context(), m, r); got.told() != "done | end" {
				t.Fatalf("got %s, %v", got.told(), got.err)
			}
			for i, said := range s.Last().Messages {
				for j, c := range said.Calls {
					if got := s.Last().Messages[i+1].Results[j]; got.ID != c.ID || got.Text != c.Input {
						t.Errorf("the result of %+v is %+v", c, got)
					}
				}
			}
		}
	})
}

// A server that doesn't say that a call is incomplete: the end of the answer tells.
func TestCallThatIsCutOffInResponses(t *testing.T) {
	item := func(id, input string) string {
		return `{"type":"response.output_item.done","item":{"type":"function_call","call_id":"` + id + `","name":"read","arguments":` + input + `}}`
	}
	half, whole := item("a", `"{\"path\":"`), item("b", `"{\"path\":\"b\"}"`)
	end := func(status, reason string) string {
		return `{"type":"response.` + status + `","response":{"status":"` + status + `","incomplete_details":{"reason":"` + reason + `"}}}`
	}
	for name, c := range map[string]struct{ body, want string }{
		"too long":                  {chunks(half, end("incomplete", "max_output_tokens")), "max_tokens"},
		"too long, after a whole":   {chunks(whole, half, end("incomplete", "max_output_tokens")), `read{"path":"b"} | max_tokens`},
		"not the last one":          {chunks(half, whole, end("incomplete", "max_output_tokens")), `read{} | read{"path":"b"} | max_tokens`},
		"not too long":              {chunks(half, end("completed", "")), "read{} | calls"},
		"another reason for no end": {chunks(half, end("incomplete", "tired")), "error"},
	} {
		if got := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", c.body), "responses"), ask("?")); got.told() != c.want {
			t.Errorf("%s: got %s, %v", name, got.told(), got.err)
		}
	}
}

// A call that was cut off because the answer was too long is not made.
func TestCallOfAnAnswerThatIsTooLong(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Stop: "max_tokens", Calls: []modeltest.Called{{Name: "list", Input: `{}`}, {Name: "write", Input: `{"path":"a`}}})
		if got := stream(t.Context(), open(t, s.OpenAIURL(), api), ask("?")); got.told() != "list{} | max_tokens" {
			t.Errorf("got %s, %v", got.told(), got.err)
		}
	})
}
