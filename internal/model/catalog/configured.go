package catalog

import (
	"time"

	"github.com/patchbay-dev/patchbay/internal/config"
)

// Facts returns what is known of the model of a choice: by the catalog, today, and by the configuration, which knows better.
func Facts(c *config.Config, choice config.Choice) Model {
	f := Lookup(choice.Provider, choice.Model, time.Now())
	if p, err := c.Provider(choice.Provider); err == nil {
		f.MaxTools = maxTools[p.API.Value]
	}
	own := c.ModelNamed(choice.Provider, choice.Model)
	set(&f.Title, own.Title)
	if own.ContextTokens != nil {
		f.ContextTokens = uint64(*own.ContextTokens)
	}
	if own.MaxTokens != nil {
		f.MaxTokens = int(*own.MaxTokens)
	}
	if own.MaxTools != nil {
		f.MaxTools = int(*own.MaxTools)
	}
	set(&f.Images, own.Images)
	set(&f.Audio, own.Audio)
	set(&f.PDF, own.PDF)
	set(&f.Thinking, own.Thinking)
	if own.Input != nil || own.Output != nil || own.CacheRead != nil || own.CacheWrite != nil {
		f.Price.Over = 0 // prices of one's own have no second step
	}
	set(&f.Price.Input, own.Input)
	set(&f.Price.Output, own.Output)
	set(&f.Price.CacheRead, own.CacheRead)
	set(&f.Price.CacheWrite, own.CacheWrite)
	return f
}

func set[T any](field, own *T) {
	if own != nil {
		*field = *own
	}
}

// Choices returns the models that can be used now and whose names are known, for a list to choose from: those of the catalog
// and of the configuration, of every provider that can be used, and the offline one. Others can be chosen by their name.
func Choices(c *config.Config) []config.Choice {
	var all []config.Choice
	for _, p := range c.Providers() {
		if p.Check() != nil {
			continue
		}
		listed := map[string]bool{}
		for _, name := range append(Names(p.Name), c.ModelNames(p.Name)...) {
			if !listed[name] {
				all = append(all, config.Choice{Provider: p.Name, Model: name})
			}
			listed[name] = true
		}
	}
	return append(all, config.Choice{Model: config.Offline})
}
