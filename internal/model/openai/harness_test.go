package openai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// both runs a test with each API.
func both(t *testing.T, test func(t *testing.T, api string)) {
	for _, api := range []string{openai.APIResponses, openai.APIChat} {
		t.Run(api, func(t *testing.T) { test(t, api) })
	}
}

// open returns a model that can do everything, at the base URL.
func open(t *testing.T, url, api string, change ...func(*openai.Options)) model.Model {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	o := openai.Options{
		Model: "stub", Key: "sk-secret", BaseURL: url, API: api, Thinking: true, HTTP: &http.Client{Transport: transport},
		Prompt: acp.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true}, PDF: true,
	}
	for _, f := range change {
		f(&o)
	}
	m, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// raw is a server that answers with this body, as it is.
func raw(t *testing.T, status int, kind, body string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// chunks is a stream of these events.
func chunks(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "data: %s\n\n", e)
	}
	return b.String()
}

// delta is a chunk of Chat Completions.
func delta(d string) string {
	return `{"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

// finish is a chunk that ends an answer.
func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

func user(blocks ...acp.ContentBlock) model.Message {
	return model.Message{Role: model.RoleUser, Content: blocks}
}

func ask(text string) *model.Request {
	return &model.Request{Messages: []model.Message{user(acp.Text(text))}}
}

// A reply is everything that has come.
type reply struct {
	text, thought string
	calls         []*model.Call
	memo          *model.Memo
	usage         model.Usage
	stop          model.StopReason
	why           string // it stopped
	order         string // one letter for each event
	err           error
}

func stream(ctx context.Context, m model.Model, r *model.Request) *reply {
	got := &reply{}
	for event, err := range m.Stream(ctx, r) {
		if err != nil {
			got.err = err
			got.order += "!"
			continue
		}
		switch e := event.(type) {
		case model.Text:
			got.text += string(e)
			got.order += "t"
		case model.Thought:
			got.thought += string(e)
			got.order += "h"
		case *model.Call:
			got.calls = append(got.calls, e)
			got.order += "c"
		case *model.Memo:
			got.memo = e
			got.order += "m"
		case model.Usage:
			got.usage = e
			got.order += "u"
		case model.Stop:
			got.stop, got.why = e.Reason, e.Why
			got.order += "s"
		}
	}
	return got
}

// message is the reply as a part of the conversation.
func (r *reply) message() model.Message {
	m := model.Message{Role: model.RoleAssistant, Calls: r.calls, Memo: r.memo}
	if r.text != "" {
		m.Content = []acp.ContentBlock{acp.Text(r.text)}
	}
	return m
}

// told is the reply in short.
func (r *reply) told() string {
	var parts []string
	if r.thought != "" {
		parts = append(parts, "("+r.thought+")")
	}
	if r.text != "" {
		parts = append(parts, r.text)
	}
	for _, c := range r.calls {
		parts = append(parts, c.Name+string(c.Input))
	}
	if r.err != nil {
		return strings.Join(append(parts, "error"), " | ")
	}
	return strings.Join(append(parts, string(r.stop)), " | ")
}

// failure is the provider's error.
func (r *reply) failure(t *testing.T) *model.Error {
	t.Helper()
	var e *model.Error
	if !errors.As(r.err, &e) {
		t.Fatalf("got %s with the error %v", r.told(), r.err)
	}
	if r.stop != "" || !strings.HasSuffix(r.order, "!") {
		t.Errorf("T6: something came after the error: %s", r.order)
	}
	return e
}

func serve(t *testing.T, answers ...modeltest.Answer) *modeltest.Server {
	return modeltest.New(t, modeltest.Script(answers...))
}
