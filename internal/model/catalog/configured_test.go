package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model/catalog"
)

// load reads a configuration from the user's file and some variables.
func load(t *testing.T, file string, env map[string]string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Options{Dir: t.TempDir(), UserDir: dir, Env: func(name string) string { return env[name] }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The configuration knows better than the catalog, field by field.
func TestFacts(t *testing.T) {
	c := load(t, `
[providers.anthropic.models.claude-haiku-5-5]
context_tokens = 50_000
price = { output = 1.5 }
[providers.ollama.models."qwen3:8b"]
title = "Qwen"
max_tokens = 1000
max_tools = 7
images = true
audio = true
pdf = true
thinking = true
price = { input = 1, cache_read = 0.5, cache_write = 2 }
`, nil)
	f := catalog.Facts(c, config.Choice{Provider: "anthropic", Model: "claude-haiku-5-5"})
	if f.Title != "Claude Haiku 5.5" || f.ContextTokens != 50_000 || f.MaxTokens != 128_000 || !f.Images || f.Price.Input != 0.1 || f.Price.Output != 1.5 || f.Price.Over != 0 {
		t.Errorf("got %+v", f)
	}
	f = catalog.Facts(c, config.Choice{Provider: "ollama", Model: "qwen3:8b"})
	if f.Title != "Qwen" || f.MaxTokens != 1000 || f.MaxTools != 7 || !f.Images || !f.Audio || !f.PDF || !f.Thinking || f.Price.Input != 1 || f.Price.CacheRead != 0.5 || f.Price.CacheWrite != 2 {
		t.Errorf("got %+v", f)
	}
}

// A request may offer so many tools: what the configuration says, or what the wire format takes.
func TestHowManyToolsARequestMayOffer(t *testing.T) {
	c := load(t, "providers.box.api = \"chat\"\nproviders.box.base_url = \"http://127.0.0.1:1/v1\"\nproviders.openai.models.large.max_tools = 0", nil)
	for choice, want := range map[config.Choice]int{
		{Provider: "anthropic", Model: "claude-sonnet-5-5"}: 0, {Provider: "openai", Model: "gpt-6.2-sol"}: 128, {Provider: "openai", Model: "large"}: 0,
		{Provider: "gemini", Model: "gemini-3.8-flash"}: 512, {Provider: "box", Model: "any"}: 128, {Model: config.Offline}: 0,
	} {
		if got := catalog.Facts(c, choice).MaxTools; got != want {
			t.Errorf("%s: %d, want %d", choice, got, want)
		}
	}
}

func TestChoices(t *testing.T) {
	c := load(t, "providers.ollama.models.qwen.images = true\nproviders.gemini.models.gemini-9.images = true\nproviders.gemini.models.gemini-4-neon.images = true",
		map[string]string{"GEMINI_API_KEY": "k"})
	var names []string
	for _, choice := range catalog.Choices(c) {
		names = append(names, choice.String())
	}
	for _, want := range []string{"gemini/gemini-4-neon", "gemini/gemini-9", "ollama/qwen", "offline"} {
		if n := len(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name != want })); n != 1 {
			t.Errorf("%s is there %d times", want, n)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "anthropic/") }) {
		t.Errorf("offers models without a key: %q", names)
	}
}
