package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// A wish is a parameter that not every server, model or account takes. When a server complains about one, the request goes
// out again without it, and so do all later ones.
type wish struct{ name, value string }

// The names of wishes are those of the parameters.
const (
	wishEffort     = "reasoning.effort"  // of Responses
	wishChatEffort = "reasoning_effort"  // of Chat Completions
	wishSummary    = "reasoning.summary" // needs a verified organization
	wishInclude    = "include"           // of the encrypted reasoning; only reasoning models have it
	wishCacheKey   = "prompt_cache_key"
	wishUsage      = "stream_options" // with the usage
	wishLimit      = "limit"          // of the answer, by one of two names
)

// complaints are what servers call a parameter when they don't name it as such.
var complaints = map[string][]string{
	wishEffort:     {"reasoning.effort", "reasoning effort"},
	wishChatEffort: {"reasoning_effort", "reasoning effort", "does not support thinking"}, // the last one is Ollama's
	wishSummary:    {"reasoning.summary", "reasoning summar"},
	wishInclude:    {"encrypted content", "encrypted_content"},
	wishCacheKey:   {"prompt_cache_key"},
	wishUsage:      {"stream_options"},
	wishLimit:      {oldLimit, newLimit},
}

// remembered is the form in which a wish is refused: most by their name, but a model may take one effort and not the other.
func (w wish) remembered() wish {
	if slices.Contains([]string{wishEffort, wishChatEffort, wishLimit}, w.name) {
		return w
	}
	return wish{name: w.name}
}

// granted returns the wishes that the server has not refused. Of several with one name it is the first.
func (m *provider) granted(wishes []wish) []wish {
	m.mu.Lock()
	defer m.mu.Unlock()
	var granted []wish
	for _, w := range wishes {
		if !m.refused[w.remembered()] && value(granted, w.name) == "" {
			granted = append(granted, w)
		}
	}
	return granted
}

// concede reports whether err is a complaint about one of the wishes, and remembers that.
func (m *provider) concede(err error, granted []wish) bool {
	var failure *model.Error
	var c *complaint
	if !errors.As(err, &failure) || failure.TooLong || !errors.As(err, &c) {
		return false
	}
	if failure.Status != http.StatusBadRequest && failure.Status != http.StatusUnprocessableEntity {
		return false
	}
	for _, w := range granted {
		if !c.about(w.name) {
			continue
		}
		m.mu.Lock()
		m.refused[w.remembered()] = true
		m.mu.Unlock()
		return true
	}
	return false
}

// A complaint is what a server has said about a request that it did not take.
type complaint struct {
	code, kind, param string
	text              string // all of it
}

func (c *complaint) Error() string { return c.text }

func (c *complaint) about(name string) bool {
	text := strings.ToLower(c.text)
	return c.param == name ||
		slices.ContainsFunc(complaints[name], func(s string) bool { return strings.Contains(text, s) })
}

// value is what is wished for by this name.
func value(wishes []wish, name string) string {
	for _, w := range wishes {
		if w.name == name {
			return w.value
		}
	}
	return ""
}

// efforts are the wishes for this much reasoning, the best one first: only some models can do without.
func (m *provider) efforts(name string, t model.Thinking) []wish {
	if !m.o.Thinking {
		return nil
	}
	switch t {
	case model.ThinkingLow, model.ThinkingMedium, model.ThinkingHigh:
		return []wish{{name, string(t)}}
	case model.ThinkingOff:
		return []wish{{name, "none"}, {name, "minimal"}, {name, "low"}}
	}
	return nil
}

// cacheKey is the same for all requests of a conversation, so that OpenAI sends them to where it has cached the ones before.
func (m *provider) cacheKey(r *model.Request) []wish {
	if m.o.Provider != "openai" || len(r.Messages) == 0 {
		return nil
	}
	h := sha256.New()
	h.Write([]byte(r.System))
	for _, p := range texts(r.Messages[0].Content) {
		h.Write([]byte{0})
		h.Write([]byte(p))
	}
	return []wish{{wishCacheKey, "patchbay-" + hex.EncodeToString(h.Sum(nil)[:12])}}
}
