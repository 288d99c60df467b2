package coder

import (
	"maps"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/catalog"
	"github.com/patchbay-dev/patchbay/internal/model/provider"
)

// An engine is a model that a session speaks with, and what is known of it.
type engine struct {
	model.Model
	facts catalog.Model
}

// scripted reports whether the model only understands its own small language: nothing but the user's words may be put to it.
func (e engine) scripted() bool { return e.Info().Provider == config.Offline }

// models are the language models that there are to choose from. What a client says of providers counts for all sessions.
type models struct {
	load  func(dir string) (*config.Config, error)
	fixed model.Model // for tests: the only one

	mu      sync.Mutex
	said    map[string]config.Override // by the client, by provider
	noted   bool                       // the user knows that nobody has chosen a model
	refused refusal                    // the last one for a key that was missing
}

// config reads the configuration for a folder, "" for that of the process.
func (m *models) config(dir string) (*config.Config, error) {
	c, err := m.load(dir)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	said := maps.Clone(m.said)
	m.mu.Unlock()
	for name, override := range said {
		if c, err = c.With(name, override); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// choose opens the model that is configured. The note tells the user what nobody has chosen, once.
func (m *models) choose(c *config.Config) (e engine, note string, err error) {
	if m.fixed != nil {
		return engine{Model: m.fixed}, "", nil
	}
	choice, err := c.Choose()
	if err != nil {
		return engine{}, "", err
	}
	if e, err = open(c, choice); err != nil {
		return engine{}, "", err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if choice.Note != "" && !m.noted {
		m.noted, note = true, choice.Note
	}
	return e, note, nil
}

// named opens a model by its name.
func (m *models) named(c *config.Config, name string) (engine, error) {
	choice, err := c.Parse(name)
	if err != nil {
		return engine{}, err
	}
	return open(c, choice)
}

// again opens a model once more, as it is configured now. If it can't be used any more, it is the one that is configured.
func (m *models) again(c *config.Config, before engine) (engine, error) {
	if m.fixed != nil {
		return before, nil
	}
	if e, err := m.named(c, before.Info().Name); err == nil {
		return e, nil
	}
	e, _, err := m.choose(c)
	return e, err
}

func open(c *config.Config, choice config.Choice) (engine, error) {
	m, err := provider.Open(c, choice)
	if err != nil {
		return engine{}, err
	}
	return engine{m, catalog.Facts(c, choice)}, nil
}

// sessionError is what a client is told that can't have a session because of what is configured.
func sessionError(err error) error { return acp.ErrInternal("%s", err) }

// unset reports whether the offline model is used only because nobody has chosen a model and there is no key for any.
func (m *models) unset() bool {
	if m.fixed != nil {
		return false
	}
	cfg, err := m.config("")
	if err != nil {
		return false // a session will say so
	}
	choice, err := cfg.Choose()
	return err == nil && choice.Note != ""
}
