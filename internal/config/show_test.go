package config_test

import (
	"fmt"
	"strings"
	"testing"
)

// Every effective value is shown with where it came from, and no secret is among them (F121, F174).
func TestF121_F174_EntriesAreTruthful(t *testing.T) {
	d := newDesk(t)
	d.user("max_tokens = 9\n[providers.box]\napi = \"chat\"\nbase_url = \"http://box/v1\"\nkey_env = \"BOX\"\nmodels.\"a.b\".images = true\n")
	d.project("providers.gemini.base_url = \"http://localhost:1\"")
	d.env["BOX"], d.env["OPENAI_API_KEY"], d.env["GEMINI_API_KEY"] = key, key, key
	d.flags["model"] = "openai/x"
	shown := map[string]string{}
	for _, e := range d.load().Entries() {
		shown[e.Name] = d.short(fmt.Sprint(e.Value, " | ", e.From))
	}
	const user = "user file home/.config/patchbay/patchbay.toml:"
	for name, want := range map[string]string{
		"model":                             "openai/x | flag --model",
		"thinking":                          "default | default",
		"max_tokens":                        "9 | " + user + "1",
		"mode":                              "full | default",
		"permissions":                       "default | default",
		"auto_approve":                      "false | default",
		"allow":                             "[] | default",
		"ask":                               "[] | default",
		"deny":                              "[] | default",
		"permission_timeout":                "1800 | default",
		"instructions":                      "true | default",
		"sessions":                          "true | default",
		"keep_sessions":                     " | default",
		"trusted_urls":                      "[] | default",
		"keep_keys":                         "[] | default",
		"silence":                           "5m | default",
		"attempts":                          "5 | default",
		"providers.openai.api":              "responses | default",
		"providers.openai.key":              "set | environment OPENAI_API_KEY",
		"providers.anthropic.key":           "none | default",
		"providers.gemini.key":              "withheld | default",
		"providers.gemini.base_url":         "http://localhost:1 | project file home/project/patchbay.toml:1",
		"providers.box.key":                 "set | environment BOX",
		"providers.box.key_env":             "BOX | " + user + "5",
		`providers.box.models."a.b".images`: "true | " + user + "6",
	} {
		if shown[name] != want {
			t.Errorf("%s: got %q, want %q", name, shown[name], want)
		}
	}
	if text := fmt.Sprintf("%+v", d.load().Entries()) + fmt.Sprintf("%#v", d.provider("openai")); strings.Contains(text, key) {
		t.Errorf("the key is told: %s", text)
	}
}

func TestProblem(t *testing.T) {
	for model, want := range map[string]string{
		"":           "",
		"offline":    "",
		"ollama/x":   "",
		"openai/x":   "the provider openai needs a key",
		"nobody/x":   "there is no provider",
		"openrouter": "which model of openrouter?",
	} {
		d := newDesk(t)
		d.flags["model"] = model
		if model == "" {
			delete(d.flags, "model")
		}
		err := d.load().Problem()
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v", model, err)
		}
	}
}
