package config_test

import (
	"errors"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/config"
)

func with(t *testing.T, c *config.Config, provider string, o config.Override) *config.Config {
	t.Helper()
	changed, err := c.With(provider, o)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// What a client says replaces the address together with the key: neither goes with the other's.
func TestAClientReplacesAProvider(t *testing.T) {
	d := newDesk(t)
	d.env["OPENAI_API_KEY"] = key
	before := d.load()
	after := with(t, before, "openai", config.Override{API: "chat", BaseURL: "https://corp.example.com/v1", Key: config.NewSecret("corp")})
	p, err := after.Provider("openai")
	if err != nil || p.Check() != nil {
		t.Fatal(err, p.Check())
	}
	if p.API.Value != "chat" || p.BaseURL.Value != "https://corp.example.com/v1" || p.Key.Value.Reveal() != "corp" || p.Key.From.Kind != config.Client {
		t.Errorf("got %+v", p)
	}
	keyless := with(t, before, "openai", config.Override{BaseURL: "https://corp.example.com/v1"})
	if p, _ := keyless.Provider("openai"); !p.Key.Value.IsZero() || p.Check() != nil {
		t.Errorf("the user's key goes along: %v", p.Check())
	}
	if p, _ := before.Provider("openai"); p.Key.Value.Reveal() != key {
		t.Error("the configuration has changed")
	}
	if p, _ := with(t, after, "openai", config.Override{}).Provider("openai"); p.Key.Value.Reveal() != key || p.API.Value != "responses" {
		t.Error("it can't be taken back")
	}
}

func TestAClientDisablesAProvider(t *testing.T) {
	d := newDesk(t)
	d.env["ANTHROPIC_API_KEY"], d.env["OPENAI_API_KEY"] = key, key
	c := with(t, d.load(), "anthropic", config.Override{Disabled: true})
	if p, _ := c.Provider("anthropic"); !errors.Is(p.Check(), config.ErrDisabled) {
		t.Errorf("got %v", p.Check())
	}
	if choice, err := c.Choose(); err != nil || choice.Provider != "openai" {
		t.Errorf("chose %v, %v", choice, err)
	}
}

func TestAClientAddsAProvider(t *testing.T) {
	c := with(t, newDesk(t).load(), "corp", config.Override{API: "anthropic", BaseURL: "https://corp.example.com"})
	if p, err := c.Provider("corp"); err != nil || p.Check() != nil {
		t.Errorf("got %v", err)
	}
}

func TestOverridesThatMakeNoSense(t *testing.T) {
	c := newDesk(t).load()
	for name, o := range map[string]config.Override{
		"offline": {Disabled: true},
		"A":       {Disabled: true},
		"api":     {API: "soap", BaseURL: "https://x"},
		"url":     {API: "chat", BaseURL: "corp"},
		"key":     {API: "chat", BaseURL: "https://x", Key: config.NewSecret("a b")},
	} {
		if _, err := c.With(name, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
