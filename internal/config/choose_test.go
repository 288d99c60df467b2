package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/config"
)

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		model  string
		env    map[string]string
		want   string
		noted  bool
		failed string
	}{
		"nothing":                {want: "offline", noted: true},
		"the first with a key":   {env: map[string]string{"OPENAI_API_KEY": "x", "GOOGLE_API_KEY": "x"}, want: "openai/gpt-6.2-sol"},
		"in a fixed order":       {env: map[string]string{"OPENAI_API_KEY": "x", "ANTHROPIC_API_KEY": "x"}, want: "anthropic/claude-sonnet-5-5"},
		"an empty key is none":   {env: map[string]string{"ANTHROPIC_API_KEY": " ", "GEMINI_API_KEY": "x"}, want: "gemini/gemini-3.8-flash"},
		"none that has no usual": {env: map[string]string{"OPENROUTER_API_KEY": "x"}, want: "offline", noted: true},
		"set":                    {model: "openai/o9", env: map[string]string{"ANTHROPIC_API_KEY": "x"}, want: "openai/o9"},
		"set without a key":      {model: "openai/o9", want: "openai/o9"},
		"offline":                {model: "offline", env: map[string]string{"ANTHROPIC_API_KEY": "x"}, want: "offline"},
		"more slashes":           {model: "openrouter/a/b:free", want: "openrouter/a/b:free"},
		"only the provider":      {model: "anthropic", want: "anthropic/claude-sonnet-5-5"},
		"only the server":        {model: "ollama", failed: "which model of ollama? write it as ollama/name"},
		"unknown provider":       {model: "antropic/x", failed: `there is no provider "antropic"; did you mean "anthropic"? known are anthropic, gemini, `},
		"no provider":            {model: "gpt-6.2-sol", failed: `the model "gpt-6.2-sol" has no provider: write it as provider/name: `},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.env = c.env
			if c.model != "" {
				d.flags["model"] = c.model
			}
			choice, err := d.load().Choose()
			if c.failed != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.failed) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || choice.String() != c.want || (choice.Note != "") != c.noted {
				t.Errorf("got %q, note %q, %v", choice, choice.Note, err)
			}
			if c.noted && !strings.Contains(choice.Note, "ANTHROPIC_API_KEY or OPENAI_API_KEY or GEMINI_API_KEY") {
				t.Errorf("note %q", choice.Note)
			}
		})
	}
}

func TestAKeyThatIsMissing(t *testing.T) {
	d := newDesk(t)
	err := d.provider("gemini").Check()
	missing := new(config.MissingKeyError)
	if !errors.As(err, &missing) || missing.Provider != "gemini" || missing.Env[0] != "GEMINI_API_KEY" {
		t.Fatalf("got %v", err)
	}
	if want := "the provider gemini needs a key: set GEMINI_API_KEY, or run `patchbay login gemini`"; err.Error() != want {
		t.Errorf("got %q", err)
	}
}

// The environment beats the keys file, and both are told apart.
func TestWhereAKeyComesFrom(t *testing.T) {
	d := newDesk(t)
	d.file("home/.config/patchbay/keys.json", `{"keys":{"gemini":"stored"}}`)
	if p := d.provider("gemini"); p.Key.Value.Reveal() != "stored" || d.short(p.Key.From.String()) != "keys file home/.config/patchbay/keys.json" {
		t.Errorf("got %v from %v", p.Key.Value.Reveal(), p.Key.From)
	}
	d.env["GOOGLE_API_KEY"] = "second"
	if p := d.provider("gemini"); p.Key.Value.Reveal() != "second" || p.Key.From.String() != "environment GOOGLE_API_KEY" {
		t.Errorf("got %v from %v", p.Key.Value.Reveal(), p.Key.From)
	}
	d.env["GEMINI_API_KEY"] = "first"
	if p := d.provider("gemini"); p.Key.Value.Reveal() != "first" {
		t.Errorf("got %v", p.Key.Value.Reveal())
	}
}

