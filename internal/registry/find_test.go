package registry_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

// nothing is a program that does nothing.
const nothing = "#!/bin/sh\n"

// F101: an agent is found where a terminal would find it, though the PATH of a graphical program lacks that: in the folders of
// the managers of Node, in the user's own, and in whatever the login shell says. The agent gets a PATH with its neighbours.
func TestF101_FoundWithoutPATH(t *testing.T) {
	for name, c := range map[string]struct {
		setup func(c *computer)
		at    string
		why   string
	}{
		"PATH": {func(c *computer) { c.write("path/gemini", nothing); c.write(".local/bin/gemini", nothing) }, "path", "PATH"},
		"npm's prefix": {func(c *computer) {
			c.write(".npmrc", "registry=https://example.com\nprefix = ${HOME}/global\n")
			c.write("global/bin/gemini", nothing)
		}, "global/bin", "npm"},
		"nvm's default": {func(c *computer) {
			c.write(".nvm/versions/node/v22.1.0/bin/gemini", nothing)
			c.write(".nvm/versions/node/v24.2.0/bin/gemini", nothing)
			c.write(".nvm/alias/default", "22\n")
		}, ".nvm/versions/node/v22.1.0/bin", "nvm"},
		"nvm's newest": {func(c *computer) {
			c.write(".nvm/versions/node/v9.9.0/bin/gemini", nothing)
			c.write(".nvm/versions/node/v10.0.0/bin/gemini", nothing)
			c.write(".nvm/alias/default", "node\n")
		}, ".nvm/versions/node/v10.0.0/bin", "nvm"},
		"volta": {func(c *computer) {
			c.env["VOLTA_HOME"] = filepath.Join(c.home, "v")
			c.write("v/bin/gemini", nothing)
		}, "v/bin", "volta"},
		"the user's": {func(c *computer) { c.write(".local/bin/gemini", nothing) }, ".local/bin", "the user's programs"},
		"the login shell": {func(c *computer) {
			c.write("odd/gemini", nothing)
			c.write(".local/bin/gemini", nothing) // which is a guess
			c.env["SHELL"] = c.write("shell", "#!/bin/sh\necho Welcome back!\nexport PATH="+c.home+"/odd:/usr/bin:/bin\nshift 2\nexec /bin/sh \"$@\"\n")
		}, "odd", "login shell"},
		"not by a relative PATH": {func(c *computer) {
			c.env["PATH"] = ".:testdata"
			c.write(".local/bin/gemini", nothing)
		}, ".local/bin", "the user's programs"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newComputer(t)
			c.setup(m)
			f := m.find("gemini")
			want := filepath.Join(m.home, c.at, "gemini")
			if f.Path != want || f.Place.Why != c.why || f.Source != registry.SourceFound {
				t.Errorf("found %s (%s, %s), want %s (%s)", f.Path, f.Place.Why, f.Source, want, c.why)
			}
			if !slices.Equal(f.Args, []string{"--acp"}) {
				t.Errorf("arguments %q", f.Args)
			}
			if got := searchOf(f); c.why != "PATH" && !strings.HasPrefix(got, filepath.Dir(want)+":") {
				t.Errorf("its PATH is %s", got)
			}
		})
	}
}

// searchOf is the PATH that an agent gets.
func searchOf(f *registry.Found) string {
	search := ""
	for _, entry := range f.Command().Env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			search = value
		}
	}
	return search
}

// F101: a shell that never answers is waited for for a while only, and nothing of it is left.
func TestF101_AShellThatHangs(t *testing.T) {
	c := newComputer(t)
	c.env["SHELL"] = c.write("shell", "#!/bin/sh\necho $$ >"+c.home+"/pid\nsleep 600 & wait\n")
	c.write(".local/bin/gemini", nothing)
	start := time.Now()
	if f := c.find("gemini"); f.Place.Why != "the user's programs" {
		t.Errorf("found %+v", f.Place)
	}
	if spent := time.Since(start); spent > 20*time.Second {
		t.Errorf("it took %v", spent)
	}
	pid, err := os.ReadFile(filepath.Join(c.home, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(pid))); err == nil {
		t.Error("the shell is still there")
	}
}

// F101: what isn't there is an error that says how to get it, and where it was looked for.
func TestF101_WhatIsMissingSaysWhereItIsNot(t *testing.T) {
	c := newComputer(t)
	_, err := c.open().Find(t.Context(), "kilo-code")
	var missing *registry.MissingError
	if !errors.As(err, &missing) || !strings.Contains(err.Error(), "npm install -g @kilocode/cli") {
		t.Fatal(err)
	}
	var dirs []string
	for _, p := range missing.Looked {
		dirs = append(dirs, p.Dir)
	}
	for _, want := range []string{c.env["PATH"], filepath.Join(c.home, ".local", "bin"), filepath.Join(c.home, ".volta", "bin")} {
		if !slices.Contains(dirs, want) {
			t.Errorf("%s is not among %q", want, dirs)
		}
	}
}

