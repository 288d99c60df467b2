package anthropic_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/anthropic"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const key = "sk-ant-secret"

// options are those of a model that can do everything.
func options(url string) anthropic.Options {
	return anthropic.Options{
		Model:    "claude-opus-5-5",
		Key:      key,
		BaseURL:  url,
		Thinking: true,
		Prompt:   acp.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true}, PDF: true,
	}
}

func newModel(t testing.TB, o anthropic.Options) model.Model {
	t.Helper()
	m, err := anthropic.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// serve returns a model and the server that it speaks with.
func serve(t testing.TB, answers ...modeltest.Answer) (model.Model, *modeltest.Server) {
	t.Helper()
	s := modeltest.New(t, modeltest.Script(answers...))
	return newModel(t, options(s.AnthropicURL())), s
}

// wire returns a model whose server answers with these bytes, whatever it is asked, one after the other.
func wire(t testing.TB, streams ...string) (model.Model, *[]string) {
	t.Helper()
	var bodies []string
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		fmt.Fprint(w, streams[min(len(bodies), len(streams))-1])
	}))
	t.Cleanup(web.Close)
	return newModel(t, options(web.URL)), &bodies
}

// events writes the events of a stream, each of which has its type in it.
func events(datas ...string) string {
	var b strings.Builder
	for _, d := range datas {
		_, kind, _ := strings.Cut(d, `"type":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, d)
	}
	return b.String()
}

// ask collects what the model says to a prompt.
func ask(t testing.TB, m model.Model, prompt string) heard {
	t.Helper()
	return listen(t.Context(), m, &model.Request{Messages: []model.Message{user(prompt)}})
}

func user(text string) model.Message {
	return model.Message{Role: model.RoleUser, Content: []acp.ContentBlock{&acp.TextContent{Text: text}}}
}

// A heard is all that came of a request.
type heard struct {
	text, thought string
	calls         []*model.Call
	memo          *model.Memo
	usage         model.Usage
	stop          model.StopReason
	why           string // it stopped
	order         string // kinds of events, a run of the same once
	err           error
}

// message is the assistant's message as a caller would keep it.
func (h heard) message() model.Message {
	m := model.Message{Role: model.RoleAssistant, Calls: h.calls, Memo: h.memo}
	if h.text != "" {
		m.Content = []acp.ContentBlock{&acp.TextContent{Text: h.text}}
	}
	return m
}

func listen(ctx context.Context, m model.Model, r *model.Request) heard {
	var h heard
	for event, err := range m.Stream(ctx, r) {
		if err != nil {
			h.err = err
			continue
		}
		kind := ""
		switch e := event.(type) {
		case model.Text:
			kind, h.text = "text", h.text+string(e)
		case model.Thought:
			kind, h.thought = "thought", h.thought+string(e)
		case *model.Call:
			kind, h.calls = "call", append(h.calls, e)
		case *model.Memo:
			kind, h.memo = "memo", e
		case model.Usage:
			kind, h.usage = "usage", e
		case model.Stop:
			kind, h.stop, h.why = "stop", e.Reason, e.Why
		}
		if !strings.HasSuffix(h.order, kind) {
			h.order = strings.TrimSpace(h.order + " " + kind)
		}
	}
	return h
}

// failure is the provider's error, or a fatal one of the test.
func (h heard) failure(t testing.TB) *model.Error {
	t.Helper()
	var e *model.Error
	if !errors.As(h.err, &e) {
		t.Fatalf("it fails with %v, stop %q", h.err, h.stop)
	}
	if h.stop != "" {
		t.Errorf("T6: a failure with a stop: %q", h.stop)
	}
	if e.Provider != "anthropic" || strings.Contains(e.Error(), key) || strings.Contains(e.Error(), "\n") {
		t.Errorf("the error is %q", e.Error())
	}
	return e
}
