package wire_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// complete are the options of a model of a stub.
func complete(t *testing.T, o *wire.Options) *wire.Options {
	t.Helper()
	if err := o.Complete("stub", "http://stub"); err != nil {
		t.Fatal(err)
	}
	return o
}

// A redirection is not followed, since the key would go along; it says what to configure.
func TestRedirections(t *testing.T) {
	for name, c := range map[string]struct{ base, path, to, want string }{
		"another host":       {"/v1", "/v1/chat/completions", "https://example.com/v1/chat/completions", "the server redirects to https://example.com/v1; set base_url to it"},
		"https":              {"", "/v1/messages", "https://HOST/v1/messages", "the server redirects to https://HOST; set base_url to it"},
		"a path of the same": {"/v1", "/v1/responses", "/api/v1/responses", "the server redirects to http://HOST/api/v1; set base_url to it"},
		"a page":             {"/v1", "/v1/responses", "https://sso.example.com/login?from=%2Fv1", "the server redirects to https://sso.example.com/login; base_url has to be where the API is"},
		"secrets":            {"", "/x", "https://user:secret@example.com/y?key=secret#secret", "the server redirects to https://example.com/y; base_url has to be where the API is"},
		"nonsense":           {"", "/x", "http://[", "the server redirects to an address that is none; base_url has to be where the API is"},
	} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			t.Run(name, func(t *testing.T) {
				requests := 0
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					requests++
					w.Header().Set("Location", strings.ReplaceAll(c.to, "HOST", r.Host))
					w.WriteHeader(status)
				}))
				defer web.Close()
				o := &wire.Options{Model: "m", BaseURL: web.URL + c.base, HTTP: web.Client()}
				_, err := complete(t, o).Client().Post(web.URL+c.path, "application/json", strings.NewReader("{}"))
				var e *model.Error
				if !errors.As(err, &e) {
					t.Fatalf("got %v", err)
				}
				want := strings.ReplaceAll(c.want, "HOST", strings.TrimPrefix(web.URL, "http://"))
				if e.Message != want || !e.Final || e.Status != status || e.Provider != "stub" || requests != 1 {
					t.Errorf("got %v after %d requests, want %s", e, requests, want)
				}
			})
		}
	}
}

// body is what a client reads of an answer.
func body(t *testing.T, status int, answer io.Reader, limit int64) (int, error) {
	t.Helper()
	given := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(answer), Request: r}, nil
	})}
	res, err := complete(t, &wire.Options{Model: "m", MaxBytes: limit, HTTP: given}).Client().Get("http://stub")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if again, errAgain := res.Body.Read(make([]byte, 1)); err != nil && (again != 0 || errAgain != err) {
		t.Errorf("the error is not for good: %d, %v", again, errAgain)
	}
	return int(n), err
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// endless repeats a text for ever.
type endless struct {
	text string
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

func TestAnswersAreBounded(t *testing.T) {
	event := "data: " + strings.Repeat("x", 60<<10) + "\n\n"
	for name, c := range map[string]struct {
		status int
		answer io.Reader
		limit  int64
		least  int    // bytes that are read
		want   string // of the error
	}{
		"no more than the limit": {200, strings.NewReader("123"), 3, 3, ""},
		"one more":               {200, strings.NewReader("1234"), 3, 0, "its answer is longer than 3 bytes"},
		"events without end":     {200, &endless{text: event}, 1 << 20, 1<<20 - 64<<10, "its answer is longer than 1 MiB"},
		"the default":            {200, &endless{text: event}, 0, 120 << 20, "its answer is longer than 128 MiB"},
		"a line without end":     {200, &endless{text: strings.Repeat("x", 32<<10)}, 0, 15 << 20, "an event of its answer is longer than 16 MiB"},
		"an event without end":   {200, &endless{text: strings.Repeat("data: x\n", 4<<10)}, 0, 12 << 20, "an event of its answer is longer than 16 MiB"},
		"many events":            {200, io.LimitReader(&endless{text: event}, 40<<20), 0, 40 << 20, ""},
		"many events of CRLF":    {200, io.LimitReader(&endless{text: strings.ReplaceAll(event, "\n", "\r\n")}, 40<<20), 0, 40 << 20, ""},
		"a failure without end":  {500, &endless{text: strings.Repeat("x", 32<<10)}, 0, 1 << 20, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := body(t, c.status, c.answer, c.limit)
			var e *model.Error
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (!errors.As(err, &e) || !e.Final || e.Provider != "stub" || !strings.HasPrefix(e.Message, c.want)):
				t.Errorf("got %v", err)
			case n < c.least:
				t.Errorf("%d bytes are read", n)
			}
		})
	}
}

// A client without a transport of its own has the default one.
func TestDefaultClient(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }))
	defer web.Close()
	res, err := complete(t, &wire.Options{Model: "m"}).Client().Get(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err != nil || string(text) != "hello" {
		t.Errorf("got %q, %v", text, err)
	}
}
