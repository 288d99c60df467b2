package catalog_test

import (
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/catalog"
)

func day(t *testing.T, text string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestLookup(t *testing.T) {
	for name, c := range map[string]struct {
		provider, model, title string
		context                uint64
		input                  float64
		images, thinking       bool
	}{
		"a model":                 {"anthropic", "claude-sonnet-5-5", "Claude Sonnet 5.5", 1_000_000, 2, true, true},
		"a snapshot":              {"anthropic", "claude-haiku-4-5-20251001", "Claude Haiku 4.5", 200_000, 1, true, true},
		"a snapshot with dashes":  {"openai", "gpt-5.5-2026-04-23", "GPT-5.5", 1_050_000, 5, true, true},
		"a newer one":             {"anthropic", "claude-opus-9", "", 0, 0, true, false},
		"another kind of it":      {"openai", "gpt-6.2-sol-fast", "", 0, 0, true, false},
		"an old one":              {"openai", "gpt-3.5-turbo", "", 0, 0, false, false},
		"at another provider":     {"openrouter", "claude-sonnet-5-5", "", 0, 0, false, false},
		"one that nobody knows":   {"ollama", "qwen3-coder", "", 0, 0, false, false},
		"no name at all":          {"gemini", "", "", 0, 0, false, false},
		"before the price rises":  {"gemini", "gemini-4-argon", "Gemini 4 Argon", 1_048_576, 2, true, true},
		"of a provider not known": {"x", "y", "", 0, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := catalog.Lookup(c.provider, c.model, day(t, catalog.AsOf))
			if f.Title != c.title || f.ContextTokens != c.context || f.Price.Input != c.input || f.Images != c.images || f.Thinking != c.thinking {
				t.Errorf("got %+v", f)
			}
			if p := f.Prompt(); p.Image != f.Images || p.Audio != f.Audio || !p.EmbeddedContext {
				t.Errorf("takes %+v", p)
			}
		})
	}
}

// A price that changes on a day is the old one until then.
func TestPricesChange(t *testing.T) {
	for on, want := range map[string]float64{"2026-11-30": 2, "2026-12-01": 4, "2030-01-01": 4} {
		if got := catalog.Lookup("gemini", "gemini-4-argon", day(t, on)).Price.Input; got != want {
			t.Errorf("on %s: %v, want %v", on, got, want)
		}
	}
}

func TestCost(t *testing.T) {
	price := catalog.Price{
		Rates:  catalog.Rates{Input: 2, Output: 10, CacheRead: 0.2, CacheWrite: 2.5},
		Over:   200_000,
		Beyond: catalog.Rates{Input: 4, Output: 15, CacheRead: 0.4},
	}
	for name, c := range map[string]struct {
		usage model.Usage
		want  float64
	}{
		"plain":          {model.Usage{InputTokens: 100_000, OutputTokens: 10_000}, 0.2 + 0.1},
		"cached":         {model.Usage{InputTokens: 100_000, CachedReadTokens: 80_000, CachedWriteTokens: 10_000}, 0.02 + 0.016 + 0.025},
		"all cached":     {model.Usage{InputTokens: 100_000, CachedReadTokens: 100_000}, 0.02},
		"at the step":    {model.Usage{InputTokens: 200_000}, 0.4},
		"over the step":  {model.Usage{InputTokens: 200_001, OutputTokens: 1_000_000}, 0.800004 + 15},
		"no own rate":    {model.Usage{InputTokens: 300_000, CachedWriteTokens: 300_000}, 1.2},
		"odd accounting": {model.Usage{InputTokens: 10, CachedReadTokens: 1_000_000}, 0.2},
		"nothing":        {model.Usage{}, 0},
	} {
		if got, known := price.Cost(c.usage); !known || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v (known: %t), want %v", name, got, known, c.want)
		}
	}
	if usd, known := (catalog.Price{}).Cost(model.Usage{InputTokens: 1}); known || usd != 0 {
		t.Errorf("a model without prices costs %v", usd)
	}
}

// Every row is complete and plausible, and the names are told once.
func TestTheTableIsWhole(t *testing.T) {
	for _, provider := range []string{"anthropic", "openai", "gemini"} {
		names := catalog.Names(provider)
		if len(names) < 5 {
			t.Errorf("%s has %q", provider, names)
		}
		seen := map[string]bool{}
		for _, name := range names {
			f := catalog.Lookup(provider, name, day(t, catalog.AsOf))
			p := f.Price
			switch {
			case seen[name]:
				t.Errorf("%s is there twice", name)
			case f.Title == "" || f.ContextTokens < 100_000 || f.MaxTokens < 10_000 || uint64(f.MaxTokens) > f.ContextTokens:
				t.Errorf("%s: %+v", name, f)
			case p.Output <= p.Input || p.CacheRead <= 0 || p.CacheRead >= p.Input || p.CacheWrite != 0 && p.CacheWrite <= p.Input:
				t.Errorf("%s costs %+v", name, p)
			case p.Over > 0 && (p.Beyond.Input <= p.Input || p.Beyond.Output <= p.Output):
				t.Errorf("%s costs less beyond %d: %+v", name, p.Over, p)
			}
			seen[name] = true
		}
	}
}

// The guide says the day of the table.
func TestTheGuideHasTheDay(t *testing.T) {
	guide, err := os.ReadFile("../../../docs/models.md")
	if err != nil || !strings.Contains(string(guide), "as they were on "+catalog.AsOf) {
		t.Errorf("docs/models.md lacks %s, %v", catalog.AsOf, err)
	}
}
