package gemini_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/gemini"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

const key = "AIza-secret"

// every is what a model takes that takes everything.
var every = acp.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true}

func newModel(t *testing.T, url string, change ...func(*gemini.Options)) model.Model {
	t.Helper()
	o := gemini.Options{Model: "gemini-3.5-flash", Key: key, BaseURL: url, Prompt: every, PDF: true, Thinking: true}
	for _, c := range change {
		c(&o)
	}
	m, err := gemini.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// says returns a request of one prompt.
func says(text string) *model.Request {
	return &model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: []acp.ContentBlock{acp.Text(text)}}}}
}

// ask returns all events, and the error that ended them.
func ask(ctx context.Context, m model.Model, r *model.Request) (events []model.Event, err error) {
	for event, err := range m.Stream(ctx, r) {
		if err != nil {
			return events, err
		}
		events = append(events, event)
	}
	return events, nil
}

// script writes events down: "thought:… text:… call:name(input) memo usage:in/out/thoughts/cached stop:reason".
func script(events []model.Event) string {
	var told []string
	for _, event := range events {
		switch e := event.(type) {
		case model.Text:
			told = append(told, "text:"+string(e))
		case model.Thought:
			told = append(told, "thought:"+string(e))
		case *model.Call:
			call := fmt.Sprintf("call:%s%s", e.Name, e.Input)
			if e.Broken != "" {
				call += "(broken)"
			}
			told = append(told, call)
		case *model.Memo:
			told = append(told, "memo")
		case model.Usage:
			told = append(told, fmt.Sprintf("usage:%d/%d/%d/%d", e.InputTokens, e.OutputTokens, e.ThoughtTokens, e.CachedReadTokens))
		case model.Stop:
			told = append(told, "stop:"+string(e.Reason))
		}
	}
	return strings.Join(told, "|")
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		answer modeltest.Answer
		want   string
	}{
		"text":       {modeltest.Answer{Text: "hello you"}, "text:hello |text:you|memo|usage:100/10/0/0|stop:end"},
		"a thought":  {modeltest.Answer{Thought: "hm", Text: "yes"}, "thought:hm|text:yes|memo|usage:100/10/0/0|stop:end"},
		"max tokens": {modeltest.Answer{Text: "cut", Stop: "max_tokens"}, "text:cut|usage:100/10/0/0|stop:max_tokens"},
		"a refusal":  {modeltest.Answer{Stop: "refusal"}, "usage:100/10/0/0|stop:refusal"},
		"calls": {
			modeltest.Answer{Text: "look", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"a"}`}, {Name: "list", Input: `{}`}}},
			`text:look|call:read{"path":"a"}|call:list{}|memo|usage:100/10/0/0|stop:calls`,
		},
		"a call without input": {
			modeltest.Answer{Calls: []modeltest.Called{{Name: "list"}}}, `call:list{}|memo|usage:100/10/0/0|stop:calls`,
		},
		"usage": {
			modeltest.Answer{Text: "x", Input: 900, Output: 70, Thoughts: 50, CacheRead: 800}, "text:x|memo|usage:900/70/50/800|stop:end",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(c.answer))
			events, err := ask(t.Context(), newModel(t, s.GeminiURL()), says("hi"))
			if got := script(events); err != nil || got != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

// raw serves events as they are given.
func raw(t *testing.T, events ...string) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range events {
			fmt.Fprintf(w, "data: %s\r\n\r\n", e)
		}
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// finished is an event that ends an answer.
func finished(reason string) string {
	return fmt.Sprintf(`{"candidates":[{"index":0,"finishReason":%q}],"usageMetadata":{"promptTokenCount":3}}`, reason)
}

func TestEveryEndOfAnAnswer(t *testing.T) {
	hello := `{"candidates":[{"content":{"role":"model","parts":[{"text":"hello"}]}}]}`
	for name, c := range map[string]struct {
		events []string
		want   string // a script, or the words of an error
	}{
		"safety":         {[]string{finished("SAFETY")}, "usage:3/0/0/0|stop:refusal"},
		"in mid-answer":  {[]string{hello, finished("RECITATION")}, "text:hello|usage:3/0/0/0|stop:refusal"},
		"blocklist":      {[]string{finished("BLOCKLIST")}, "usage:3/0/0/0|stop:refusal"},
		"prohibited":     {[]string{finished("PROHIBITED_CONTENT")}, "usage:3/0/0/0|stop:refusal"},
		"spii":           {[]string{finished("SPII")}, "usage:3/0/0/0|stop:refusal"},
		"blocked prompt": {[]string{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":3}}`}, "usage:3/0/0/0|stop:refusal"},
		"continuation":   {[]string{hello, finished("CONTINUATION")}, "text:hello|usage:3/0/0/0|stop:max_tokens"},
		"malformed call": {[]string{finished("MALFORMED_FUNCTION_CALL")}, "malformed"},
		"unknown tool":   {[]string{finished("UNEXPECTED_TOOL_CALL")}, "doesn't have"},
		"other":          {[]string{hello, finished("OTHER")}, "for the reason OTHER"},
		"of tomorrow":    {[]string{hello, finished("FULL_MOON")}, "for the reason FULL_MOON"},
		"T6: nothing":    {[]string{finished("STOP")}, "its answer is empty"},
		"T6: a thought":  {[]string{`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}]}`, finished("STOP")}, "its answer is empty"},
		"T6: no end":     {[]string{hello}, "ended before the answer"},
		"T6: no event":   {nil, "ended before the answer"},
		"unspecified":    {[]string{hello, finished("FINISH_REASON_UNSPECIFIED")}, "ended before the answer"},
		"error, no code": {[]string{`{"error":{"message":"the backend is gone"}}`}, "the backend is gone"},
		"other shape":    {[]string{`{"candidates":"none"}`}, "what is no answer"},
		"another one":    {[]string{`{"candidates":[{"content":"none"}]}`}, "what is no answer"},
		"null":           {[]string{`{"candidates":[null]}`}, "ended before the answer"},
		"late garbage":   {[]string{hello, finished("STOP"), "{"}, "text:hello|usage:3/0/0/0|stop:end"},
	} {
		t.Run(name, func(t *testing.T) {
			events, err := ask(t.Context(), newModel(t, raw(t, c.events...)), says("hi"))
			if err == nil {
				if got := script(events); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
				return
			}
			var failure *model.Error
			if !errors.As(err, &failure) || failure.Provider != "gemini" || !strings.Contains(failure.Message, c.want) {
				t.Errorf("got %#v, want %q", err, c.want)
			}
		})
	}
}

