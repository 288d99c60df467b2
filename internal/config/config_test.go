package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/config"
)

// A desk is a user's machine: files, and the environment.
type desk struct {
	*testing.T
	dir   string // everything is below it: home, home/.config/patchbay, home/project
	env   map[string]string
	flags map[string]string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{T: t, dir: dir, env: map[string]string{}, flags: map[string]string{}}
	d.file("home/project/.git/HEAD", "")
	return d
}

func (d *desk) path(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

func (d *desk) file(name, content string) {
	d.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(content), 0o600); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) user(content string) {
	d.Helper()
	d.file("home/.config/patchbay/patchbay.toml", content)
}
func (d *desk) project(content string) { d.Helper(); d.file("home/project/patchbay.toml", content) }

func (d *desk) tryFrom(dir string) (*config.Config, error) {
	return config.Load(config.Options{
		Dir:     d.path(dir),
		Home:    d.path("home"),
		UserDir: d.path("home/.config/patchbay"),
		Env:     func(name string) string { return d.env[name] },
		Flags:   d.flags,
	})
}

func (d *desk) load() *config.Config {
	d.Helper()
	c, err := d.tryFrom("home/project")
	if err != nil {
		d.Fatal(err)
	}
	return c
}

func (d *desk) provider(name string) *config.Provider {
	d.Helper()
	p, err := d.load().Provider(name)
	if err != nil {
		d.Fatal(err)
	}
	return p
}

// short writes a path of the desk as the tables do.
func (d *desk) short(text string) string {
	return filepath.ToSlash(strings.ReplaceAll(text, d.dir+string(filepath.Separator), ""))
}

// Each place beats the ones before it, and every value says which one it was. All subcommands go this way (F121).
func TestF121_Precedence(t *testing.T) {
	d := newDesk(t)
	says := func(want, from string) {
		t.Helper()
		m := d.load().Model
		if m.Value != want || d.short(m.From.String()) != from {
			t.Errorf("got %q from %q, want %q from %q", m.Value, d.short(m.From.String()), want, from)
		}
	}
	says("", "default")
	d.user("\nmodel = \"a/user\"")
	says("a/user", "user file home/.config/patchbay/patchbay.toml:2")
	d.project("# mine\n\nmodel = \"a/project\"")
	says("a/project", "project file home/project/patchbay.toml:3")
	d.env["PATCHBAY_MODEL"] = "a/env"
	says("a/env", "environment PATCHBAY_MODEL")
	d.flags["model"] = "a/flag"
	says("a/flag", "flag --model")
}

func TestDefaults(t *testing.T) {
	c := newDesk(t).load()
	if c.Model.Value != "" || c.Thinking.Value != "default" || c.MaxTokens.Value != 0 || c.AutoApprove.Value || !c.Instructions.Value {
		t.Errorf("got %+v", c)
	}
}

func TestEverySettingOfAFile(t *testing.T) {
	d := newDesk(t)
	d.user(`
thinking = "high"
max_tokens = 8_000
auto_approve = true
instructions = false
trusted_urls = ["https://llm.example.com/"]

[providers.groq]
api = "chat"
base_url = "https://api.groq.com/openai/v1"
key_env = "GROQ_API_KEY"

[providers.groq.models."llama/4.1"]
title = "Llama"
context_tokens = 131072
max_tokens = 4096
images = true
audio = false
pdf = false
thinking = true
price = { input = 1, output = 2.5, cache_read = 0.1, cache_write = 0 }
`)
	d.env["GROQ_API_KEY"] = "secret-word"
	c := d.load()
	if c.Thinking.Value != "high" || c.MaxTokens.Value != 8000 || !c.AutoApprove.Value || c.Instructions.Value || c.TrustedURLs.Value[0] != "https://llm.example.com/" {
		t.Errorf("got %+v", c)
	}
	p := d.provider("groq")
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	if p.API.Value != "chat" || p.BaseURL.Value != "https://api.groq.com/openai/v1" || p.Key.Value.Reveal() != "secret-word" || p.Key.From.Name != "GROQ_API_KEY" {
		t.Errorf("got %+v", p)
	}
	if names := c.ModelNames("groq"); len(names) != 1 || names[0] != "llama/4.1" {
		t.Errorf("models %q", names)
	}
	m := c.ModelNamed("groq", "llama/4.1")
	if *m.Title != "Llama" || *m.ContextTokens != 131072 || *m.MaxTokens != 4096 || !*m.Images || *m.Audio || *m.PDF || !*m.Thinking {
		t.Errorf("got %+v", m)
	}
	if *m.Input != 1 || *m.Output != 2.5 || *m.CacheRead != 0.1 || *m.CacheWrite != 0 {
		t.Errorf("prices %v %v %v %v", *m.Input, *m.Output, *m.CacheRead, *m.CacheWrite)
	}
	if other := c.ModelNamed("groq", "other"); other != (config.Model{}) {
		t.Errorf("got %+v", other)
	}
}

