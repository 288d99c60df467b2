package registry

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/config"
)

// BuiltIn is the name of the built-in agent, which is nowhere to be found but in the program itself.
const BuiltIn = "patchbay"

// Options say where to look. The zero value looks where a user expects it.
type Options struct {
	// Env looks up a variable of the environment. Default os.Getenv.
	Env func(name string) string

	// Home is the user's home. Default os.UserHomeDir.
	Home string

	// ConfigDir is the folder of the user's own files, which has what was added; DataDir has what was installed, a folder for
	// each. Default: where the system keeps such things.
	ConfigDir, DataDir string
}

// A Registry knows agents by name. It is safe for concurrent use, save that what is added and installed meanwhile is seen by
// who opens it anew.
type Registry struct {
	o         Options
	added     map[string]*Agent
	installed map[string]*Manifest
	broken    map[string]error // manifests that can't be read

	shellOnce sync.Once
	shell     []Place // the PATH of the login shell
}

// Open reads what the user has added and installed.
func Open(o Options) (*Registry, error) {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Home == "" {
		o.Home, _ = os.UserHomeDir() // without one, nothing is looked for there
	}
	o.ConfigDir = cmp.Or(o.ConfigDir, config.UserDir(o.Env))
	o.DataDir = cmp.Or(o.DataDir, dataFolder(&o))
	r := &Registry{o: o}
	var err error
	if r.added, err = readAdded(r.AddedFile()); err != nil {
		return nil, err
	}
	r.installed, r.broken, err = readManifests(o.DataDir)
	return r, err
}

// dataFolder is where installed agents are; "" if there is no place for them.
func dataFolder(o *Options) string {
	base := o.Env("XDG_DATA_HOME")
	switch {
	case filepath.IsAbs(base):
	case runtime.GOOS == "windows":
		base = o.Env("LocalAppData")
	case runtime.GOOS == "darwin" || runtime.GOOS == "ios":
		base = o.home("Library", "Application Support")
	default:
		base = o.home(".local", "share")
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "patchbay", "agents")
}

// errNoPlace says that there is no user's folder.
var errNoPlace = errors.New("there is no place for agents: neither a home nor XDG_CONFIG_HOME and XDG_DATA_HOME are set")

// Lookup returns the agent of a name, or an *UnknownError. It may not be on this computer.
func (r *Registry) Lookup(name string) (*Agent, error) {
	if a := r.added[name]; a != nil {
		return a, nil
	}
	if a := knownAs(name); a != nil {
		return a, nil
	}
	if m := r.installed[name]; m != nil {
		return m.agent(), nil
	}
	return nil, r.unknown(name)
}

// knownAs returns the known agent that answers to a name, nil if none does.
func knownAs(name string) *Agent {
	for i := range known {
		if known[i].answers(name) {
			return &known[i]
		}
	}
	return nil
}

func (r *Registry) unknown(name string) *UnknownError {
	ids := map[string]string{} // of each name
	for _, id := range r.Names() {
		ids[id] = id
	}
	for i := range known {
		for _, alias := range known[i].Aliases {
			ids[alias] = known[i].ID
		}
	}
	e := &UnknownError{Name: name, All: r.Names()}
	e.Near = ids[config.Nearest(strings.ToLower(name), slices.Sorted(maps.Keys(ids)))]
	return e
}

// Names are the ids of all agents, sorted: of the built-in one, the known ones, and those that were added or installed.
func (r *Registry) Names() []string {
	all := slices.Concat([]string{BuiltIn}, slices.Collect(maps.Keys(r.added)), slices.Collect(maps.Keys(r.installed)))
	for i := range known {
		all = append(all, known[i].ID)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
