package catalog

import (
	"regexp"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A Model is what is known of one. A zero field is one that nobody knows, or that isn't so.
type Model struct {
	Title         string
	ContextTokens uint64 // that a conversation and the answer to it may have together
	MaxTokens     int    // of an answer
	MaxTools      int    // that a request may offer
	Images        bool   // it takes them
	Audio         bool
	PDF           bool
	Thinking      bool // it reasons on request
	Price         Price
}

// Prompt are the kinds of content that the model takes. Embedded text is text to every model.
func (m Model) Prompt() acp.PromptCapabilities {
	return acp.PromptCapabilities{Image: m.Images, Audio: m.Audio, EmbeddedContext: true}
}

// A Price is what a model costs.
type Price struct {
	Rates

	// Over is the number of input tokens above which a whole request costs Beyond instead; 0 if there is no such number.
	Over   uint64
	Beyond Rates
}

// Rates are prices in US dollars for a million tokens. A cache that has no rates of its own costs as much as other input.
type Rates struct{ Input, Output, CacheRead, CacheWrite float64 }

// Cost is what a request has cost, in US dollars. It is not known for a model without prices.
func (p Price) Cost(u model.Usage) (usd float64, known bool) {
	r := p.Rates
	if p.Over > 0 && u.InputTokens > p.Over {
		r = p.Beyond
	}
	if r == (Rates{}) {
		return 0, false
	}
	plain := u.InputTokens - min(u.InputTokens, u.CachedReadTokens+u.CachedWriteTokens)
	usd = float64(plain)*r.Input + float64(u.OutputTokens)*r.Output +
		float64(u.CachedReadTokens)*orElse(r.CacheRead, r.Input) + float64(u.CachedWriteTokens)*orElse(r.CacheWrite, r.Input)
	return usd / 1e6, true
}

func orElse(rate, otherwise float64) float64 {
	if rate == 0 {
		return otherwise
	}
	return rate
}

// A row is the facts of a model, from a day on.
type row struct {
	provider, name string
	from           string // the day, as 2006-01-02; "" for always
	Model
}

// snapshot is how vendors end the name of a model as it was on a day.
var snapshot = regexp.MustCompile(`-(\d{8}|\d{4}-\d{2}-\d{2})$`)

// Lookup returns what is known of a provider's model on a day. A snapshot, claude-haiku-4-5-20251001, is its model. Of a
// model that isn't in the table, the family may say what it takes.
func Lookup(provider, name string, on time.Time) Model {
	if facts, ok := find(provider, name, on); ok {
		return facts
	}
	if facts, ok := find(provider, snapshot.ReplaceAllString(name, ""), on); ok {
		return facts
	}
	for _, f := range families {
		if f.provider == provider && f.pattern.MatchString(name) {
			return f.Model
		}
	}
	return Model{}
}

// find returns the last row of a model that holds on a day.
func find(provider, name string, on time.Time) (found Model, ok bool) {
	day := on.UTC().Format(time.DateOnly)
	for _, r := range table {
		if r.provider == provider && r.name == name && r.from <= day {
			found, ok = r.Model, true
		}
	}
	return found, ok
}

// Names returns the names of a provider's models, the vendor's most capable first.
func Names(provider string) []string {
	var names []string
	for _, r := range table {
		if r.provider == provider && r.from == "" {
			names = append(names, r.name)
		}
	}
	return names
}
