package openai

import (
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// DefaultBaseURL is where OpenAI's own models are.
const DefaultBaseURL = "https://api.openai.com/v1"

// The APIs that a server may have.
const (
	APIResponses = "responses" // Responses
	APIChat      = "chat"      // Chat Completions
)

// Options say which model to speak with, and how.
//
// API is APIResponses or APIChat; the default is APIResponses at DefaultBaseURL, and APIChat everywhere else. BaseURL is up to
// and with the version: "http://127.0.0.1:11434/v1". Only Chat Completions has audio.
type Options = wire.Options

// vendor is the provider whose APIs they are.
const vendor = "openai"

// New returns a model. It does not talk to the provider yet, and reads nothing from the environment. It fails if the options
// have no model, or an API, a key or a URL that can't be one.
func New(o Options) (model.Model, error) {
	if o.API == "" {
		o.API = APIChat
		if o.BaseURL == "" {
			o.API = APIResponses
		}
	}
	if err := o.Complete(vendor, DefaultBaseURL); err != nil {
		return nil, err
	}
	if o.API != APIResponses && o.API != APIChat {
		return nil, fmt.Errorf("openai: there is no API %q: want %q or %q", o.API, APIResponses, APIChat)
	}
	if o.API == APIResponses {
		o.Prompt.Audio = false
	}
	m := &provider{o: o, refused: map[wish]bool{}}
	// The services are made one by one, since openai.NewClient would look for keys in the environment.
	settings := []option.RequestOption{
		option.WithBaseURL(o.BaseURL),
		option.WithHTTPClient(o.Client()),
		option.WithMaxRetries(0), // model.WithRetry does that, and tells the user
		option.WithHeader("Accept", "text/event-stream"),
		option.WithMiddleware(m.refuse),
	}
	if o.Key != "" {
		settings = append(settings, option.WithAPIKey(o.Key))
	}
	if o.API == APIResponses {
		m.api = &responsesAPI{m, responses.NewResponseService(settings...)}
	} else {
		m.api = &chatAPI{m, openai.NewChatCompletionService(settings...)}
	}
	return m, nil
}
