package openai_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// What is an error before the answer begins: the status, what the server says, and how long it asks us to wait.
func TestRefusedRequests(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		for _, c := range []struct {
			fault     modeltest.Fault
			want      model.Error
			retryable bool
		}{
			{modeltest.Fault{Status: 401, Message: "Incorrect API key provided: sk-secret."}, model.Error{Message: "Incorrect API key provided: [key]."}, false},
			{modeltest.Fault{Status: 404, Message: "no such model"}, model.Error{Message: "no such model"}, false},
			{modeltest.Fault{Status: 429, RetryAfter: "7"}, model.Error{Message: "stub says no", RetryAfter: 7 * time.Second}, true},
			{modeltest.Fault{Status: 429}, model.Error{Message: "stub says no"}, true},
			{modeltest.Fault{Status: 500, Message: "two\nlines"}, model.Error{Message: "two lines"}, true},
			{modeltest.Fault{Status: 529}, model.Error{Message: "stub says no"}, true},
			{
				modeltest.Fault{Status: 400, Message: "This model's maximum context length is 8192 tokens."},
				model.Error{Message: "This model's maximum context length is 8192 tokens.", Final: true, TooLong: true}, false,
			},
		} {
			s := serve(t, modeltest.Answer{Fault: c.fault})
			got := stream(t.Context(), open(t, s.OpenAIURL(), api), ask("?")).failure(t)
			c.want.Status, c.want.Provider, c.want.Cause = c.fault.Status, "openai", got.Cause
			if *got != c.want || got.Retryable() != c.retryable {
				t.Errorf("status %d: got %+v, retryable %t", c.fault.Status, got, got.Retryable())
			}
			if strings.Contains(got.Error(), "sk-secret") {
				t.Errorf("the key is in %q", got)
			}
		}
	})
}

