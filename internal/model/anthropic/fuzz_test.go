package anthropic_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// FuzzStream feeds a model with whatever a server might send: the answer ends with a stop or an error of the provider's,
// never with both or neither (T6), and its calls have objects as input.
func FuzzStream(f *testing.F) {
	text := []string{start, blockStart(0, `{"type":"text","text":""}`), blockDelta(0, `{"type":"text_delta","text":"hi"}`), blockStop(0)}
	tool := []string{start, blockStart(0, `{"type":"tool_use","id":"a","name":"x","input":{}}`), blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"a\":1}"}`), blockStop(0)}
	f.Add(events(append(text, ends("end_turn"), stop)...))
	f.Add(events(append(text, ends("refusal"), stop)...))
	f.Add(events(append(tool, ends("tool_use"), stop)...))
	f.Add(events(append(tool, ends("max_tokens"), stop)...))
	f.Add(events(append(append(tool, text...), ends("end_turn"), stop)...))
	f.Add(events(`{"type":"error","error":{"type":"overloaded_error","message":"no"}}`))
	f.Fuzz(func(t *testing.T, stream string) {
		o := options("")
		o.HTTP = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {"text/event-stream"}}
			return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(stream)), Request: r}, nil
		})}
		h := ask(t, newModel(t, o), "hello")
		var e *model.Error
		if (h.err == nil) == (h.stop == "") || (h.err != nil && !errors.As(h.err, &e)) {
			t.Errorf("stop %q, error %v", h.stop, h.err)
		}
		for _, c := range h.calls {
			if c.Input.Kind() != '{' {
				t.Errorf("the input of a call is %s", c.Input)
			}
		}
	})
}
