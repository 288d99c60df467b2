package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/gemini"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// failed returns the error of a request, which has to be the provider's.
func failed(t *testing.T, m model.Model) ([]model.Event, *model.Error) {
	t.Helper()
	events, err := ask(t.Context(), m, says("hi"))
	var failure *model.Error
	if !errors.As(err, &failure) {
		t.Fatalf("got %v after %s", err, script(events))
	}
	if failure.Provider != "gemini" || strings.Contains(failure.Message, key) || strings.ContainsAny(failure.Message, "\r\n") {
		t.Errorf("got %+v", failure)
	}
	return events, failure
}

// Every fault of a stream ends as an error, after what was said before it, and none as an empty success (T6).
func TestFaults(t *testing.T) {
	call := []modeltest.Called{{Name: "write", Input: `{"path":"a","content":"b"}`}}
	for name, c := range map[string]struct {
		answer    modeltest.Answer
		before    string
		message   string
		status    int
		retryable bool
	}{
		"401": {
			modeltest.Answer{Fault: modeltest.Fault{Status: 401, Message: "no\n" + key + " here"}}, "", "no [key] here", 401, false,
		},
		"429":      {modeltest.Answer{Fault: modeltest.Fault{Status: 429}}, "", "stub says no", 429, true},
		"500":      {modeltest.Answer{Fault: modeltest.Fault{Status: 500}}, "", "stub says no", 500, true},
		"overload": {modeltest.Answer{Fault: modeltest.Fault{Status: 503, Message: "The model is overloaded."}}, "", "overloaded", 503, true},
		"cut at the start": {
			modeltest.Answer{Text: "one two", Fault: modeltest.Fault{Cut: true}}, "", "EOF", 0, true,
		},
		"cut in mid-answer": {
			modeltest.Answer{Text: "one two", Fault: modeltest.Fault{At: 1, Cut: true}}, "text:one ", "broke off", 0, true,
		},
		"cut in mid-call": {modeltest.Answer{Calls: call, Fault: modeltest.Fault{At: 1, Cut: true}}, "", "broke off", 0, true},
		"garbage": {
			modeltest.Answer{Text: "one two", Fault: modeltest.Fault{At: 1, Garbage: true}}, "text:one ", "what is no answer", 200, false,
		},
		"error in mid-answer": {
			modeltest.Answer{Text: "one two", Fault: modeltest.Fault{At: 1, Error: true}}, "text:one ", "stub says no", 503, true,
		},
		"error in mid-call": {modeltest.Answer{Calls: call, Fault: modeltest.Fault{At: 1, Error: true}}, "", "stub says no", 503, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(c.answer))
			events, failure := failed(t, newModel(t, s.GeminiURL()))
			if got := script(events); got != c.before {
				t.Errorf("before: got %s, want %s", got, c.before)
			}
			if failure.Status != c.status || failure.Retryable() != c.retryable || !strings.Contains(failure.Message, c.message) {
				t.Errorf("got %+v, retryable %t", failure, failure.Retryable())
			}
			if n := len(s.Heard()); n != 1 {
				t.Errorf("it has asked %d times", n)
			}
		})
	}
}

// Silence is ended by whoever has a deadline.
func TestSilence(t *testing.T) {
	for at := range 3 {
		s := modeltest.New(t, modeltest.Script(modeltest.Answer{
			Text: "a ", Calls: []modeltest.Called{{Name: "f", Input: `{"a":1}`}}, Fault: modeltest.Fault{At: at, Silent: true},
		}))
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if _, err := ask(ctx, newModel(t, s.GeminiURL()), says("hi")); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("silent at %d: got %v", at, err)
		}
		cancel()
	}
}

// page answers every request alike.
func page(t *testing.T, status int, header map[string]string, body string) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestWhatIsNoAnswer(t *testing.T) {
	html := "<html>\n<body>" + strings.Repeat("Welcome to the hotel. ", 100)
	for name, c := range map[string]struct {
		status  int
		header  map[string]string
		body    string
		message string
		final   bool
	}{
		"a page":          {200, nil, html, "Welcome to the hotel", true},
		"nothing":         {200, nil, "", "ended before the answer", false},
		"blank lines":     {200, nil, "\n\n\n\n", "ended before the answer", false},
		"JSON, no stream": {200, nil, `[{"candidates":[]}]`, "what is no answer", true},
		"a bare error":    {200, nil, `{"error":{"code":500,"message":"Internal error"}}`, "Internal error", false},
		"an error page":   {502, nil, html, "Bad Gateway", false},
		"an error":        {500, nil, "", "Internal Server Error", false},
		"an odd error":    {529, nil, `{"message":"busy"}`, "busy", false},
		"a redirect":      {307, map[string]string{"Location": "http://127.0.0.1:1/"}, "", "the server redirects to http://127.0.0.1:1/", true},
	} {
		t.Run(name, func(t *testing.T) {
			events, failure := failed(t, newModel(t, page(t, c.status, c.header, c.body)))
			if len(events) > 0 || !strings.Contains(failure.Message, c.message) || failure.Final != c.final {
				t.Errorf("got %+v after %s", failure, script(events))
			}
			if len(failure.Message) > 700 {
				t.Errorf("the message has %d bytes", len(failure.Message))
			}
		})
	}
}

func TestRefusedConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	_, failure := failed(t, newModel(t, "http://"+l.Addr().String()))
	if failure.Status != 0 || !failure.Retryable() || !strings.Contains(failure.Message, "refused") {
		t.Errorf("got %+v", failure)
	}
}

// The key goes where it is meant to go, even if the client that makes the requests follows redirects.
func TestKeyIsNotSentElsewhere(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it has followed the redirect") }))
	defer elsewhere.Close()
	url := page(t, 307, map[string]string{"Location": elsewhere.URL}, "")
	failed(t, newModel(t, url, func(o *gemini.Options) { o.HTTP = &http.Client{} }))
}

func TestModelThatIsNoName(t *testing.T) {
	_, failure := failed(t, newModel(t, "http://127.0.0.1:1", func(o *gemini.Options) { o.Model = "g?key=1" }))
	if failure.Retryable() {
		t.Errorf("got %+v", failure)
	}
}

// How long to wait is in the header or in the details of the error; of a quota for the day, waiting so long is of no use.
func TestRetryAfter(t *testing.T) {
	detail := func(kind, rest string) string {
		return fmt.Sprintf(`{"@type":"type.googleapis.com/google.rpc.%s",%s}`, kind, rest)
	}
	retry := detail("RetryInfo", `"retryDelay":"34.5s"`)
	perMinute := detail("QuotaFailure", `"violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]`)
	perDay := detail("QuotaFailure", `"violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]`)
	for name, c := range map[string]struct {
		header    string
		details   string
		low, high time.Duration
		retryable bool
	}{
		"nothing":         {"", "", 0, 0, true},
		"seconds":         {"7", "", 7 * time.Second, 7 * time.Second, true},
		"a date":          {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), "", 59 * time.Minute, time.Hour, true},
		"a date long ago": {"Sun, 06 Nov 1994 08:49:37 GMT", "", 0, 0, true},
		"nonsense":        {"soon", detail("RetryInfo", `"retryDelay":"soon"`), 0, 0, true},
		"details":         {"", perMinute + "," + retry, 34500 * time.Millisecond, 34500 * time.Millisecond, true},
		"both":            {"60", retry, time.Minute, time.Minute, true},
		"for today":       {"", perDay + "," + retry, 34500 * time.Millisecond, 34500 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			header := map[string]string{}
			if c.header != "" {
				header["Retry-After"] = c.header
			}
			body := fmt.Sprintf(`{"error":{"code":429,"message":"You exceeded your current quota.\nPlease retry.","status":"RESOURCE_EXHAUSTED","details":[%s]}}`, c.details)
			_, failure := failed(t, newModel(t, page(t, 429, header, body)))
			if failure.RetryAfter < c.low || failure.RetryAfter > c.high || failure.Retryable() != c.retryable {
				t.Errorf("got %v, retryable %t", failure.RetryAfter, failure.Retryable())
			}
			if failure.Status != 429 || failure.Message != "You exceeded your current quota. Please retry." {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

// A whole second of the wire's own way to say it.
func TestRetryAfterOfTheServer(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Fault: modeltest.Fault{Status: 429, RetryAfter: "3"}}))
	if _, failure := failed(t, newModel(t, s.GeminiURL())); failure.RetryAfter != 3*time.Second {
		t.Errorf("got %+v", failure)
	}
}

func TestConversationIsTooLong(t *testing.T) {
	for message, status := range map[string]int{
		"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).": 400,
		"Request payload size exceeds the limit: 20971520 bytes.":                                 413,
	} {
		s := modeltest.New(t, modeltest.Script(modeltest.Answer{Fault: modeltest.Fault{Status: status, Message: message}}))
		_, failure := failed(t, newModel(t, s.GeminiURL()))
		if !failure.TooLong || !failure.Final || failure.Message != message {
			t.Errorf("got %+v", failure)
		}
	}
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Fault: modeltest.Fault{Status: 400, Message: "The value exceeds the limit."}}))
	if _, failure := failed(t, newModel(t, s.GeminiURL())); failure.TooLong {
		t.Errorf("got %+v", failure)
	}
}

// An error whose text breaks off is still the error that its status says.
func TestErrorThatBreaksOff(t *testing.T) {
	url := page(t, 401, map[string]string{"Content-Length": "500"}, `{"error":{"code":401,"mess`)
	if _, failure := failed(t, newModel(t, url)); failure.Status != 401 || failure.Retryable() {
		t.Errorf("got %+v", failure)
	}
}

// A patient model asks again what has failed, and no second answer contradicts the first.
func TestWithRetry(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		modeltest.Answer{Fault: modeltest.Fault{Status: 503}}, modeltest.Answer{Text: "hello", Fault: modeltest.Fault{Cut: true}}, modeltest.Answer{Text: "hello"},
	))
	patient := model.WithRetry(newModel(t, s.GeminiURL()), model.RetryOptions{First: time.Millisecond})
	events, err := ask(t.Context(), patient, says("hi"))
	if got, want := script(events), "text:hello|memo|usage:100/10/0/0|stop:end"; err != nil || strings.TrimLeft(got, "|") != want {
		t.Errorf("got %s, %v", got, err)
	}
	if n := len(s.Heard()); n != 3 {
		t.Errorf("it has asked %d times", n)
	}
}
