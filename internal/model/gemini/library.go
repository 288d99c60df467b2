package gemini

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"google.golang.org/genai"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// The library writes the requests, and that is all: it would read an answer without a limit, write what is wrong with it to
// the standard logger, which is the process's stderr, and panic if it is not of the right shape.

// keyHeader is where the API looks for the key.
const keyHeader = "X-Goog-Api-Key"

// noKey is what the library gets for a key, on which it insists, where there is none.
const noKey = "none"

// A scribe is a transport that notes requests and sends none.
type scribe struct{}

// A note is a request as a scribe has noted it.
type note struct {
	request *http.Request
	body    []byte
}

// noteKey is the key of a request's *note in its context.
type noteKey struct{}

// errNoted is why a scribe has no answer.
var errNoted = errors.New("the request is noted")

// RoundTrip notes a request.
func (scribe) RoundTrip(r *http.Request) (*http.Response, error) {
	n, ok := r.Context().Value(noteKey{}).(*note)
	if !ok {
		return nil, errors.New("a request that nobody has asked for")
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	n.request, n.body = r, body
	return nil, errNoted
}

// request is a request on its way to the API. It fails if there is something in it that can't be put so.
func (m *gemini) request(ctx context.Context, r *model.Request) (*http.Request, error) {
	contents, config, err := m.put(r)
	if err != nil {
		return nil, err
	}
	n := new(note)
	if err := m.write(context.WithValue(ctx, noteKey{}, n), contents, config); !errors.Is(err, errNoted) {
		return nil, m.unsendable("%v", err)
	}
	request, err := http.NewRequestWithContext(ctx, n.request.Method, n.request.URL.String(), bytes.NewReader(n.body))
	if err != nil {
		return nil, m.unsendable("%v", err)
	}
	request.Header = n.request.Header
	if m.o.Key == "" {
		request.Header.Del(keyHeader)
	}
	return request, nil
}

// write has the library write a request.
func (m *gemini) write(ctx context.Context, contents []*genai.Content, config *genai.GenerateContentConfig) error {
	for _, err := range m.client.Models.GenerateContentStream(ctx, m.o.Model, contents, config) {
		return err
	}
	return errors.New("the library has sent nothing")
}
