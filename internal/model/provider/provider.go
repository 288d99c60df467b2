package provider

import (
	"fmt"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/anthropic"
	"github.com/patchbay-dev/patchbay/internal/model/catalog"
	"github.com/patchbay-dev/patchbay/internal/model/gemini"
	"github.com/patchbay-dev/patchbay/internal/model/offline"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// Open returns the model of a choice, with patience for its provider. Nothing is asked of the provider yet, so a name that
// it doesn't know is found out with the first request. The errors are those of the configuration:
// *config.UnknownProviderError, *config.MissingKeyError, *config.UntrustedURLError.
func Open(c *config.Config, choice config.Choice) (model.Model, error) {
	if choice.Provider == "" {
		return offline.Model{}, nil
	}
	p, err := c.Provider(choice.Provider)
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	m, err := open(p, choice.Model, catalog.Facts(c, choice))
	if err != nil {
		return nil, fmt.Errorf("use the model %s: %w", choice, err)
	}
	return model.WithRetry(m, model.RetryOptions{Attempts: c.Attempts.Value, Silence: c.Silence.Value}), nil
}

func open(p *config.Provider, name string, f catalog.Model) (model.Model, error) {
	o := wire.Options{
		API: p.API.Value, Provider: p.Name, Model: name, Key: p.Key.Value.Reveal(), BaseURL: p.BaseURL.Value,
		Title: f.Title, ContextTokens: f.ContextTokens, MaxTokens: f.MaxTokens, Prompt: f.Prompt(), PDF: f.PDF, Thinking: f.Thinking,
	}
	switch o.API {
	case "anthropic":
		return anthropic.New(o)
	case "gemini":
		return gemini.New(o)
	}
	return openai.New(o)
}