// The first word is passed on before the second is sent.
func TestWordsComeAsTheyAreSaid(t *testing.T) {
	heard := make(chan string)
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "one two three", Fault: modeltest.Fault{Piece: func(n int) {
		if n > 0 {
			<-heard
		}
	}}}))
	var words []string
	for event, err := range newModel(t, s.GeminiURL()).Stream(t.Context(), says("count")) {
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := event.(model.Text); ok {
			words = append(words, string(text))
			if len(words) < 3 {
				heard <- string(text)
			}
		}
	}
	if diff := cmp.Diff([]string{"one ", "two ", "three"}, words); diff != "" {
		t.Error(diff)
	}
}

func TestCancelInMidStream(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "one two three", Fault: modeltest.Fault{At: 1, Silent: true}}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for event, err := range newModel(t, s.GeminiURL()).Stream(ctx, says("count")) {
		if _, ok := event.(model.Text); ok {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
}

// A listener that goes ends the request: the server, which would be silent for ever, sees the connection close.
func TestWhoStopsListeningEndsTheRequest(t *testing.T) {
	gone := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"one\"}]}}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer web.Close()
	for _, err := range newModel(t, web.URL).Stream(t.Context(), says("count")) {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	<-gone
}

// The library's panics are errors; the listener's own are not.
func TestListenersPanicIsItsOwn(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "boo"}))
	defer func() {
		if p := recover(); p != "mine" {
			t.Errorf("got %v", p)
		}
	}()
	for range newModel(t, s.GeminiURL()).Stream(t.Context(), says("hi")) {
		panic("mine")
	}
}

func TestConversationsAtOnce(t *testing.T) {
	s := modeltest.New(t, func(h *modeltest.Heard) modeltest.Answer {
		return modeltest.Answer{Text: "you said " + h.Messages[0].Text}
	})
	m := newModel(t, s.GeminiURL())
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			events, err := ask(t.Context(), m, says(fmt.Sprint(i)))
			if want := fmt.Sprintf("text:you |text:said |text:%d|memo|usage:100/10/0/0|stop:end", i); err != nil || script(events) != want {
				t.Errorf("got %s, %v", script(events), err)
			}
		})
	}
	all.Wait()
}

func TestInfo(t *testing.T) {
	m := newModel(t, "", func(o *gemini.Options) { o.ContextTokens, o.Title = 1<<20, "Gemini" })
	want := model.Info{Name: "gemini/gemini-3.5-flash", Provider: "gemini", Title: "Gemini", ContextTokens: 1 << 20, Prompt: every}
	if diff := cmp.Diff(want, m.Info()); diff != "" {
		t.Error(diff)
	}
	if title := newModel(t, "", func(o *gemini.Options) { o.Model = "g" }).Info().Title; title != "g" {
		t.Errorf("got the title %q", title)
	}
}

func TestNewRefuses(t *testing.T) {
	for want, o := range map[string]gemini.Options{
		"no model":                 {Key: key},
		"does not begin with http": {Model: "g", Key: key, BaseURL: "localhost:1234"},
	} {
		if _, err := gemini.New(o); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), key) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The library reads the environment; what is set there for others must not change where a key goes.
func TestEnvironmentIsNotRead(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "x"}))
	for _, name := range []string{"GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"} {
		t.Setenv(name, "other")
	}
	t.Setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
	if _, err := ask(t.Context(), newModel(t, s.GeminiURL()), says("hi")); err != nil {
		t.Fatal(err)
	}
	if got := s.Last().Header.Get("X-Goog-Api-Key"); got != key {
		t.Errorf("it has sent the key %q", got)
	}
	s.Keyless = true
	if _, err := ask(t.Context(), newModel(t, s.GeminiURL(), func(o *gemini.Options) { o.Key = "" }), says("hi")); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.Last().Header["X-Goog-Api-Key"]; ok {
		t.Errorf("it has sent the key %q though there is none", got)
	}
}

func TestBaseURL(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "x"}))
	for base, want := range map[string]string{
		"":          "/v1beta/models/gemini-3.5-flash:streamGenerateContent",
		"/":         "/v1beta/models/gemini-3.5-flash:streamGenerateContent",
		"/v1beta":   "/v1beta/models/gemini-3.5-flash:streamGenerateContent",
		"/v1alpha/": "/v1alpha/models/gemini-3.5-flash:streamGenerateContent",
	} {
		if _, err := ask(t.Context(), newModel(t, s.GeminiURL()+base), says("hi")); err != nil {
			t.Errorf("%q: %v", base, err)
		} else if got := s.Last().Path; got != want {
			t.Errorf("%q: it has asked %s", base, got)
		}
	}
}
