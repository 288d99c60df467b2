package openai_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// FuzzStream feeds a model with whatever a server might send: the answer ends with a stop or an error of the provider's, never
// with both or neither (T6), and its calls have a name and an object as input.
func FuzzStream(f *testing.F) {
	item := `{"type":"response.output_item.done","item":{"type":"function_call","call_id":"a","name":"read","arguments":"{\"a\":"}}`
	for _, body := range []string{
		chunks(delta(`{"content":"hi"}`), finish("stop"), "[DONE]"),
		chunks(delta(`{"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]}`), call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\":"}}`), finish("tool_calls")),
		chunks(call(`{"function":{"arguments":{"a":1}}}`, `{"index":1,"id":"a","function":{"name":"x y"}}`), "[DONE]"),
		chunks(delta(`{"refusal":"no"}`), finish("content_filter")),
		chunks(`{"error":{"message":"no"}}`),
		chunks(item, `{"type":"response.completed","response":{"status":"completed"}}`),
		chunks(item, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`),
		chunks(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"no"}}}`),
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, api := range []string{openai.APIChat, openai.APIResponses} {
			m, err := openai.New(openai.Options{Model: "m", API: api, HTTP: &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				header := http.Header{"Content-Type": {"text/event-stream"}}
				return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
			})}})
			if err != nil {
				t.Fatal(err)
			}
			got := stream(t.Context(), m, ask("?"))
			var failure *model.Error
			if (got.err == nil) == (got.stop == "") || got.err != nil && !errors.As(got.err, &failure) {
				t.Errorf("%s: got %s, %v", api, got.told(), got.err)
			}
			for _, c := range got.calls {
				if !model.IsObject(c.Input) || c.Name == "" || c.ID == "" {
					t.Errorf("%s: got the call %+v", api, c)
				}
			}
		}
	})
}
