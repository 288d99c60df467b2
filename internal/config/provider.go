package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Provider is who runs models, and how to reach it.
type Provider struct {
	Name  string
	Title string // for people

	API     Value[string] // one of APIs
	BaseURL Value[string]

	// KeyEnv are the variables that may hold the key, the first that is set counts. NeedsKey says that there is no getting
	// along without one.
	KeyEnv   Value[[]string]
	NeedsKey bool

	// Key is the key that goes to BaseURL; empty if there is none, or if the user's key must not go there.
	Key Value[Secret]

	// Withheld says that there is a key, and that it does not go to an address that a project's file gives.
	Withheld bool

	// DefaultModel is the model to use where nobody has chosen one; "" if there is none.
	DefaultModel string

	userFile string
	trusted  bool  // BaseURL is the user's own, or one that the user trusts
	keysErr  error // why the stored keys can't be read
	disabled bool  // by the client
}

// Provider returns a provider, or an *UnknownProviderError. That it can be used is for Check to say.
func (c *Config) Provider(name string) (*Provider, error) {
	known := c.names()
	if !slices.Contains(known, name) {
		return nil, &UnknownProviderError{Name: name, Known: known}
	}
	preset, isPreset := presetNamed(name)
	p := &Provider{Name: name, Title: preset.title, DefaultModel: preset.model, userFile: c.UserFile}
	if !isPreset {
		p.Title = name
	}
	p.API = c.all.orDefault(preset.api, nameProviders, name, "api")
	p.BaseURL = c.all.orDefault(preset.url, nameProviders, name, "base_url")
	p.KeyEnv = Value[[]string]{Value: preset.keyEnv}
	if env := get[string](c.all, nameProviders, name, "key_env"); env.Value != "" {
		p.KeyEnv = Value[[]string]{[]string{env.Value}, env.From}
	}
	p.NeedsKey = len(p.KeyEnv.Value) > 0
	own := c.own.orDefault(preset.url, nameProviders, name, "base_url")
	p.trusted = covers(own.Value, p.BaseURL.Value) || c.trusts(p.BaseURL)
	c.findKey(p)
	p.override(c.overrides[name])
	return p, nil
}

func (s settings) orDefault(def string, at ...string) Value[string] {
	if v := get[string](s, at...); v.Value != "" {
		return v
	}
	return Value[string]{Value: def}
}

// names are those of all providers, sorted.
func (c *Config) names() []string {
	all := map[string]bool{}
	for _, p := range presets {
		all[p.name] = true
	}
	for _, name := range c.all.names(nameProviders) {
		all[name] = true
	}
	for name := range c.overrides {
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// Providers returns all providers: the known ones in the order in which they are tried, then the user's own by name.
func (c *Config) Providers() []*Provider {
	var names []string
	for _, p := range presets {
		names = append(names, p.name)
	}
	for _, name := range c.names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	all := make([]*Provider, len(names))
	for i, name := range names {
		all[i], _ = c.Provider(name) // it is one of the names
	}
	return all
}

// trusts reports whether the user has said where an address is, or that it may be used.
func (c *Config) trusts(address Value[string]) bool {
	return address.From.Kind != ProjectFile ||
		slices.ContainsFunc(c.TrustedURLs.Value, func(trusted string) bool { return covers(trusted, address.Value) })
}

// findKey looks for a provider's key in the environment, then in the keys file.
func (c *Config) findKey(p *Provider) {
	key := Value[Secret]{}
	for _, name := range p.KeyEnv.Value {
		if word := strings.TrimSpace(c.env(name)); word != "" {
			key = Value[Secret]{NewSecret(word), Source{Kind: Environment, Name: name}}
			break
		}
	}
	if key.Value.IsZero() {
		var err error
		if key.Value, err = c.keys.Get(p.Name); err != nil {
			p.keysErr = err
		}
		key.From = Source{Kind: KeysFile, File: c.keys.Path()}
	}
	switch {
	case key.Value.IsZero():
	case p.trusted:
		p.Key = key
	default:
		p.Withheld = true
	}
}

// Check reports why a provider can't be used: an *UntrustedURLError, a *MissingKeyError, ErrDisabled, or a description that
// lacks something. It is nil for one that can.
func (p *Provider) Check() error {
	switch {
	case p.disabled:
		return fmt.Errorf("the provider %s can't be used: %w", p.Name, ErrDisabled)
	case p.API.Value == "":
		return fmt.Errorf("the provider %s has no api: patchbay.toml has to say which of %s it speaks", p.Name, strings.Join(APIs, ", "))
	case p.BaseURL.Value == "":
		return fmt.Errorf("the provider %s has no base_url: patchbay.toml has to say where it is", p.Name)
	case !p.trusted && !onThisMachine(p.BaseURL.Value):
		return &UntrustedURLError{Provider: p.Name, URL: p.BaseURL, UserFile: p.userFile}
	case p.trusted && p.NeedsKey && p.Key.Value.IsZero():
		return &MissingKeyError{Provider: p.Name, Env: p.KeyEnv.Value, Cause: p.keysErr}
	case !p.Key.Value.IsZero():
		return checkKey(p.Key)
	}
	return nil
}

// checkKey finds what no key has, and what would end a header early.
func checkKey(key Value[Secret]) error {
	if err := key.Value.check(); err != nil {
		return &Error{key.From, err.Error()}
	}
	return nil
}

// maxKey is how long a key may be, in bytes. Tokens of gateways are long.
const maxKey = 16 << 10

func (s Secret) check() error {
	switch {
	case s.IsZero():
		return errors.New("the key is empty")
	case len(s.Reveal()) > maxKey:
		return fmt.Errorf("the key is longer than %d bytes", maxKey)
	case strings.IndexFunc(s.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) >= 0:
		return errors.New("the key has a space or a character in it that no key has")
	}
	return nil
}
