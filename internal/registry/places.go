package registry

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A Place is a folder in which programs are.
type Place struct {
	Dir string
	Why string // why it is looked into: "PATH", "login shell", "nvm"
}

// The reasons that matter to more than people.
const (
	whyPath  = "PATH"
	whyShell = "login shell"
)

// usual are the folders in which programs are that a graphical program's PATH often lacks (F101), those of the managers of
// Node first, since most agents come from npm.
func (o *Options) usual() []Place {
	var all []Place
	add := func(why string, dirs ...string) {
		for _, dir := range dirs {
			if filepath.IsAbs(dir) {
				all = append(all, Place{dir, why})
			}
		}
	}
	add("npm", o.npmGlobal()...)
	add("nvm", nvmFolders(cmp.Or(o.Env("NVM_DIR"), o.home(".nvm")))...)
	add("fnm", filepath.Join(cmp.Or(o.Env("FNM_DIR"), o.home(".local", "share", "fnm")), "aliases", "default", "bin"))
	add("volta", filepath.Join(cmp.Or(o.Env("VOLTA_HOME"), o.home(".volta")), "bin"))
	add("mise", o.home(".local", "share", "mise", "shims"))
	add("asdf", o.home(".asdf", "shims"))
	add("pnpm", o.Env("PNPM_HOME"), o.home(".local", "share", "pnpm"), o.home("Library", "pnpm"))
	add("bun", filepath.Join(cmp.Or(o.Env("BUN_INSTALL"), o.home(".bun")), "bin"))
	add("the user's programs", o.home(".local", "bin"), o.home("bin"), o.home(".opencode", "bin"))
	add("cargo", o.home(".cargo", "bin"))
	add("go", o.home("go", "bin"))
	switch runtime.GOOS {
	case "windows":
		add("scoop", o.home("scoop", "shims"))
	default:
		add("homebrew", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin")
		add("the system", "/usr/local/bin", "/usr/bin", "/snap/bin")
	}
	return all
}

// home is a path in the user's home, "" if there is none.
func (o *Options) home(words ...string) string {
	if o.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{o.Home}, words...)...)
}

// npmGlobal returns the folders into which npm install -g puts programs.
func (o *Options) npmGlobal() []string {
	prefixes := []string{o.Env("NPM_CONFIG_PREFIX"), o.Env("npm_config_prefix"), npmrcPrefix(o.home(".npmrc"), o.Home)}
	if runtime.GOOS == "windows" { // there, they are in the prefix itself
		if data := o.Env("APPDATA"); data != "" {
			prefixes = append(prefixes, filepath.Join(data, "npm"))
		}
		return prefixes
	}
	prefixes = append(prefixes, o.home(".npm-global"), o.home(".npm-packages"))
	for i, prefix := range prefixes {
		if prefix != "" {
			prefixes[i] = filepath.Join(prefix, "bin")
		}
	}
	return prefixes
}

// npmrcPrefix returns the prefix that a .npmrc sets, "" if it sets none.
func npmrcPrefix(file, home string) string {
	text, err := os.ReadFile(file)
	if err != nil || len(text) > 1<<20 {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) != "prefix" {
			continue
		}
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		value = strings.ReplaceAll(value, "${HOME}", home)
		if rest, ok := strings.CutPrefix(value, "~/"); ok {
			value = filepath.Join(home, rest)
		}
		return value
	}
	return ""
}

// nvmFolders returns the folders of the versions of Node that nvm has: the default one first, then from the newest to the
// oldest.
func nvmFolders(dir string) []string {
	versions, _ := filepath.Glob(filepath.Join(dir, "versions", "node", "v*", "bin"))
	slices.SortFunc(versions, func(a, b string) int { return compareVersions(nodeVersion(b), nodeVersion(a)) })
	chosen, err := os.ReadFile(filepath.Join(dir, "alias", "default"))
	if err != nil || len(strings.TrimSpace(string(chosen))) == 0 {
		return versions
	}
	want := strings.TrimPrefix(strings.TrimSpace(string(chosen)), "v") // "22", "22.3.0", or a word that means the newest
	isDefault := func(bin string) bool {
		return nodeVersion(bin) == want || strings.HasPrefix(nodeVersion(bin), want+".")
	}
	slices.SortStableFunc(versions, func(a, b string) int {
		switch {
		case isDefault(a) == isDefault(b):
			return 0
		case isDefault(a):
			return -1
		}
		return 1
	})
	return versions
}

// nodeVersion is the version in the path of one of nvm's folders of programs.
func nodeVersion(bin string) string {
	return strings.TrimPrefix(filepath.Base(filepath.Dir(bin)), "v")
}
