package registry_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

// withNpm returns a computer with Node's npm, which is kept from the network.
func withNpm(t *testing.T) *computer {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("no npm here")
	}
	c := newComputer(t)
	c.env["PATH"] = os.Getenv("PATH")
	t.Setenv("npm_config_offline", "true")
	t.Setenv("npm_config_cache", filepath.Join(c.home, "npm"))
	return c
}

// pack makes a package of npm's with a program, which depends on nothing.
func (c *computer) pack(file, name, version, more string) string {
	c.Helper()
	return c.write(file, string(tarred(c.T,
		entry{name: "package/package.json", content: fmt.Sprintf(`{"name":%q,"version":%q,"bin":{"other":"o.js","small-agent":"main.js"}%s}`, name, version, more)},
		entry{name: "package/main.js", content: "#!/usr/bin/env node\nconsole.log('small', process.argv.slice(2).join(' '), process.env.SMALL)\n"},
		entry{name: "package/o.js", content: "#!/usr/bin/env node\n"},
	)))
}

func npmList(id, version, spec string) string {
	return fmt.Sprintf(`{"version":"1.0.0","agents":[{"id":%q,"name":"Small","version":%q,"description":"d","distribution":{
		"npx":{"package":%q,"args":["--acp"],"env":{"SMALL":"yes"}}}}],"extensions":[]}`, id, version, spec)
}

// F100: a package of npm's is installed with the hash of npm's lock file, and its scripts don't run unless they may. It is
// started from there, with a PATH that has node.
func TestF100_APackageIsPinned(t *testing.T) {
	c := withNpm(t)
	ran := filepath.Join(c.home, "ran")
	c.pack("small.tgz", "@scope/small-agent", "1.2.3", `,"scripts":{"postinstall":"touch `+ran+`"}`)
	file := c.write("registry.json", npmList("small-agent", "1.2.3", "file:small.tgz"))
	m, err := c.open().Install(t.Context(), registry.Installation{Name: "small-agent", Registry: file})
	if err != nil {
		t.Fatal(err)
	}
	if m.Version != "1.2.3" || !strings.HasPrefix(m.Hash, "sha512-") || m.Program != "node_modules/.bin/small-agent" {
		t.Errorf("%+v", m)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("its scripts have run")
	}
	command := c.find("small-agent").Command()
	run := exec.Command(command.Path, command.Args...)
	run.Env = command.Env
	if out, err := run.CombinedOutput(); string(out) != "small --acp yes\n" {
		t.Errorf("%q, %v", out, err)
	}

	// The same version may not become something else, another hash than the user's is refused, and neither harms what is there.
	before := c.find("small-agent").Path
	c.pack("small.tgz", "@scope/small-agent", "1.2.3", `,"description":"changed"`)
	for _, hash := range []string{"", "sha512-AAAA"} {
		if _, err := c.open().Install(t.Context(), registry.Installation{Name: "small-agent", Registry: file, Hash: hash}); err == nil {
			t.Errorf("hash %q: no error", hash)
		}
	}
	if f := c.find("small-agent"); f.Path != before {
		t.Errorf("it is %s now", f.Path)
	}
	c.pack("small.tgz", "@scope/small-agent", "1.2.4", `,"scripts":{"postinstall":"touch `+ran+`"}`)
	if _, err := c.open().Install(t.Context(), registry.Installation{Name: "small-agent", Registry: file, Scripts: true}); err == nil {
		t.Error("another version than the registry says was installed")
	}
	file = c.write("registry.json", npmList("small-agent", "1.2.4", "file:small.tgz"))
	if _, err := c.open().Install(t.Context(), registry.Installation{Name: "small-agent", Registry: file, Scripts: true}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ran); err != nil {
		t.Error("its scripts have not run, though they may")
	}
}