// An unknown name is an error that suggests what was meant.
func TestUnknownNames(t *testing.T) {
	r := newComputer(t).open()
	for name, want := range map[string]string{
		"geminy": `did you mean "gemini"?`, "Claude": `did you mean "claude"?`, "claude-cod": `did you mean "claude"?`, "patchbai": `did you mean "patchbay"?`,
		"nothing-like-it": "there are auggie, ",
	} {
		_, err := r.Find(t.Context(), name)
		var unknown *registry.UnknownError
		if !errors.As(err, &unknown) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

// The version of an npm package is in its package.json, and the program is not started for it. Others are asked, unless they
// are known to serve whatever they are told; one that doesn't answer has none.
func TestVersions(t *testing.T) {
	c := newComputer(t)
	c.write("lib/node_modules/@google/gemini-cli/dist/index.js", "#!/bin/sh\ntouch "+c.home+"/started\n")
	c.write("lib/node_modules/@google/gemini-cli/package.json", `{"name":"@google/gemini-cli","version":"0.27.3"}`)
	c.link("../lib/node_modules/@google/gemini-cli/dist/index.js", "path/gemini")
	c.write("path/goose", "#!/bin/sh\necho goose version v1.23.2-beta.1 of today\n")
	c.write("path/codex-acp", "#!/bin/sh\ntouch "+c.home+"/started\necho 1.2.3\n")
	c.write("path/kimi", "#!/bin/sh\nexit 1\n")
	for name, want := range map[string]string{"gemini": "0.27.3", "goose": "1.23.2-beta.1", "codex": "", "kimi": ""} {
		if got := c.find(name).Version(t.Context()); got != want {
			t.Errorf("%s: version %q, want %q", name, got, want)
		}
	}
	if _, err := os.Stat(filepath.Join(c.home, "started")); err == nil {
		t.Error("a program was started that had no need to be")
	}
}

// S001.31: versions and programs from before are started as they were then.
func TestS001_31_OlderVersionsAreStartedAsTheyWere(t *testing.T) {
	c := newComputer(t)
	c.write("path/claude-code-acp", nothing)
	c.write("path/gemini", nothing)
	for version, want := range map[string]string{"0.27.3": "--experimental-acp", "0.33.0": "--acp", "0.61.0": "--acp", "": "--acp"} {
		c.write("path/node_modules/@google/gemini-cli/package.json", `{"name":"@google/gemini-cli","version":"`+version+`"}`)
		if got := c.find("gemini").Args; !slices.Equal(got, []string{want}) {
			t.Errorf("gemini %s is started with %q, want %s", version, got, want)
		}
	}
	if f := c.find("claude"); filepath.Base(f.Path) != "claude-code-acp" {
		t.Errorf("claude is %s", f.Path)
	}
	c.write("path/claude-agent-acp", nothing)
	if f := c.find("claude"); filepath.Base(f.Path) != "claude-agent-acp" {
		t.Errorf("claude is %s", f.Path)
	}
}

// F175: an agent that is known gets the variables of its own provider, and nobody else's key.
func TestF175_AKnownAgentGetsItsOwnKeysOnly(t *testing.T) {
	c := newComputer(t)
	for _, name := range []string{"GEMINI_API_KEY", "OPENAI_API_KEY", "MY_TOKEN"} {
		t.Setenv(name, "secret")
	}
	c.write("path/gemini", nothing)
	c.write("path/mine", nothing)
	if err := c.open().Add("mine", registry.Added{Command: []string{"mine"}}); err != nil {
		t.Fatal(err)
	}
	has := func(f *registry.Found, name string) bool { return slices.Contains(f.Command().Env, name+"=secret") }
	if f := c.find("gemini"); !has(f, "GEMINI_API_KEY") || has(f, "OPENAI_API_KEY") || has(f, "MY_TOKEN") {
		t.Errorf("gemini gets %q", f.Command().Env)
	}
	if f := c.find("mine"); !has(f, "OPENAI_API_KEY") || !has(f, "MY_TOKEN") {
		t.Errorf("an agent of the user's own gets %q", f.Command().Env)
	}
}

// An agent of the user's own comes before a known one, and is forgotten when it is removed.
func TestAdded(t *testing.T) {
	c := newComputer(t)
	c.write("path/gemini", nothing)
	program := c.write("my agent/run", nothing)
	added := registry.Added{Command: []string{program, "--acp"}, Env: map[string]string{"KEY": "a=b"}, Environment: []string{"LC_*"}}
	if err := c.open().Add("gemini", added); err != nil {
		t.Fatal(err)
	}
	f := c.find("gemini")
	if f.Path != program || f.Source != registry.SourceAdded || !slices.Contains(f.Command().Env, "KEY=a=b") {
		t.Errorf("got %+v", f)
	}
	if info, err := os.Stat(c.open().AddedFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := c.open().Remove("gemini"); err != nil {
		t.Fatal(err)
	}
	if f := c.find("gemini"); f.Source != registry.SourceFound {
		t.Errorf("got %+v", f)
	}
	for name, a := range map[string]registry.Added{
		"patchbay": added, "../x": added, "": added, "UPPER": added, "fine": {},
	} {
		if err := c.open().Add(name, a); err == nil {
			t.Errorf("%q, %+v: no error", name, a)
		}
	}
}

// Everything that is said of known agents can be used: ids are unique, and each says how it is started and got.
func TestKnown(t *testing.T) {
	taken := map[string]string{registry.BuiltIn: registry.BuiltIn}
	for _, a := range registry.Known() {
		for _, name := range append([]string{a.ID}, a.Aliases...) {
			if taken[name] != "" {
				t.Errorf("%s is %s and %s", name, taken[name], a.ID)
			}
			taken[name] = a.ID
		}
		if a.Title == "" || a.Program == "" || !strings.HasPrefix(a.Site, "https://") || a.Package == "" == (a.Hint == "") || len(a.Environment) == 0 {
			t.Errorf("%+v", a)
		}
	}
	if len(registry.Known()) < 20 {
		t.Error("where are the others?")
	}
}
