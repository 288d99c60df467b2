package anthropic_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/anthropic"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A clientBody tells when it is closed.
type clientBody struct {
	io.ReadCloser
	closed func()
}

func (b clientBody) Close() error {
	b.closed()
	return b.ReadCloser.Close()
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// clientThatTells returns a client that closes gone when the body of its answer is closed.
func clientThatTells(gone chan struct{}) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		response, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			response.Body = clientBody{response.Body, func() { close(gone) }}
		}
		return response, err
	})}
}

func TestStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		fault     modeltest.Fault
		want      string
		after     time.Duration
		retryable bool
		tooLong   bool
	}{
		"a wrong key":         {fault: modeltest.Fault{Status: 401, Message: "invalid x-api-key " + key}, want: "status 401: invalid x-api-key [key]"},
		"too much":            {fault: modeltest.Fault{Status: 429, RetryAfter: "7"}, want: "status 429: stub says no", after: 7 * time.Second, retryable: true},
		"too much, no hint":   {fault: modeltest.Fault{Status: 429}, want: "status 429: stub says no", retryable: true},
		"an hour of fraction": {fault: modeltest.Fault{Status: 429, RetryAfter: "0.5"}, want: "status 429", after: 500 * time.Millisecond, retryable: true},
		"nonsense":            {fault: modeltest.Fault{Status: 429, RetryAfter: "soon"}, want: "status 429", retryable: true},
		"below zero":          {fault: modeltest.Fault{Status: 429, RetryAfter: "-5"}, want: "status 429", retryable: true},
		"not even a number":   {fault: modeltest.Fault{Status: 429, RetryAfter: "NaN"}, want: "status 429", retryable: true},
		"a long time":         {fault: modeltest.Fault{Status: 429, RetryAfter: "1e30"}, want: "status 429", after: 7 * 24 * time.Hour, retryable: true},
		"a date":              {fault: modeltest.Fault{Status: 429, RetryAfter: "Mon, 02 Jan 2006 15:04:05 GMT"}, want: "status 429", retryable: true},
		"a broken server":     {fault: modeltest.Fault{Status: 500, Message: "two\nlines"}, want: "status 500: two lines", retryable: true},
		"an overloaded one":   {fault: modeltest.Fault{Status: 529}, want: "status 529: stub says no", retryable: true},
		"too long": {
			fault: modeltest.Fault{Status: 400, Message: "prompt is too long: 208310 tokens > 200000 maximum"},
			want:  "status 400: prompt is too long", tooLong: true,
		},
		"too long with its answer": {
			fault: modeltest.Fault{Status: 400, Message: "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"},
			want:  "status 400: input length", tooLong: true,
		},
		"too large": {fault: modeltest.Fault{Status: 413, Message: "Request exceeds the maximum size"}, want: "status 413", tooLong: true},
	} {
		t.Run(name, func(t *testing.T) {
			m, s := serve(t, modeltest.Answer{Fault: c.fault})
			e := ask(t, m, "hello").failure(t)
			if !strings.Contains(e.Error(), c.want) || e.RetryAfter != c.after || e.Retryable() != c.retryable || e.TooLong != c.tooLong {
				t.Errorf("got %q, after %v, retryable %t, too long %t", e.Error(), e.RetryAfter, e.Retryable(), e.TooLong)
			}
			if n := len(s.Heard()); n != 1 {
				t.Errorf("the library asks %d times", n)
			}
		})
	}
}

// T6: none of these is an empty success.
func TestT6_FaultsInMidStream(t *testing.T) {
	answer := modeltest.Answer{Text: "one two three", Calls: []modeltest.Called{{Name: "edit", Input: `{"path":"a","text":"b"}`}}}
	for name, fault := range map[string]modeltest.Fault{
		"cut":     {Cut: true},
		"garbage": {Garbage: true},
		"error":   {Error: true, Message: "Overloaded"},
	} {
		for at := range 5 { // three words, two halves of a call
			t.Run(name, func(t *testing.T) {
				answer.Fault = fault
				answer.Fault.At = at
				m, _ := serve(t, answer)
				h := ask(t, m, "hello")
				e := h.failure(t)
				if len(h.calls) != 0 || len(strings.Fields(h.text)) != min(at, 3) {
					t.Errorf("after %d pieces: %q, %d calls", at, h.text, len(h.calls))
				}
				if !e.Retryable() {
					t.Errorf("it could succeed later: %v", e)
				}
				if name == "error" && (e.Status != 529 || e.Message != "Overloaded") {
					t.Errorf("got %v", e)
				}
			})
		}
	}
}