// F100: what is not an exact version is not pinned, and what can't be had is an error that says what npm says.
func TestF100_PackagesThatAreNotInstalled(t *testing.T) {
	c := withNpm(t)
	for spec, want := range map[string]string{
		"small-agent@latest":       "is no exact version",
		"@scope/small-agent@^1.2":  "is no exact version",
		"small-agent@1":            "is no exact version",
		"git+ssh://example.com/x":  "is no package of npm's",
		"../small-agent@1.0.0":     "is no package of npm's",
		"~/small-agent@1.0.0":      "is no package of npm's",
		"user/repository@1.0.0":    "is no package of npm's",
		"--prefix=/tmp":            "is no package of npm's",
		"file:nowhere.tgz":         "npm install",
		"surely-not-cached@1.0.0":  "npm install",
		"@scope/surely-not@1.0.0 ": "is no exact version",
	} {
		file := c.write("registry.json", npmList("small-agent", "1.0.0", spec))
		_, err := c.open().Install(t.Context(), registry.Installation{Name: "small-agent", Registry: file})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", spec, err, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(c.home, "data", "*", "*")); len(left) > 0 {
		t.Errorf("they have left %v", left)
	}
}

// A known agent goes by its name here, whatever the registry calls it, and keeps what is known of it.
func TestInstallAKnownAgent(t *testing.T) {
	c := withNpm(t)
	c.write("small.tgz", string(tarred(t,
		entry{name: "package/package.json", content: `{"name":"claude-thing","version":"0.16.0","bin":{"claude-agent-acp":"m.js","other":"o.js"}}`},
		entry{name: "package/m.js", content: "#!/usr/bin/env node\n"},
	)))
	file := c.write("registry.json", npmList("claude-code-acp", "0.16.0", "file:small.tgz"))
	m, err := c.open().Install(t.Context(), registry.Installation{Name: "claude", Registry: file})
	if err != nil || m.ID != "claude" || m.Program != "node_modules/.bin/claude-agent-acp" {
		t.Fatal(m, err)
	}
	if f := c.find("claude-code"); f.Agent.Quirks.AsksInMode != "default" || f.Source != registry.SourceInstalled {
		t.Errorf("%+v", f)
	}
}

// fakeNpm is an npm that installs nothing but what it is told to.
const fakeNpm = `#!/bin/sh
while [ "$1" != --prefix ]; do shift; done
cd "$2" && mkdir -p node_modules/.bin && echo x >node_modules/.bin/%[1]s && chmod +x node_modules/.bin/%[1]s
echo '{"dependencies":{"p":"%[2]s"}}' >package.json
echo '{"packages":{"node_modules/p":{"version":"%[2]s","integrity":"sha512-x","bin":{"%[1]s":"x"}}}}' >package-lock.json
`

// F100: what npm has installed without a hash, from a repository for instance, is not pinned.
func TestF100_APackageWithoutAHash(t *testing.T) {
	c := newComputer(t)
	c.env["PATH"] += ":/usr/bin:/bin"
	c.write("path/npm", strings.Replace(fmt.Sprintf(fakeNpm, "gemini", "0.40.0"), `"integrity":"sha512-x",`, "", 1))
	if _, err := c.open().Install(t.Context(), registry.Installation{Name: "gemini"}); err == nil || !strings.Contains(err.Error(), "can't be pinned") {
		t.Errorf("got %v", err)
	}
}

// S001.31: an older version is installed to be started in the older way, and an agent is kept from replacing itself however it got
// here.
func TestS001_31_AnOlderVersionIsInstalled(t *testing.T) {
	c := newComputer(t)
	c.env["PATH"] += ":/usr/bin:/bin"
	for version, want := range map[string]string{"0.30.0": "--experimental-acp", "0.40.0": "--acp"} {
		c.write("path/npm", fmt.Sprintf(fakeNpm, "gemini", version))
		if _, err := c.open().Install(t.Context(), registry.Installation{Name: "gemini", Version: version}); err != nil {
			t.Fatal(err)
		}
		if f := c.find("gemini"); strings.Join(f.Args, " ") != want {
			t.Errorf("version %s is started with %q", version, f.Args)
		}
	}
	c.write("path/npm", fmt.Sprintf(fakeNpm, "auggie", "1.0.0"))
	file := c.write("registry.json", npmList("auggie", "1.0.0", "auggie@1.0.0"))
	if _, err := c.open().Install(t.Context(), registry.Installation{Name: "auggie", Registry: file}); err != nil {
		t.Fatal(err)
	}
	if f := c.find("auggie"); f.Env["AUGMENT_DISABLE_AUTO_UPDATE"] != "1" || f.Env["SMALL"] != "yes" {
		t.Errorf("it gets %q", f.Env)
	}
}