// A mistake is told with its place, and what was probably meant.
func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"unknown key":        {"\n  modell = 1", `2:3: unknown key "modell"; did you mean "model"?`},
		"nothing like it":    {"colour = 1", `1:1: unknown key "colour"; known here are agent, allow, `},
		"unknown table":      {"[provider.x]\n", `1:2: unknown key "provider"; did you mean "providers"?`},
		"deep":               {"[providers.x]\nbase_uri = 1", `2:1: unknown key "base_uri"; did you mean "base_url"?`},
		"in an inline table": {"providers = { x = { apii = 1 } }", `1:21: unknown key "apii"; did you mean "api"?`},
		"dotted":             {`providers.x.models."a.b".titel = 1`, `1:26: unknown key "titel"; did you mean "title"?`},
		"type":               {"max_tokens = \"many\"", "1:1: max_tokens is a string, and has to be a whole number"},
		"float":              {"max_tokens = 1.5", "1:1: max_tokens is a number, and has to be a whole number"},
		"date":               {"model = 2020-01-01", "1:1: model is a date or a time, and has to be a string"},
		"no variable":        {"keep_keys = ['A', 'sk-1']", "1:1: keep_keys: not the name of a variable; a key itself is stored by `patchbay login`"},
		"span":               {"keep_sessions = '30 days'", `1:1: keep_sessions: "30 days" is no span of time, such as "30d" or "720h"`},
		"list":               {"trusted_urls = [1]", "1:1: trusted_urls is a list, and has to be a list of strings"},
		"list of tables":     {"[[model]]\n", "1:3: model is a list, and has to be a string"},
		"table":              {"providers = 1", "1:1: providers is a whole number, and has to be a table"},
		"negative":           {"max_tokens = -1", "1:1: max_tokens: -1 is not between 0 and "},
		"no number":          {"providers.x.models.y.price.input = nan", "1:28: providers.x.models.y.price.input: NaN is less than nothing, or no number"},
		"no unit":            {"silence = '90'", `1:1: silence: "90" is no time with its unit, such as "90s", "10m" or "1h"`},
		"number for a time":  {"silence = 90", "1:1: silence is a whole number, and has to be a string"},
		"too impatient":      {"silence = '10ms'", `1:1: silence: "10ms" is not between 1s and 24h`},
		"too patient":        {"silence = '25h'", `1:1: silence: "25h" is not between 1s and 24h`},
		"no attempt":         {"attempts = 0", "1:1: attempts: 0 is not between 1 and 20"},
		"too many attempts":  {"attempts = 21", "1:1: attempts: 21 is not between 1 and 20"},
		"word":               {"thinking = \"hard\"", `1:1: thinking: "hard" is none of default, off, low, medium, high`},
		"api":                {"providers.x.api = \"openai\"", `1:13: providers.x.api: "openai" is none of anthropic, responses, chat, gemini`},
		"url":                {"providers.x.base_url = \"localhost\"", `1:13: providers.x.base_url: "localhost" is not a URL that begins with https:// or http://`},
		"offline":            {"[providers.offline]\n", `1:12: providers.offline: "offline" is no provider's name: it is the model without one`},
		"provider's name":    {"[providers.\"A B\"]\n", `1:12: providers."A B": a provider's name is made of small letters, digits, - and _`},
		"syntax":             {"model = \"a/b\"\nmodel", "2:5: expected '=' after key"},
		"twice":              {"model = \"a/b\"\nmodel = \"a/c\"", "2:1: "},
		"binary":             {"\x00\x01", "1:1: "},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.user(c.file)
			_, err := d.tryFrom("home/project")
			if err == nil {
				t.Fatal("no error")
			}
			if want := "home/.config/patchbay/patchbay.toml:" + c.want; !strings.HasPrefix(d.short(err.Error()), want) {
				t.Errorf("got  %q\nwant %q", d.short(err.Error()), want)
			}
			if e := new(config.Error); !errors.As(err, &e) || e.At.Line == 0 || e.At.Column == 0 {
				t.Errorf("no place in %#v", err)
			}
		})
	}
}

