package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// noHome is a home folder without anything in it. It is not there: an empty one would be looked through.
const noHome = "/nonexistent"

// caches are the variables that name folders to write to. Without them, programs choose one in the home folder.
var caches = []string{
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"GOBIN", "GOCACHE", "GOPATH", "GOTMPDIR", "GOENV", "PIP_CACHE_DIR", "UV_CACHE_DIR", "npm_config_cache", "NPM_CONFIG_CACHE",
	"npm_config_userconfig", "NPM_CONFIG_USERCONFIG", "YARN_CACHE_FOLDER", "CCACHE_DIR", "SCCACHE_DIR", "GRADLE_USER_HOME",
	"DENO_DIR", "HISTFILE",
}

// environ returns an environment that fits the policy: what programs write has a place, and toolchains are found where they
// are.
func (p Policy) environ(env []string) []string {
	if p.Temp != "" {
		env = set(env, "TMPDIR", p.Temp)
		env = set(env, "TMP", p.Temp)
		env = set(env, "TEMP", p.Temp)
	}
	if p.KeepHome {
		return env
	}
	for _, name := range caches {
		env = unset(env, name)
	}
	for _, t := range homeToolchains {
		if _, err := os.Stat(t.place()); err == nil && t.variable != "" {
			env = set(env, t.variable, t.place())
		}
	}
	if p.Network {
		env = unset(env, "GOMODCACHE") // modules may be fetched, so there has to be a place for them
	}
	if p.Temp == "" {
		return set(env, "HOME", noHome)
	}
	return set(env, "HOME", tempHome(p.Temp))
}

// tempHome returns the home folder in a private folder.
func tempHome(temp string) string { return filepath.Join(temp, "home") }

// set returns an environment with one variable changed.
func set(env []string, name, value string) []string { return append(unset(env, name), name+"="+value) }

// unset returns an environment without a variable.
func unset(env []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
}
