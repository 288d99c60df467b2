package config_test

import (
	"strings"
	"testing"
)

// F175: the variables that may hold a provider's key are kept from commands, also where another one is configured for it,
// save those that the user lets them have.
func TestF175_KeysAreWithheld(t *testing.T) {
	d := newDesk(t)
	const known = "ANTHROPIC_API_KEY GEMINI_API_KEY GOOGLE_API_KEY OPENAI_API_KEY OPENROUTER_API_KEY"
	if got := strings.Join(d.load().Withhold(), " "); got != known {
		t.Errorf("got %s", got)
	}
	d.user("keep_keys = ['OPENAI_API_KEY', 'GROQ']\n[providers.groq]\nkey_env = 'GROQ'\n[providers.box]\nkey_env = 'BOX_KEY'\n[providers.anthropic]\nkey_env = 'MINE'\n")
	want := "ANTHROPIC_API_KEY BOX_KEY GEMINI_API_KEY GOOGLE_API_KEY MINE OPENROUTER_API_KEY"
	if got := strings.Join(d.load().Withhold(), " "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