// All mistakes of both files are told at once, in order, but not without end.
func TestAllMistakesAtOnce(t *testing.T) {
	d := newDesk(t)
	d.user("zz = 1\nmodel = 2")
	d.project("[providers.x]\n" + "a1=1\na2=1\na3=1\na4=1\na5=1\na6=1\na7=1\na8=1\na9=1\na10=1\na11=1\n")
	_, err := d.tryFrom("home/project")
	lines := strings.Split(d.short(err.Error()), "\n")
	if len(lines) != 13 || !strings.Contains(lines[0], ":1:1:") || !strings.Contains(lines[1], ":2:1:") || !strings.HasSuffix(lines[12], "1 more") {
		t.Errorf("got %q", lines)
	}
}

// What a variable or a flag says wrong is told by its name.
func TestMistakesOutsideOfFiles(t *testing.T) {
	for variable, c := range map[string]struct{ value, want string }{
		"PATCHBAY_MAX_TOKENS":    {"x", `environment PATCHBAY_MAX_TOKENS: "x" is no whole number`},
		"PATCHBAY_THINKING":      {"x", `environment PATCHBAY_THINKING: "x" is none of `},
		"PATCHBAY_INSTRUCTIONS":  {"x", `environment PATCHBAY_INSTRUCTIONS: "x" is not true or false`},
		"OPENAI_BASE_URL":        {"x", `environment OPENAI_BASE_URL: "x" is not a URL`},
		"ANTHROPIC_BASE_URL":     {"https://me:pass@x", "environment ANTHROPIC_BASE_URL: a URL with a user or a password"},
		"GOOGLE_GEMINI_BASE_URL": {"https://x?key=pass", "environment GOOGLE_GEMINI_BASE_URL: a URL with a query"},
		"OLLAMA_HOST":            {"ftp://x", "environment OLLAMA_HOST: "},
	} {
		d := newDesk(t)
		d.env[variable] = c.value
		_, err := d.tryFrom("home/project")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "pass@") || strings.Contains(err.Error(), "key=pass") {
			t.Errorf("%s: got %v", variable, err)
		}
	}
	for flag, want := range map[string]string{
		"max_tokens":   `flag --max-tokens: "x" is no whole number`,
		"auto_approve": `flag --auto-approve: "x" is not true or false`,
		"trusted_urls": `there is no setting "trusted_urls" that a flag can set`,
	} {
		d := newDesk(t)
		d.flags[flag] = "x"
		if _, err := d.tryFrom("home/project"); err == nil || err.Error() != want {
			t.Errorf("%s: got %v", flag, err)
		}
	}
}

// A variable can't make tools run unasked: an editor's workspace may come with variables.
func TestNoVariableApproves(t *testing.T) {
	d := newDesk(t)
	d.env["PATCHBAY_AUTO_APPROVE"] = "true"
	if d.load().AutoApprove.Value {
		t.Error("approved by the environment")
	}
	d.flags["auto_approve"] = "true"
	if !d.load().AutoApprove.Value {
		t.Error("not approved by the flag")
	}
}

