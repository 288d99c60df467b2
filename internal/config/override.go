package config

import (
	"errors"
	"fmt"
	"maps"
)

// Client is what the user's client says while the program runs. It is the strongest place of all.
const Client Kind = "client"

// ErrDisabled says that the client has switched a provider off. Check returns it, wrapped.
var ErrDisabled = errors.New("it is disabled")

// An Override is all that a client says of a provider. It replaces what everybody else says.
type Override struct {
	// Disabled switches the provider off, and nothing else counts.
	Disabled bool

	// API is one of APIs; "" leaves it as it is.
	API string

	// BaseURL is where the provider is; "" leaves that as it is, and the user's key too.
	BaseURL string

	// Key goes to BaseURL. No other key does.
	Key Secret
}

// With returns a configuration in which a client has its say about a provider, which may be a new one. The zero Override
// takes back what the client has said. It fails if the name or a field makes no sense.
func (c *Config) With(provider string, o Override) (*Config, error) {
	if err := o.check(provider); err != nil {
		return nil, fmt.Errorf("configure the provider %s: %w", quote(provider), err)
	}
	changed := *c
	changed.overrides = maps.Clone(c.overrides)
	if changed.overrides == nil {
		changed.overrides = map[string]Override{}
	}
	changed.overrides[provider] = o
	if !o.Disabled && o.API == "" && o.BaseURL == "" {
		delete(changed.overrides, provider)
	}
	return &changed, nil
}

func (o Override) check(provider string) error {
	if err := providerName(provider); err != nil {
		return err
	}
	if o.API != "" {
		if err := oneOf(APIs)(o.API); err != nil {
			return err
		}
	}
	if o.BaseURL == "" {
		return nil
	}
	if err := baseURL(o.BaseURL); err != nil {
		return err
	}
	if o.Key.IsZero() {
		return nil
	}
	return o.Key.check()
}

// override lets the client have its say.
func (p *Provider) override(o Override) {
	from := Source{Kind: Client}
	p.disabled = o.Disabled
	if o.API != "" {
		p.API = Value[string]{o.API, from}
	}
	if o.BaseURL != "" {
		p.BaseURL = Value[string]{o.BaseURL, from}
		p.trusted, p.NeedsKey, p.Withheld = true, false, false
		p.Key = Value[Secret]{o.Key, from}
	}
}
