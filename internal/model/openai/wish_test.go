package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// picky answers with a refusal as long as the request has one of these texts, which stand in front of the body that it
// refuses with. It counts the requests.
func picky(t *testing.T, ok string, refusals ...string) (url string, asked func() int) {
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		for i := 0; i < len(refusals); i += 2 {
			if strings.Contains(string(body), refusals[i]) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, refusals[i+1])
				return
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ok)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// What a server doesn't take is left out, the second time and from then on.
func TestWishesThatAreRefused(t *testing.T) {
	chat := chunks(delta(`{"content":"hello"}`), finish("stop"))
	responses := chunks(`{"type":"response.output_text.delta","delta":"hello"}`, `{"type":"response.completed","response":{"status":"completed"}}`)
	for name, c := range map[string]struct {
		api      string
		thinking model.Thinking
		refusals []string
		asked    int // for the first answer
	}{
		"usage, by Mistral":     {"chat", "", []string{"stream_options", `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`}, 2},
		"effort, by Ollama":     {"chat", model.ThinkingHigh, []string{"reasoning_effort", `{"error":{"message":"\"llama3\" does not support thinking","type":"api_error"}}`}, 2},
		"the name of the limit": {"chat", "", []string{`"max_tokens"`, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens"}}`}, 2},
		"no reasoning, by a model that always reasons": {"responses", model.ThinkingOff, []string{
			`"none"`, `{"error":{"message":"Unsupported value: 'none' is not supported with the 'gpt-5' model.","param":"reasoning.effort","code":"unsupported_value"}}`}, 2},
		"no reasoning at all": {"responses", model.ThinkingOff, []string{
			`"effort"`, `{"error":{"message":"Unsupported parameter: 'reasoning.effort' is not supported with this model.","param":"reasoning.effort"}}`}, 4},
		"summaries, without verification": {"responses", "", []string{
			`"summary"`, `{"error":{"message":"Your organization must be verified to generate reasoning summaries.","param":"reasoning.summary"}}`}, 2},
		"summaries and encrypted reasoning": {"responses", "", []string{
			`"summary"`, `{"error":{"message":"Unsupported parameter","param":"reasoning.summary"}}`,
			`"include"`, `{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}`}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			ok := chat
			if c.api == openai.APIResponses {
				ok = responses
			}
			url, asked := picky(t, ok, c.refusals...)
			m := open(t, url, c.api, func(o *openai.Options) { o.Provider = "other" })
			r := ask("?")
			r.Thinking, r.MaxTokens = c.thinking, 100
			if got := stream(t.Context(), m, r); got.told() != "hello | end" || asked() != c.asked {
				t.Errorf("got %s (%v) after %d requests", got.told(), got.err, asked())
			}
			if got := stream(t.Context(), m, r); got.told() != "hello | end" || asked() != c.asked+1 {
				t.Errorf("the second time: got %s (%v) after %d requests", got.told(), got.err, asked())
			}
		})
	}
}

// A complaint about anything else is an error at once, and so is one that goes on.
func TestOtherComplaints(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		url, asked := picky(t, "", "stub", `{"error":{"message":"messages must include a word","param":"messages"}}`)
		if e := stream(t.Context(), open(t, url, api), ask("?")).failure(t); e.Status != 400 || asked() != 1 {
			t.Errorf("got %v after %d requests", e, asked())
		}
		url, asked = picky(t, "", "stub", `{"error":{"message":"The maximum context length is 10 tokens; reduce max_tokens or stream_options"}}`)
		r := ask("?")
		r.MaxTokens = 100
		if e := stream(t.Context(), open(t, url, api), r).failure(t); !e.TooLong || asked() != 1 {
			t.Errorf("got %v after %d requests", e, asked())
		}
		url, asked = picky(t, "", "stub", `{"error":{"message":"stream_options prompt_cache_key reasoning.summary encrypted_content"}}`)
		if e := stream(t.Context(), open(t, url, api), ask("?")).failure(t); e.Status != 400 || asked() > 4 {
			t.Errorf("got %v after %d requests", e, asked())
		}
	})
}
