package config

import (
	"maps"
	"slices"
)

// Withhold returns the names of the variables that may hold a provider's key and are none of a command's business: those of
// all known providers, whichever variable is configured for them, and of the user's own, without KeepKeys. They are sorted.
func (c *Config) Withhold() []string {
	all := map[string]bool{}
	for _, p := range presets {
		for _, name := range p.keyEnv {
			all[name] = true
		}
	}
	for _, name := range c.names() {
		if variable := get[string](c.all, nameProviders, name, "key_env").Value; variable != "" {
			all[variable] = true
		}
	}
	for _, name := range c.KeepKeys.Value {
		delete(all, name)
	}
	return slices.Sorted(maps.Keys(all))
}
