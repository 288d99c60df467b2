package config

// A Model is what the configuration says of a model, where it knows better than the catalog or the catalog knows nothing.
// What is nil is not said.
type Model struct {
	Title         *string
	ContextTokens *int64
	MaxTokens     *int64
	MaxTools      *int64
	Images        *bool
	Audio         *bool
	PDF           *bool
	Thinking      *bool

	// Input, Output, CacheRead and CacheWrite are prices, in US dollars for a million tokens.
	Input, Output, CacheRead, CacheWrite *float64
}

// ModelNamed returns what the configuration says of a provider's model.
func (c *Config) ModelNamed(provider, name string) Model {
	at := []string{nameProviders, provider, "models", name}
	return Model{
		Title:         said[string](c.all, at, "title"),
		ContextTokens: said[int64](c.all, at, "context_tokens"),
		MaxTokens:     said[int64](c.all, at, "max_tokens"),
		MaxTools:      said[int64](c.all, at, "max_tools"),
		Images:        said[bool](c.all, at, "images"),
		Audio:         said[bool](c.all, at, "audio"),
		PDF:           said[bool](c.all, at, "pdf"),
		Thinking:      said[bool](c.all, at, "thinking"),
		Input:         said[float64](c.all, at, "price", "input"),
		Output:        said[float64](c.all, at, "price", "output"),
		CacheRead:     said[float64](c.all, at, "price", "cache_read"),
		CacheWrite:    said[float64](c.all, at, "price", "cache_write"),
	}
}

// ModelNames returns the names of the models of a provider that the configuration speaks of, sorted.
func (c *Config) ModelNames(provider string) []string {
	return c.all.names(nameProviders, provider, "models")
}

func said[T any](s settings, at []string, more ...string) *T {
	v := get[T](s, append(append([]string{}, at...), more...)...)
	if v.From == (Source{}) {
		return nil
	}
	return &v.Value
}
