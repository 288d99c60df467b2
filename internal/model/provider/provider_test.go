package provider_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/model/provider"
)

// The library for Gemini brings a package that starts a goroutine for good when it is imported.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}

// load reads a configuration from two files and some variables.
func load(t *testing.T, user, project string, env map[string]string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"user/patchbay.toml": user, "project/patchbay.toml": project} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(config.Options{
		Dir: filepath.Join(dir, "project"), UserDir: filepath.Join(dir, "user"), Home: dir, Env: func(name string) string { return env[name] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// open opens a model by its name; "" is the one that is chosen where nobody has.
func open(t *testing.T, c *config.Config, name string) (model.Model, error) {
	t.Helper()
	choice, err := c.Choose()
	if name != "" {
		choice, err = c.Parse(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return provider.Open(c, choice)
}

// say has a model answer, and returns the text.
func say(t *testing.T, m model.Model) (string, error) {
	t.Helper()
	var said strings.Builder
	prompt := []model.Message{{Role: model.RoleUser, Content: []acp.ContentBlock{&acp.TextContent{Text: "hello"}}}}
	for event, err := range m.Stream(context.Background(), &model.Request{Messages: prompt}) {
		if err != nil {
			return said.String(), err
		}
		if text, ok := event.(model.Text); ok {
			said.WriteString(string(text))
		}
	}
	return said.String(), nil
}

// Each wire format is spoken at the address that the configuration gives, with the key of that provider and no other.
func TestEveryFormatIsReached(t *testing.T) {
	for name, c := range map[string]struct {
		user   string // URL stands for the server's
		env    map[string]string
		model  string
		format string
		header string // that carries the key
		want   string
	}{
		"anthropic":  {env: map[string]string{"ANTHROPIC_BASE_URL": "URL", "ANTHROPIC_API_KEY": "the-key"}, model: "", format: "anthropic", header: "X-Api-Key", want: "the-key"},
		"openai":     {env: map[string]string{"OPENAI_BASE_URL": "URL/v1", "OPENAI_API_KEY": "the-key"}, model: "openai/gpt-9", format: "responses", header: "Authorization", want: "Bearer the-key"},
		"gemini":     {env: map[string]string{"GOOGLE_GEMINI_BASE_URL": "URL", "GEMINI_API_KEY": "the-key"}, model: "gemini", format: "gemini", header: "X-Goog-Api-Key", want: "the-key"},
		"ollama":     {env: map[string]string{"OLLAMA_HOST": "URL"}, model: "ollama/qwen", format: "chat", header: "Authorization"},
		"vllm":       {user: `providers.vllm.base_url = "URL/v1"`, model: "vllm/org/model", format: "chat", header: "Authorization"},
		"openrouter": {user: `providers.openrouter.base_url = "URL/v1"`, env: map[string]string{"OPENROUTER_API_KEY": "the-key"}, model: "openrouter/a/b", format: "chat", header: "Authorization", want: "Bearer the-key"},
		"one's own": {
			user: "[providers.mine]\napi = \"anthropic\"\nbase_url = \"URL\"\nkey_env = \"MINE\"", env: map[string]string{"MINE": "the-key"},
			model: "mine/m", format: "anthropic", header: "X-Api-Key", want: "the-key",
		},
		"one's own at home": {
			user: "[providers.home]\napi = \"anthropic\"\nbase_url = \"URL\"", model: "home/m", format: "anthropic", header: "X-Api-Key",
		},
		"one's own gemini": {
			user: "[providers.mine]\napi = \"gemini\"\nbase_url = \"URL\"\nkey_env = \"MINE\"", env: map[string]string{"MINE": "the-key"},
			model: "mine/gemini-3.5-flash", format: "gemini", header: "X-Goog-Api-Key", want: "the-key",
		},
		"gemini at home": {
			user: "[providers.home]\napi = \"gemini\"\nbase_url = \"URL\"", model: "home/gemini-3.5-flash", format: "gemini", header: "X-Goog-Api-Key",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi there"}))
			server.Keyless = c.want == ""
			// The libraries would take these, if we let them.
			for _, variable := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"} {
				t.Setenv(variable, "another-key")
			}
			env := map[string]string{}
			for k, v := range c.env {
				env[k] = strings.ReplaceAll(v, "URL", server.URL)
			}
			m, err := open(t, load(t, strings.ReplaceAll(c.user, "URL", server.URL), "", env), c.model)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := say(t, m); err != nil || text != "hi there" {
				t.Fatalf("said %q, %v", text, err)
			}
			heard := server.Last()
			if heard.Format != c.format || heard.Header.Get(c.header) != c.want {
				t.Errorf("heard %s with the key %q", heard.Format, heard.Header.Get(c.header))
			}
			for name, values := range heard.Header {
				if strings.Contains(strings.Join(values, " "), "another-key") {
					t.Errorf("%s has the key of another provider", name)
				}
			}
			if c.model != "" && strings.Contains(c.model, "/") && m.Info().Name != c.model {
				t.Errorf("it is called %q", m.Info().Name)
			}
		})
	}
}

// Errors name the provider as the configuration does, whatever wire format it speaks.
func TestErrorsNameTheProvider(t *testing.T) {
	for _, api := range []string{"anthropic", "responses", "chat", "gemini"} {
		server := modeltest.New(t, modeltest.Script(modeltest.Answer{Fault: modeltest.Fault{Status: 401}}))
		server.Keyless = true
		url := map[string]string{"anthropic": server.AnthropicURL(), "gemini": server.GeminiURL()}[api]
		if url == "" {
			url = server.OpenAIURL()
		}
		m, err := open(t, load(t, "[providers.mine]\napi = \""+api+"\"\nbase_url = \""+url+"\"", "", nil), "mine/m")
		if err != nil {
			t.Fatal(err)
		}
		_, err = say(t, m)
		failure := new(model.Error)
		if !errors.As(err, &failure) || failure.Provider != "mine" || m.Info().Provider != "mine" || m.Info().Name != "mine/m" {
			t.Errorf("%s: got %v from %+v", api, err, m.Info())
		}
	}
}

// The address of a project's file is reached without the user's key, and only on this machine.
func TestAProjectsServerGetsNoKey(t *testing.T) {
	server := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
	t.Setenv("OPENAI_API_KEY", "the-key")
	env := map[string]string{"OPENAI_API_KEY": "the-key"}
	m, err := open(t, load(t, "", `providers.openai.base_url = "`+server.URL+`/v1"`, env), "openai/gpt")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := say(t, m); err != nil {
		t.Fatal(err)
	}
	for name, values := range server.Last().Header {
		if strings.Contains(strings.Join(values, " "), "the-key") {
			t.Errorf("%s has the key", name)
		}
	}
	_, err = open(t, load(t, "", `providers.openai.base_url = "https://192.0.2.1/v1"`, env), "openai/gpt")
	if untrusted := new(config.UntrustedURLError); !errors.As(err, &untrusted) {
		t.Errorf("got %v", err)
	}
}

// How long a provider may say nothing, and how often it is asked, is what the configuration says.
func TestThePatienceIsConfigured(t *testing.T) {
	silent := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "one two", Fault: modeltest.Fault{At: 1, Silent: true}}))
	silent.Keyless = true
	m, err := open(t, load(t, "silence = '1s'\nproviders.vllm.base_url = '"+silent.OpenAIURL()+"'", "", nil), "vllm/m")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := say(t, m); text != "one " || err == nil || !strings.Contains(err.Error(), "it has said nothing for 1s") {
		t.Errorf("said %q, %v", text, err)
	}

	broken := modeltest.New(t, modeltest.Script(modeltest.Answer{Fault: modeltest.Fault{Status: 500}}))
	broken.Keyless = true
	m, err = open(t, load(t, "attempts = 1\nproviders.vllm.base_url = '"+broken.OpenAIURL()+"'", "", nil), "vllm/m")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := say(t, m); err == nil || len(broken.Heard()) != 1 {
		t.Errorf("asked %d times, %v", len(broken.Heard()), err)
	}
}

func TestOffline(t *testing.T) {
	m, err := open(t, load(t, "", "", nil), "")
	if err != nil || m.Info().Provider != "offline" {
		t.Errorf("got %v, %v", m, err)
	}
}

func TestAMissingKeyIsTold(t *testing.T) {
	_, err := open(t, load(t, "", "", nil), "anthropic")
	if missing := new(config.MissingKeyError); !errors.As(err, &missing) || missing.Provider != "anthropic" {
		t.Errorf("got %v", err)
	}
}