// Files that are no registry are errors, and not agents.
func TestFilesThatAreNoRegistry(t *testing.T) {
	c := newComputer(t)
	for text, want := range map[string]string{
		"": "registry", "[]": "registry", `{"agents":[{"id":"../x"}]}`: "there is no agent", `{"agents":[{"id":"patchbay"}]}`: "there is no agent",
		`{"agents":[{"id":"x"}]}`: "no distribution", `{"agents":[{"id":"x","distribution":{"npx":"x"}}]}`: "agent \"x\"", `{"agents":[]}`: "there is no agent",
		`{"agents":[{"id":"x","distribution":{"binary":{"linux-x86_64":{"archive":"a","cmd":"../sh"}}}}]}`:   "not in the archive",
		`{"agents":[{"id":"x","distribution":{"binary":{"linux-x86_64":{"archive":"a","cmd":"/bin/sh"}}}}]}`: "not in the archive",
		`{"id":"x","version":"1.0.0","distribution":{"uvx":{"package":"x==1"}}}`:                             "uv tool install x==1",
		`{"id":"x","version":"1.0.0","distribution":{"binary":{"plan9-mips":{"archive":"a","cmd":"x"}}}}`:    "does not come for",
	} {
		_, err := c.open().Install(t.Context(), registry.Installation{Name: "x", Registry: c.write("registry.json", text)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	_, err := c.open().Install(t.Context(), registry.Installation{Name: "goose"})
	if err == nil || !strings.Contains(err.Error(), "--registry") {
		t.Error(err)
	}
}

// An entry of no use, in a form that came later for instance, keeps nobody from the others.
func TestAnEntryThatIsNotUnderstood(t *testing.T) {
	c, s := newComputer(t), newServer(t)
	s.archives["/tiny"] = []byte(tiny)
	list := s.list("1.0.0", "/tiny", `,"sha256":"sha256:`+strings.ToUpper(sha([]byte(tiny)))+`"`)
	list = strings.Replace(list, `"agents":[`, `"agents":[{"id":"new","distribution":{"docker":{"image":"x"}}},{"id":"Strange"},{"id":"odd","distribution":[]},7,`, 1)
	file := c.write("registry.json", list)
	if _, err := c.open().Install(t.Context(), registry.Installation{Name: "tiny-agent", Registry: file}); err != nil {
		t.Error(err)
	}
	_, err := c.open().Install(t.Context(), registry.Installation{Name: "new", Registry: file})
	if err == nil || !strings.Contains(err.Error(), "no distribution") {
		t.Error(err)
	}
}

// F175: the scripts of a package don't see the keys of the user who lets them run.
func TestF175_ScriptsOfPackagesGetNoKeys(t *testing.T) {
	c := withNpm(t)
	t.Setenv("ANTHROPIC_API_KEY", "secret")
	t.Setenv("NPM_TOKEN", "npm's own")
	saw := filepath.Join(c.home, "saw")
	c.pack("small.tgz", "small-agent", "1.2.3", `,"scripts":{"postinstall":"echo $NPM_TOKEN $ANTHROPIC_API_KEY >`+saw+`"}`)
	in := registry.Installation{Name: "small-agent", Registry: c.write("registry.json", npmList("small-agent", "1.2.3", "file:small.tgz")), Scripts: true}
	if _, err := c.open().Install(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(saw); err != nil || string(text) != "npm's own\n" {
		t.Errorf("they saw %q, %v", text, err)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add(npmList("a", "1.0.0", "b@1.0.0"))
	f.Add(`{"id":"x","version":"1.0.0","distribution":{"binary":{"linux-x86_64":{"archive":"a","cmd":"./x"}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "registry.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		entries, err := registry.ReadFile(file)
		for _, e := range entries {
			for _, b := range e.Distribution.Binary {
				if err == nil && !filepath.IsLocal(b.Cmd) {
					t.Errorf("%q", b.Cmd)
				}
			}
		}
	})
}