// A stream that goes wrong is an error after what has come, and never an answer (T6).
func TestT6_BrokenStreams(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		for name, f := range map[string]modeltest.Fault{
			"cut":     {Cut: true},
			"garbage": {Garbage: true},
			"error":   {Error: true, Message: "the engine is on fire"},
		} {
			for at, said := range []string{"", "one ", "one two ", "one two three", "one two three"} {
				f.At = at
				s := serve(t, modeltest.Answer{
					Text: "one two three", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"main.go"}`}}, Fault: f,
				})
				got := stream(t.Context(), open(t, s.OpenAIURL(), api), ask("?"))
				e := got.failure(t)
				if got.text != said || len(got.calls) > 0 || e.Provider != "openai" || e.Message == "" {
					t.Errorf("%s at %d: got %s with %v", name, at, got.told(), e)
				}
				if name == "error" && e.Message != f.Message {
					t.Errorf("the provider's words are %q", e.Message)
				}
			}
		}
	})
}

// Silence ends with the patience of whoever asks.
func TestSilence(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Text: "one two", Fault: modeltest.Fault{Silent: true, At: 1}})
		m := model.WithRetry(open(t, s.OpenAIURL(), api), model.RetryOptions{Silence: 50 * time.Millisecond})
		if e := stream(t.Context(), m, ask("?")).failure(t); !strings.Contains(e.Message, "said nothing for 50ms") {
			t.Errorf("got %v", e)
		}
	})
}

func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	both(t, func(t *testing.T, api string) {
		e := stream(t.Context(), open(t, "http://"+l.Addr().String()+"/v1", api), ask("?")).failure(t)
		if !strings.HasPrefix(e.Message, l.Addr().String()+" does not answer: ") || !e.Retryable() || e.Status != 0 {
			t.Errorf("got %v", e)
		}
	})
}

// Bodies that are no stream, though the status says that all is well, and errors that are no JSON (T6).
func TestT6_StrangeAnswers(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		for _, c := range []struct {
			status     int
			kind, body string
			want       string
			final      bool
		}{
			{200, "text/html", "<html>Sign in</html>", "it answers with a web page; is the base URL right?", true},
			{200, "text/event-stream", "<html>Sign in</html>", "its answer makes no sense: <html>Sign in</html>", true},
			{200, "text/event-stream", "", "the answer broke off", false},
			{200, "text/event-stream", "data: [DONE]\n\n", "the answer broke off", false},
			{200, "text/event-stream", "data: 42\n\n", "its answer makes no sense: 42", true},
			{200, "text/event-stream", "data: {\"choices\":\n\n", `its answer makes no sense: {"choices":`, true},
			{200, "application/json", `{"error":{"message":"no model loaded","code":503}}`, "no model loaded", false},
			{200, "application/json; charset=utf-8", `{"id":"x"}`, `it answers with JSON instead of a stream: {"id":"x"}`, true},
			{502, "text/html", "<html>nginx</html>", "bad gateway", false},
			{503, "text/plain", "loading the model", "loading the model", false},
			{500, "application/json", `{"error":"llama runner has died"}`, "llama runner has died", false},
			{400, "application/json", `[{"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}}]`, "bad", false},
			{500, "application/json", `{"object":"error","message":"vLLM is not well","type":"x","code":500}`, "vLLM is not well", false},
			{500, "application/json", `{"detail":"not found"}`, "not found", false},
			{500, "application/json", `{"error":null}`, `{"error":null}`, false},
			{500, "application/json", ``, `internal server error`, false},
		} {
			got := stream(t.Context(), open(t, raw(t, c.status, c.kind, c.body), api), ask("?")).failure(t)
			if got.Message != c.want || got.Final != c.final || got.TooLong {
				t.Errorf("%d %s %s: got %+v", c.status, c.kind, c.body, got)
			}
			if c.status != 200 && got.Status != c.status {
				t.Errorf("%d is told as %d", c.status, got.Status)
			}
		}
	})
}

// Servers say in many ways that a conversation is too long.
func TestTooLong(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
	}{
		{400, `{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}`},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`},
		{400, `{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","code":400}`},
		{413, `too large`},
		{400, `Input is too long for the requested model.`},
	} {
		e := stream(t.Context(), open(t, raw(t, c.status, "application/json", c.body), "chat"), ask("?")).failure(t)
		if !e.TooLong || !e.Final || e.Retryable() {
			t.Errorf("%s: got %+v", c.body, e)
		}
	}
}

// An empty account answers 429 too, but no pause fills it.
func TestNoQuota(t *testing.T) {
	url := raw(t, 429, "application/json", `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`)
	if e := stream(t.Context(), open(t, url, "chat"), ask("?")).failure(t); e.Retryable() {
		t.Errorf("got %+v", e)
	}
}

func TestEndlessError(t *testing.T) {
	url := raw(t, 500, "text/plain", strings.Repeat("error ", 1<<20))
	if e := stream(t.Context(), open(t, url, "chat"), ask("?")).failure(t); len(e.Message) > 1000 {
		t.Errorf("the message has %d bytes", len(e.Message))
	}
}

// What has no end is given one.
func TestAnswersWithoutAnEnd(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		for name, c := range map[string]struct {
			fault modeltest.Fault
			want  string
		}{
			"text":    {modeltest.Fault{Endless: modeltest.EndlessText}, "its answer is longer than 262144 bytes"},
			"a line":  {modeltest.Fault{Endless: modeltest.EndlessLine, At: 1}, "its answer is longer than 262144 bytes"},
			"a body":  {modeltest.Fault{Endless: modeltest.EndlessBody}, `it answers with JSON instead of a stream: {"error":"and so on`},
			"failure": {modeltest.Fault{Endless: modeltest.EndlessBody, Status: 400}, `{"error":"and so on`},
		} {
			s := serve(t, modeltest.Answer{Text: strings.Repeat("word ", 100), Fault: c.fault})
			got := stream(t.Context(), open(t, s.OpenAIURL(), api, func(o *openai.Options) { o.MaxBytes = 1 << 18 }), ask("?"))
			if e := got.failure(t); e.Retryable() || !strings.HasPrefix(e.Message, c.want) || len(got.text) > 1<<18 {
				t.Errorf("%s: got %v after %d bytes", name, e, len(got.text))
			}
		}
	})
}

// A redirection is not followed, since the key would go along.
func TestRedirections(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		for _, status := range []int{301, 302, 307, 308} {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "https://example.com/api"+r.URL.Path, status)
			}))
			t.Cleanup(s.Close)
			e := stream(t.Context(), open(t, s.URL+"/v1", api), ask("?")).failure(t)
			if e.Message != "the server redirects to https://example.com/api/v1; set base_url to it" || !e.Final || e.Status != status {
				t.Errorf("got %+v", e)
			}
		}
	})
}

// Nothing of the environment is read, and nobody gets a key that is not theirs.
func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-other")
	t.Setenv("OPENAI_ORG_ID", "org-other")
	t.Setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Other: 1")
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Text: "hello"})
		without := func(o *openai.Options) { o.Key = "" }
		if got := stream(t.Context(), open(t, s.OpenAIURL(), api, without), ask("?")); got.err != nil {
			t.Fatal(got.err)
		}
		h := s.Last().Header
		for _, name := range []string{"Authorization", "Openai-Organization", "X-Other"} {
			if h.Get(name) != "" {
				t.Errorf("the request has %s: %s", name, h.Get(name))
			}
		}
		stream(context.Background(), open(t, s.OpenAIURL(), api), ask("?"))
		if got := s.Last().Header.Get("Authorization"); got != "Bearer sk-secret" {
			t.Errorf("got %q", got)
		}
	})
}