// A key that is stored while the program runs counts at once.
func TestAKeyThatComesLater(t *testing.T) {
	d := newDesk(t)
	c := d.load()
	if err := c.Keys().Set("openai", config.NewSecret("word")); err != nil {
		t.Fatal(err)
	}
	if p, err := c.Provider("openai"); err != nil || p.Check() != nil {
		t.Errorf("got %v, %v", p, err)
	}
}

// A server of one's own needs no key, and takes one.
func TestServersWithoutAKey(t *testing.T) {
	d := newDesk(t)
	d.user("[providers.box]\napi = \"chat\"\nbase_url = \"http://box:9000/v1\"")
	for _, name := range []string{"ollama", "lmstudio", "llamacpp", "vllm", "box"} {
		if p := d.provider(name); p.Check() != nil || p.NeedsKey || !p.Key.Value.IsZero() {
			t.Errorf("%s: %v", name, p.Check())
		}
	}
	if err := d.load().Keys().Set("vllm", config.NewSecret("word")); err != nil {
		t.Fatal(err)
	}
	if p := d.provider("vllm"); p.Check() != nil || p.Key.Value.Reveal() != "word" {
		t.Errorf("got %v", p.Check())
	}
}

// A provider of one's own that is not described in full says what is missing, when it is used.
func TestHalfAProvider(t *testing.T) {
	for file, want := range map[string]string{
		"[providers.x]\nbase_url = \"http://localhost\"": "the provider x has no api",
		"[providers.x]\napi = \"chat\"":                  "the provider x has no base_url",
	} {
		d := newDesk(t)
		d.user(file)
		if err := d.provider("x").Check(); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v", err)
		}
	}
}

func TestProvidersAreListedInOrder(t *testing.T) {
	d := newDesk(t)
	d.user("[providers.zed]\napi = \"chat\"\n[providers.able]\napi = \"chat\"")
	var names []string
	for _, p := range d.load().Providers() {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "anthropic openai gemini openrouter ollama lmstudio llamacpp vllm able zed" {
		t.Errorf("got %s", got)
	}
}

// The addresses that OLLAMA_HOST can hold, as Ollama reads it.
func TestOllamaHost(t *testing.T) {
	for host, want := range map[string]string{
		"":                        "http://127.0.0.1:11434/v1",
		"gpu":                     "http://gpu:11434/v1",
		"gpu:80":                  "http://gpu:80/v1",
		":8080":                   "http://127.0.0.1:8080/v1",
		"0.0.0.0":                 "http://127.0.0.1:11434/v1",
		"0.0.0.0:11435":           "http://127.0.0.1:11435/v1",
		"[::]:11434":              "http://127.0.0.1:11434/v1",
		"[::1]":                   "http://[::1]:11434/v1",
		"http://gpu":              "http://gpu:80/v1",
		"https://gpu.example.com": "https://gpu.example.com:443/v1",
		"https://x:1/ollama/":     "https://x:1/ollama/v1",
	} {
		d := newDesk(t)
		d.env["OLLAMA_HOST"] = host
		if got := d.provider("ollama").BaseURL.Value; got != want {
			t.Errorf("%q: got %q, want %q", host, got, want)
		}
	}
}

// Where nobody has said anything there is the offline model, and a client may still have its say.
func TestEmpty(t *testing.T) {
	c := config.Empty()
	if choice, err := c.Choose(); err != nil || choice.String() != config.Offline || !c.Instructions.Value || c.Problem() != nil {
		t.Errorf("got %v, %v", choice, err)
	}
	p, err := with(t, c, "openai", config.Override{BaseURL: "http://corp.example.com/v1", Key: config.NewSecret("word")}).Provider("openai")
	if err != nil || p.Check() != nil || p.Key.Value.Reveal() != "word" {
		t.Errorf("got %v, %v", p, err)
	}
}
