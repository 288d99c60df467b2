package sandbox

import (
	"cmp"
	"os"
	"path/filepath"
)

// A toolchain is a folder in the home folder where people keep a toolchain. It says what may be read of it: some keep their
// keys there too.
type toolchain struct {
	folder   string   // below the home folder
	variable string   // names another place for it; empty if there is none
	parts    []string // what may be read; nil for all of it
}

var homeToolchains = []toolchain{
	{".asdf", "ASDF_DATA_DIR", nil},
	{".bun", "BUN_INSTALL", []string{"bin", "install"}},
	{".cargo", "CARGO_HOME", []string{"bin", "env", "registry", "git", "config", "config.toml"}}, // not credentials.toml
	{".deno", "DENO_INSTALL", []string{"bin"}},
	{".dotnet", "DOTNET_ROOT", nil},
	{".ghcup", "GHCUP_INSTALL_BASE_PREFIX", []string{"bin", "ghc", "env"}},
	{".local", "PYTHONUSERBASE", []string{"bin", "lib", "share/uv", "share/pipx", "share/fnm", "share/pnpm"}},
	{".local/share/mise", "MISE_DATA_DIR", nil},
	{".npm-global", "", nil},
	{".nvm", "NVM_DIR", nil},
	{".opam", "OPAMROOT", nil},
	{".pyenv", "PYENV_ROOT", nil},
	{".rbenv", "RBENV_ROOT", nil},
	{".rustup", "RUSTUP_HOME", nil},
	{".sdkman", "SDKMAN_DIR", []string{"bin", "candidates"}},
	{".volta", "VOLTA_HOME", nil},
	{"go/bin", "", nil},
	{"go/pkg/mod", "GOMODCACHE", nil},
	{"anaconda3", "", nil},
	{"miniconda3", "", nil},
	{"sdk", "", nil}, // Go's other versions
	{"", "CONDA_PREFIX", nil},
	{"", "GOROOT", nil},
	{"", "JAVA_HOME", nil},
	{"", "PNPM_HOME", nil},
	{"", "VIRTUAL_ENV", nil},
}

// toolchains returns what may be read of the toolchains in the home folder, and the folders of PATH.
func toolchains() []string {
	var paths []string
	add := func(path string) {
		if isNarrow(path) {
			paths = append(paths, path)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		add(dir)
	}
	for _, t := range homeToolchains {
		dir := t.place()
		if t.parts == nil {
			add(dir)
		}
		for _, part := range t.parts {
			add(filepath.Join(dir, part))
		}
	}
	return paths
}

// place returns where a toolchain is, or nothing.
func (t toolchain) place() string {
	if t.variable != "" && os.Getenv(t.variable) != "" {
		return os.Getenv(t.variable)
	}
	if home := home(); t.folder != "" && home != "" {
		return filepath.Join(home, t.folder)
	}
	return ""
}

// isNarrow reports whether a folder that a variable names can be a toolchain's. It must not hold the home folder: some have
// that on their PATH, or a JAVA_HOME of "/".
func isNarrow(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && real != "/" && !beneath(realHome(), real) && !isFirst(real)
}

// isFirst reports whether a folder is directly below the root, such as /home or /etc, unless programs live there.
func isFirst(path string) bool {
	switch path {
	case "/usr", "/bin", "/sbin", "/opt":
		return false
	}
	return filepath.Dir(path) == "/"
}

// home returns the home folder, or nothing.
func home() string {
	dir, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Clean(dir)
}

// realHome returns the real path of the home folder, or nothing.
func realHome() string {
	real, _ := filepath.EvalSymlinks(home())
	return cmp.Or(real, home())
}
