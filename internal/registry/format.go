package registry

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/internal/config"
)

// An Entry is an agent in a file in the format of the public ACP registry. Members that aren't listed are of no use here.
//
// Spec: github.com/agentclientprotocol/registry, FORMAT.md.
type Entry struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Version      string       `json:"version"`
	Description  string       `json:"description"`
	Distribution Distribution `json:"distribution"`

	// problem is why the agent can't be installed from this entry, nil if it may be.
	problem error
}

// A Distribution says in which ways an agent comes.
type Distribution struct {
	Binary map[string]BinaryTarget `json:"binary"` // by platform, see platform
	Npx    *PackageSource          `json:"npx"`
	Uvx    *PackageSource          `json:"uvx"`
}

// A BinaryTarget is an archive for a platform.
type BinaryTarget struct {
	Archive string            `json:"archive"`
	Cmd     string            `json:"cmd"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	SHA256  string            `json:"sha256"` // of the archive, in hexadecimal digits
}

// A PackageSource is a package of npm or PyPI.
type PackageSource struct {
	Package string            `json:"package"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// idForm is what an id looks like. It is the name of a folder, too.
var idForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// maxRegistry is how large a registry's file may be.
const maxRegistry = 16 << 20

// ReadFile reads a registry's file: the whole list of agents, or a single one.
func ReadFile(name string) ([]Entry, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read the registry: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxRegistry {
		return nil, fmt.Errorf("%s is no registry: not a file of at most %d MiB", name, maxRegistry>>20)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the registry: %w", err)
	}
	entries, err := parseRegistry(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return entries, nil
}

// parseRegistry reads what it understands. An entry that is of no use, such as one in a form that came later, is no reason to do
// without the others.
func parseRegistry(text []byte) ([]Entry, error) {
	var file struct {
		ID     string           `json:"id"`
		Agents []jsontext.Value `json:"agents"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("not a registry of agents: %w", err)
	}
	if file.Agents == nil && file.ID != "" {
		file.Agents = []jsontext.Value{text}
	}
	entries := make([]Entry, len(file.Agents))
	for i, text := range file.Agents {
		e := &entries[i]
		err := json.Unmarshal(text, e)
		if err == nil {
			err = e.check()
		}
		if err != nil {
			*e = Entry{ID: e.ID, problem: err}
		}
	}
	return entries, nil
}

func (e *Entry) check() error {
	switch {
	case !idForm.MatchString(e.ID):
		return fmt.Errorf("an id is made of small letters, digits and -, and begins with a letter")
	case e.ID == BuiltIn:
		return fmt.Errorf("that is the built-in agent")
	case e.Distribution.Npx == nil && e.Distribution.Uvx == nil && len(e.Distribution.Binary) == 0:
		return fmt.Errorf("it has no distribution")
	}
	for name, b := range e.Distribution.Binary {
		if !localCommand(b.Cmd) {
			return fmt.Errorf("distribution for %s: the command %q is not in the archive", name, b.Cmd)
		}
	}
	return nil
}

// localCommand reports whether a command stays in its folder, on every system.
func localCommand(cmd string) bool {
	return cmd != "" && !strings.ContainsAny(cmd, `\:`) && filepath.IsLocal(filepath.FromSlash(path.Clean(cmd))) && path.Clean(cmd) != "."
}

// pick returns the entry of a name, or of another name of the same known agent.
func pick(entries []Entry, name string) (*Entry, error) {
	names := []string{name}
	if a := knownAs(name); a != nil {
		names = append(append(names, a.ID), a.Aliases...)
	}
	for _, name := range names {
		for i := range entries {
			if e := &entries[i]; e.ID == name && e.problem != nil {
				return nil, fmt.Errorf("in the registry, agent %q: %w", name, e.problem)
			} else if e.ID == name {
				return e, nil
			}
		}
	}
	ids := map[string]bool{}
	for i := range entries {
		if entries[i].problem == nil {
			ids[entries[i].ID] = true
		}
	}
	all := slices.Sorted(maps.Keys(ids))
	e := &UnknownError{Name: name, Near: config.Nearest(name, all), All: all}
	return nil, fmt.Errorf("in the registry, %w", e)
}

// platform is the registry's name of this one.
func platform() string {
	arch := runtime.GOARCH
	switch arch {
	case "amd64":
		arch = "x86_64"
	case "arm64":
		arch = "aarch64"
	}
	return runtime.GOOS + "-" + arch
}
