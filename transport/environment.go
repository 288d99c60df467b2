package transport

import (
	"os"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/process"
)

// developer are the variables that say where a developer's tools are and what a screen is like. A coding agent's commands
// need them to do what the user's own commands do.
var developer = []string{
	"CI", "COLORTERM", "NO_COLOR", "TERM_PROGRAM",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS", "BROWSER", // for signing in
	"ANDROID_HOME", "BUN_INSTALL", "CARGO_HOME", "CONDA_PREFIX", "DENO_DIR", "DOTNET_ROOT", "FNM_DIR", "GEM_HOME", "GOBIN",
	"GOCACHE", "GOFLAGS", "GOMODCACHE", "GOPATH", "GOROOT", "GOTOOLCHAIN", "GRADLE_USER_HOME", "HOMEBREW_PREFIX", "JAVA_HOME",
	"LD_LIBRARY_PATH", "M2_HOME", "MISE_DATA_DIR", "NVM_BIN", "NVM_DIR", "PNPM_HOME", "PYENV_ROOT", "PYTHONPATH", "RUSTUP_HOME",
	"SDKMAN_DIR", "VIRTUAL_ENV", "VOLTA_HOME",
}

// AllowEnv returns, for Command.Env, the part of this process's environment that a peer may have (F175): what every program
// needs (PATH, HOME and the like, the locale, the terminal's type, folders for temporary files, certificates, and proxies
// without a password), where a developer's tools are, and the variables of these names. A name may end in "*", which
// stands for whatever follows.
//
// So an agent gets the key of its own provider, whose name its caller knows, and nobody else's, and no token of the
// shell or the CI job that everything runs in. SSH_AUTH_SOCK is left out too: who wants the agent to push names it.
// Variables that are to have another value can be appended to the result; of the same name, the last one counts.
func AllowEnv(names ...string) []string { return FilterEnv(os.Environ(), names...) }

// FilterEnv is AllowEnv for another environment than this process's.
func FilterEnv(environ []string, names ...string) []string {
	env := []string{} // not nil, which means everything
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if process.Inherits(name, value) || allowed(developer, name) || allowed(names, name) {
			env = append(env, entry)
		}
	}
	return env
}

func allowed(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		if open && len(name) >= len(prefix) {
			return process.SameVariable(prefix, name[:len(prefix)])
		}
		return process.SameVariable(pattern, name)
	})
}