// The project's file is the nearest one up to the root of the repository, or to the home, and nothing else.
func TestWhereTheProjectIs(t *testing.T) {
	const file = "model = \"here/x\""
	for name, c := range map[string]struct {
		files []string
		dir   string
		want  string // the file that is read, or would be
		read  bool
	}{
		"in the folder":       {[]string{"home/project/patchbay.toml"}, "home/project", "home/project/patchbay.toml", true},
		"above":               {[]string{"home/project/patchbay.toml"}, "home/project/a/b", "home/project/patchbay.toml", true},
		"the nearest":         {[]string{"home/project/patchbay.toml", "home/project/a/patchbay.toml"}, "home/project/a/b", "home/project/a/patchbay.toml", true},
		"not above the root":  {[]string{"home/patchbay.toml"}, "home/project/a", "home/project/a/patchbay.toml", false},
		"up to the home":      {[]string{"home/patchbay.toml"}, "home/loose/a", "home/patchbay.toml", true},
		"not above the home":  {[]string{"patchbay.toml"}, "home/loose/a", "home/loose/a/patchbay.toml", false},
		"outside, in place":   {[]string{"tmp/a/patchbay.toml"}, "tmp/a", "tmp/a/patchbay.toml", true},
		"outside, not above":  {[]string{"tmp/patchbay.toml"}, "tmp/a", "tmp/a/patchbay.toml", false},
		"a worktree's .git":   {[]string{"tmp/w/.git", "tmp/w/patchbay.toml"}, "tmp/w/a", "tmp/w/patchbay.toml", true},
		"the user's is not":   {[]string{"home/.config/patchbay/patchbay.toml"}, "home/.config/patchbay", "", true},
		"nothing at all":      {nil, "home/project", "home/project/patchbay.toml", false},
		"other systems' root": {[]string{"tmp/h/.hg/x", "tmp/h/patchbay.toml"}, "tmp/h/a/b/c", "tmp/h/patchbay.toml", true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			for _, f := range c.files {
				d.file(f, file)
			}
			if err := os.MkdirAll(d.path(c.dir), 0o755); err != nil {
				t.Fatal(err)
			}
			got, err := d.tryFrom(c.dir)
			if err != nil {
				t.Fatal(err)
			}
			if d.short(got.ProjectFile) != c.want || (got.Model.Value != "") != c.read {
				t.Errorf("%q, model %q", d.short(got.ProjectFile), got.Model.Value)
			}
		})
	}
}

// A mark at the beginning and Windows line ends are fine.
func TestFilesOfOtherEditors(t *testing.T) {
	d := newDesk(t)
	d.user("\ufeffmodel = \"a/b\"\r\nthinking = \"low\"\r\n")
	c := d.load()
	if c.Model.Value != "a/b" || c.Thinking.Value != "low" || c.Thinking.From.Line != 2 {
		t.Errorf("got %+v %+v", c.Model, c.Thinking)
	}
}

// What is no file, or far too long, is an error at once.
func TestStrangeFiles(t *testing.T) {
	d := newDesk(t)
	if err := os.MkdirAll(d.path("home/project/patchbay.toml"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := d.tryFrom("home/project"); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("got %v", err)
	}
	d = newDesk(t)
	d.project(strings.Repeat("# long\n", 1<<17))
	if _, err := d.tryFrom("home/project"); err == nil || !strings.Contains(err.Error(), "is longer than") {
		t.Errorf("got %v", err)
	}
	d = newDesk(t)
	d.project(strings.Repeat("a.", 100_000) + "a = 1")
	if _, err := d.tryFrom("home/project"); err == nil || !strings.Contains(err.Error(), `unknown key "a"`) {
		t.Errorf("got %.200v", err)
	}
}

// Without a home there is no user's file, no keys, and no failure.
func TestNoHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the system's folders have other variables")
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	c, err := config.Load(config.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if c.UserFile != "" || c.Keys().Path() != "" {
		t.Errorf("got %q %q", c.UserFile, c.Keys().Path())
	}
	if err := c.Keys().Set("anthropic", config.NewSecret("word")); err == nil || !strings.Contains(err.Error(), "there is no place for keys") {
		t.Errorf("got %v", err)
	}
}

func TestXDGConfigHome(t *testing.T) {
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir()}
	c, err := config.Load(config.Options{Dir: t.TempDir(), Env: func(name string) string { return env[name] }})
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(env["XDG_CONFIG_HOME"], "patchbay", "patchbay.toml"); c.UserFile != want {
		t.Errorf("got %q, want %q", c.UserFile, want)
	}
}
