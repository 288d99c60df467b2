package coder

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/config"
)

// protocols pairs the wire formats of the configuration with the protocol's names for them. Names of our own begin with an
// underscore.
var protocols = []struct {
	api      string
	protocol acp.LLMProtocol
}{
	{"anthropic", acp.LLMProtocolAnthropic},
	{"responses", acp.LLMProtocolOpenAI},
	{"chat", "_openai_chat"},
	{"gemini", "_gemini"},
}

// ListProviders says which providers there are and where their requests go. Keys are not shown.
func (c *Coder) ListProviders(context.Context) ([]acp.ProviderInfo, error) {
	cfg, err := c.models.config("")
	if err != nil {
		return nil, acp.ErrInternal("%s", err)
	}
	list := []acp.ProviderInfo{}
	for _, p := range cfg.Providers() {
		info := acp.ProviderInfo{ProviderID: acp.ProviderID(p.Name)}
		for _, known := range protocols {
			info.Supported = append(info.Supported, known.protocol)
			if known.api == p.API.Value && !errors.Is(p.Check(), config.ErrDisabled) {
				info.Current = &acp.ProviderCurrentConfig{APIType: known.protocol, BaseURL: withoutUser(p.BaseURL.Value)}
			}
		}
		list = append(list, info)
	}
	return list, nil
}

// withoutUser returns an address without a password that may stand in it.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	u.User = nil
	return u.String()
}

// SetProvider has requests go where the client says, with the client's key and no other. It counts for sessions that begin
// afterwards, and until the process ends.
func (c *Coder) SetProvider(_ context.Context, req *acp.SetProviderRequest) error {
	override := config.Override{BaseURL: req.BaseURL}
	for _, known := range protocols {
		if known.protocol == req.APIType {
			override.API = known.api
		}
	}
	if override.API == "" {
		return acp.ErrInvalidParams("apiType %q is not supported", req.APIType)
	}
	for _, name := range slices.Sorted(maps.Keys(req.Headers)) {
		key, ok := keyIn(name, req.Headers[name])
		if !ok {
			return acp.ErrInvalidParams("the header %q can't be sent: only a key in Authorization, X-Api-Key or X-Goog-Api-Key can", name)
		}
		override.Key = config.NewSecret(key)
	}
	return c.override(req.ProviderID, override)
}

// keyIn finds the key in a header that carries one.
func keyIn(name, value string) (string, bool) {
	switch strings.ToLower(name) {
	case "authorization":
		return strings.CutPrefix(value, "Bearer ")
	case "x-api-key", "x-goog-api-key":
		return value, value != ""
	}
	return "", false
}

// DisableProvider has no request go to a provider any more, of sessions that begin afterwards.
func (c *Coder) DisableProvider(_ context.Context, id acp.ProviderID) error {
	cfg, err := c.models.config("")
	if err != nil {
		return acp.ErrInternal("%s", err)
	}
	if _, err := cfg.Provider(string(id)); err != nil {
		return acp.ErrInvalidParams("%s", err)
	}
	return c.override(id, config.Override{Disabled: true})
}

func (c *Coder) override(id acp.ProviderID, o config.Override) error {
	cfg, err := c.models.load("")
	if err != nil {
		return acp.ErrInternal("%s", err)
	}
	if _, err := cfg.With(string(id), o); err != nil {
		return acp.ErrInvalidParams("%s", err)
	}
	c.models.say(string(id), o)
	return nil
}

// say notes what the client says of a provider.
func (m *models) say(provider string, o config.Override) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.said == nil {
		m.said = map[string]config.Override{}
	}
	m.said[provider] = o
}

// forget takes back what the client has said of providers.
func (m *models) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.said = nil
}