// T6: answers with status 200 that are none.
func TestT6_AnswersThatAreNone(t *testing.T) {
	start := `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}`
	text := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"hi"}}`
	tool := `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"x","input":{}}}`
	part := `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"[1"}}`
	end := `{"type":"content_block_stop","index":0}`
	delta := func(reason string) string {
		return `{"type":"message_delta","delta":{"stop_reason":` + reason + `},"usage":{"output_tokens":2}}`
	}
	stop := `{"type":"message_stop"}`
	for name, c := range map[string]struct {
		kind, body string
		want       string
		final      bool
	}{
		"a page":              {"text/html", "<html>Please\nlog in", `"text/html" where a stream of events was expected: <html>Please log in`, true},
		"in one piece":        {"application/json", `{"type":"message"}`, `"application/json"`, true},
		"nothing":             {"text/event-stream", "", "ends before it is complete", false},
		"nothing of any kind": {"", "", "ends before it is complete", false},
		"no end":              {"text/event-stream", events(start, text, end, delta(`"end_turn"`)), "ends before it is complete", false},
		"no reason":           {"text/event-stream", events(start, text, end, stop), "without a reason", false},
		"a reason of null":    {"text/event-stream", events(start, text, end, delta("null"), stop), "without a reason", false},
		"calls without calls": {"text/event-stream", events(start, text, end, delta(`"tool_use"`), stop), "calls that it doesn't have", false},
		"empty and unknown":   {"text/event-stream", events(start, delta(`"tired"`), stop), `"tired"`, false},
		"no such block":       {"text/event-stream", events(start, part), "garbled", false},
		"a block of minus 1":  {"text/event-stream", events(start, strings.Replace(end, ":0", ":-1", 1)), "garbled", false},
		"two in one":          {"text/event-stream", events(start, tool, end, start, delta(`"end_turn"`), stop), "garbled", false},
		"broken JSON":         {"text/event-stream", "event: message_start\ndata: {\n\n", "garbled", false},
		"an unknown error":    {"text/event-stream", events(`{"type":"error","error":{"type":"odd","message":"Odd."}}`), "Odd.", false},
		"an error of nothing": {"text/event-stream", "event: error\ndata: x\n\n", "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{c.kind}
				_, _ = io.WriteString(w, c.body)
			}))
			defer web.Close()
			e := ask(t, newModel(t, options(web.URL)), "hello").failure(t)
			if !strings.Contains(e.Message, c.want) || e.Final != c.final {
				t.Errorf("got %q, final %t", e.Message, e.Final)
			}
		})
	}
}

func TestServersThatDoNotSpeakTheAPI(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		header http.Header
		want   string
		final  bool
	}{
		"a proxy's page":       {status: 502, body: "<html>nginx", want: "status 502: Bad Gateway"},
		"a proxy's words":      {status: 503, body: "no\nhealthy upstream", want: "status 503: no healthy upstream"},
		"nothing":              {status: 418, body: "", want: "status 418: I'm a teapot"},
		"no status at all":     {status: 599, body: "", want: "status 599: it gives no reason"},
		"another error":        {status: 404, body: `{"detail":"Not Found"}`, want: `status 404: {"detail":"Not Found"}`},
		"a long story":         {status: 500, body: strings.Repeat("ä ", 1e6), want: "ä …"},
		"do not try again":     {status: 503, body: "x", header: http.Header{"X-Should-Retry": {"false"}}, want: "status 503: x", final: true},
		"no money left":        {status: 429, body: `{"type":"error","error":{"type":"rate_limit_error","message":"Spent.","details":{"error_code":"contract_spend_limit_reached"}}}`, want: "status 429: Spent.", final: true},
		"somewhere else":       {status: 307, header: http.Header{"Location": {"http://127.0.0.1:1/elsewhere"}}, want: "the server redirects to http://127.0.0.1:1/elsewhere", final: true},
		"milliseconds to wait": {status: 429, body: "x", header: http.Header{"Retry-After-Ms": {"1500"}, "Retry-After": {"9"}}, want: "status 429"},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range c.header {
					w.Header()[k] = v
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			}))
			defer web.Close()
			e := ask(t, newModel(t, options(web.URL)), "hello").failure(t)
			if !strings.Contains(e.Error(), c.want) || len(e.Message) > 1100 || e.Final != c.final || e.Status != c.status {
				t.Errorf("got %q, final %t, status %d", e.Error(), e.Final, e.Status)
			}
			if c.header.Get("Retry-After-Ms") != "" && e.RetryAfter != 1500*time.Millisecond {
				t.Errorf("wait %v", e.RetryAfter)
			}
		})
	}
}

func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	e := ask(t, newModel(t, options(url)), "hello").failure(t)
	if !strings.Contains(e.Message, "connect") || e.Status != 0 || !e.Retryable() {
		t.Errorf("got %v", e)
	}
}

func TestOptions(t *testing.T) {
	for name, o := range map[string]anthropic.Options{
		"no model":     {},
		"no URL":       {Model: "x", BaseURL: "::"},
		"no host":      {Model: "x", BaseURL: "https:///v1"},
		"another kind": {Model: "x", BaseURL: "ftp://example.com"},
	} {
		if _, err := anthropic.New(o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The environment of the library is not ours: package config reads it.
func TestEnvironmentIsNotRead(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "other")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "other")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Other: other")
	for _, path := range []string{"", "/", "/v1", "/v1/"} {
		for _, secret := range []string{"", key} {
			s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hello"}))
			o := options(s.AnthropicURL() + path)
			o.Key = secret
			if h := ask(t, newModel(t, o), "hello"); h.err != nil {
				t.Fatal(h.err)
			}
			header := s.Last().Header
			if header.Get("X-Api-Key") != secret || strings.TrimPrefix(header.Get("Authorization"), "Bearer ") != secret || header.Get("X-Other") != "" {
				t.Errorf("%q: the headers are %v", path, header)
			}
			if s.Last().Path != "/v1/messages" {
				t.Errorf("the path is %s", s.Last().Path)
			}
		}
	}
}

// A failure in mid-stream is not repeated, a failure before is.
func TestWithRetry(t *testing.T) {
	m, s := serve(t,
		modeltest.Answer{Fault: modeltest.Fault{Status: 529, RetryAfter: "0.001"}},
		modeltest.Answer{Text: "one two", Fault: modeltest.Fault{At: 1, Cut: true}})
	h := ask(t, model.WithRetry(m, model.RetryOptions{First: time.Millisecond}), "hello")
	if h.failure(t); h.text != "one " || len(s.Heard()) != 2 {
		t.Errorf("got %q after %d requests", h.text, len(s.Heard()))
	}
}
