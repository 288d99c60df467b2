package gemini_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/gemini"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// FuzzStream feeds a model with whatever a server might send: the answer ends with a stop or an error of the provider's, never
// with both or neither (T6), and its calls have a name and an object as input.
func FuzzStream(f *testing.F) {
	for _, stream := range []string{
		"data: " + parts(`{"text":"hi"}`) + "\n\ndata: " + finished("STOP") + "\n\n",
		"data: " + parts(`{"functionCall":{"name":"read","args":{"a":1}},"thoughtSignature":"c2ln"}`) + "\r\n\r\ndata: " + finished("STOP"),
		": x\n\nevent: x\ndata: " + parts(`{"functionCall":{"id":"a","args":"{}"}}`, `{"text":"hm","thought":true}`) + "\n\ndata: " + finished("MAX_TOKENS") + "\n\n",
		"data: {\"candidates\":[{\"finishReason\":\"MALFORMED_FUNCTION_CALL\",\"finishMessage\":\"x\"}]}\n\n",
		"data: {\"promptFeedback\":{\"blockReason\":\"OTHER\"}}\n\n",
		`{"error":{"code":500,"message":"no"}}`, "<html>", "data: [DONE]\n\n",
	} {
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		m := newModel(t, "", func(o *gemini.Options) {
			o.HTTP = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(stream)), Request: r}, nil
			})}
		})
		events, err := ask(t.Context(), m, says("hi"))
		stopped := false
		for _, e := range events {
			switch e := e.(type) {
			case model.Stop:
				stopped = true
			case *model.Call:
				if !model.IsObject(e.Input) || e.Name == "" || e.ID == "" {
					t.Errorf("got the call %+v", e)
				}
			}
		}
		var failure *model.Error
		if (err == nil) != stopped || err != nil && !errors.As(err, &failure) {
			t.Errorf("stopped %t, error %v", stopped, err)
		}
	})
}
