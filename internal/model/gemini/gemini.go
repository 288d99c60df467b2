package gemini

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path"
	"strings"

	"google.golang.org/genai"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

const (
	vendor = "gemini" // whose API it is

	defaultURL     = "https://generativelanguage.googleapis.com"
	defaultVersion = "v1beta" // v1 knows neither JSON Schema nor thinking
)

// Options say which model it is and where. BaseURL is with or without the API's version ("/v1beta").
type Options = wire.Options

// New returns a model of the Gemini API. It fails if there is no model, or a key or base URL that can't be one; nothing is
// asked of the provider yet.
func New(o Options) (model.Model, error) {
	if err := o.Complete(vendor, defaultURL); err != nil {
		return nil, err
	}
	base, version := splitURL(o.BaseURL)
	client, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey:      cmp.Or(o.Key, noKey), // the library would take one from the environment
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  &http.Client{Transport: scribe{}},
		HTTPOptions: genai.HTTPOptions{BaseURL: base, APIVersion: version},
	})
	if err != nil {
		return nil, fmt.Errorf("gemini: %s", wire.Hide(err.Error(), o.Key))
	}
	return &gemini{
		o: o, client: client, generation: generation(o.Model),
		http: o.Client(),
	}, nil
}

// splitURL parts a base URL from the API's version at its end, which the library wants apart.
func splitURL(base string) (before, version string) {
	before = strings.TrimRight(base, "/")
	switch last := path.Base(before); last {
	case "v1", "v1alpha", "v1beta":
		return strings.TrimSuffix(before, "/"+last), last
	}
	return before, defaultVersion
}

// A gemini is one of Google's models.
type gemini struct {
	o          Options
	client     *genai.Client // writes the requests
	http       *http.Client  // sends them
	generation int
}

// Info says what the model is.
func (m *gemini) Info() model.Info { return m.o.Info() }

// Stream goes on with a conversation.
func (m *gemini) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		if err := m.answer(ctx, r, yield); err != nil && !errors.Is(err, errLeft) {
			yield(nil, m.explain(ctx, err))
		}
	}
}

// errLeft says that nobody listens any more. It never leaves the package.
var errLeft = errors.New("the listener has left")

func (m *gemini) answer(ctx context.Context, r *model.Request, yield func(model.Event, error) bool) error {
	request, err := m.request(ctx, r)
	if err != nil {
		return err
	}
	response, err := m.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return refusal(response)
	}
	a := &answer{m: m, made: model.NewCalls(r), tools: r.Tools}
	if err := a.read(response.Body, yield); err != nil && (!a.ended() || errors.Is(err, errLeft)) {
		return err // what goes wrong after the end is nobody's loss
	}
	events, err := a.end()
	if !all(yield, events) {
		return errLeft
	}
	return err
}

// read passes on what is said, to the end of the stream.
func (a *answer) read(body io.Reader, yield func(model.Event, error) bool) error {
	for event, err := range wire.Events(body) {
		if err != nil {
			return err
		}
		if event.Name == "error" {
			return refusedIn(event.Data)
		}
		said, err := a.take(event.Data)
		if !all(yield, said) {
			return errLeft
		}
		if err != nil {
			return err
		}
	}
	if !a.ended() {
		return errUnfinished
	}
	return nil
}

// all yields events, as long as somebody listens.
func all(yield func(model.Event, error) bool, events []model.Event) bool {
	for _, event := range events {
		if !yield(event, nil) {
			return false
		}
	}
	return true
}
