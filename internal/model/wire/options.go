package wire

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// Options say which model to speak with, and how. The packages of the wire formats say what else a field means to them.
type Options struct {
	// Model is the provider's own name of the model. It has no default.
	Model string

	// Key is the provider's key. Without one, requests have no header for it, as servers at home want it.
	Key string

	// BaseURL is where the server listens: what the paths of the format are added to. Default: the vendor's.
	BaseURL string

	// API is one of the format's APIs, where it has several.
	API string

	// Provider is the name of whoever runs the model, as errors, memos and names of models have it: "ollama". Default: the
	// vendor's.
	Provider string

	// Title is a name of the model for people. Default Model.
	Title string

	// ContextTokens is how many tokens a conversation may have; 0 if nobody knows.
	ContextTokens uint64

	// MaxTokens is how many tokens an answer may have; 0 if nobody knows.
	MaxTokens int

	// Prompt are the kinds of content that the model takes besides text and links. Other kinds are refused before anything is
	// sent.
	Prompt acp.PromptCapabilities

	// PDF is set if the model takes PDF files.
	PDF bool

	// Thinking is set if the model can reason on request. Else nothing is said about it.
	Thinking bool

	// MaxBytes bounds what is read of an answer, in bytes. Default DefaultMaxBytes. A single event may have MaxEvent bytes of
	// it.
	MaxBytes int64

	// HTTP makes the requests. Default: a client without a time limit. Redirections are not followed, whatever it says: the
	// key would go along.
	HTTP *http.Client
}

// Complete sets what has a default, and fails if there is no model, or if the key or the base URL can't be one. Its errors
// begin with the vendor's name, and show neither.
func (o *Options) Complete(vendor, baseURL string) error {
	if o.BaseURL == "" {
		o.BaseURL = baseURL
	}
	if o.Provider == "" {
		o.Provider = vendor
	}
	if o.Title == "" {
		o.Title = o.Model
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("%s: %w", vendor, err)
	}
	return nil
}

func (o *Options) check() error {
	if o.Model == "" {
		return errors.New("no model is named")
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key has a space or another character that no key has")
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil {
		return errors.New("the base URL is no URL") // the error would show a password
	}
	if (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("the base URL %s does not begin with http:// or https:// and a host", u.Redacted())
	}
	return nil
}

// Info says what the model is.
func (o *Options) Info() model.Info {
	return model.Info{
		Name:          o.Provider + "/" + o.Model,
		Provider:      o.Provider,
		Title:         o.Title,
		ContextTokens: o.ContextTokens,
		Prompt:        o.Prompt,
	}
}
