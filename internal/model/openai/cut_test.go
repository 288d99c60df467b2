package openai_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// roundTrip answers each request by itself.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A stream may be cut after any byte, with or without an error of the connection: it is an answer if its last event has come,
// and an error if not. The step keeps the test short, and meets every part of a line.
func TestT6_CutAnywhere(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Thought: "hm", Text: "I look.", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"main.go"}`}}})
		const want = `(hm) | I look. | read{"path":"main.go"} | calls`
		var all bytes.Buffer
		record := func(o *openai.Options) {
			o.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				res, err := http.DefaultTransport.RoundTrip(r)
				if err == nil {
					res.Body = struct {
						io.Reader
						io.Closer
					}{io.TeeReader(res.Body, &all), res.Body}
				}
				return res, err
			})}
		}
		t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
		if got := stream(t.Context(), open(t, s.OpenAIURL(), api, record), ask("?")); got.told() != want {
			t.Fatalf("got %s, %v", got.told(), got.err)
		}
		last := `"finish_reason":"tool_calls"`
		if api == openai.APIResponses {
			last = `"type":"response.completed"`
		}
		complete := strings.Index(all.String(), last)
		complete += strings.Index(all.String()[complete:], "\n\n") + 2
		for n := 0; n < all.Len(); n += 13 {
			body := io.Reader(bytes.NewReader(all.Bytes()[:n]))
			if n%2 == 1 {
				body = io.MultiReader(body, errReader{})
			}
			cut := func(o *openai.Options) {
				o.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), Request: r}, nil
				})}
			}
			got := stream(t.Context(), open(t, s.OpenAIURL(), api, cut), ask("?"))
			if n >= complete && got.told() != want {
				t.Fatalf("after %d bytes of %d: got %s, %v", n, all.Len(), got.told(), got.err)
			}
			if n < complete {
				if e := got.failure(t); !strings.HasPrefix(e.Message, "the answer broke off") || !e.Retryable() {
					t.Fatalf("after %d bytes of %d: got %v", n, all.Len(), e)
				}
			}
		}
	})
}

// An errReader is a connection that breaks.
type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
