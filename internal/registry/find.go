package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/transport"
)

// A Source says who has brought an agent.
type Source string

// The sources, from the strongest to the weakest.
const (
	SourceAdded     Source = "added"     // by `patchbay agents add`
	SourceInstalled Source = "installed" // by `patchbay agents install`
	SourceFound     Source = "found"     // where programs are
)

// A Found is an agent on this computer.
type Found struct {
	Agent  *Agent
	Source Source
	Place  Place // where the program is

	Path string // of the program, absolute
	Args []string
	Env  map[string]string // set beside what the agent may have of this process's environment

	// Installed says more of an agent that was installed; nil for others.
	Installed *Manifest

	// search is the PATH that the agent gets, "" for this process's own.
	search string
}

// Command returns what starts the agent, with as much of this process's environment as it may have: its own variables, what
// every program needs, and what is allowed in addition (F175). An agent that says nothing of its environment gets all of it,
// unless something is allowed.
func (f *Found) Command(allow ...string) transport.Command {
	c := transport.Command{Path: f.Path, Args: slices.Clone(f.Args), Env: os.Environ()}
	if f.Agent.Environment != nil || len(allow) > 0 {
		c.Env = transport.AllowEnv(slices.Concat(f.Agent.Environment, allow)...)
	}
	if f.search != "" {
		c.Env = append(c.Env, "PATH="+f.search) // the last one of a name counts
	}
	for _, name := range slices.Sorted(maps.Keys(f.Env)) {
		c.Env = append(c.Env, name+"="+f.Env[name])
	}
	return c
}

// Version returns which version of the agent it is, "" if that can't be told. It takes some time at most, and no network.
func (f *Found) Version(ctx context.Context) string {
	if f.Installed != nil {
		return f.Installed.Version
	}
	return versionOf(ctx, f)
}

// Find returns the agent of a name, or an *UnknownError or a *MissingError.
func (r *Registry) Find(ctx context.Context, name string) (*Found, error) {
	a, err := r.Lookup(name)
	if err != nil {
		return nil, err
	}
	if err := r.broken[a.ID]; err != nil && !a.added {
		return nil, err
	}
	if m := r.installed[a.ID]; m != nil && !a.added {
		return r.findInstalled(ctx, a, m)
	}
	source := SourceFound
	if a.added {
		source = SourceAdded
	}
	var looked []Place
	for _, s := range a.starts() {
		if s.Before != "" {
			continue
		}
		path, place, places := r.look(ctx, s.Program)
		if path != "" {
			f := &Found{Agent: a, Source: source, Place: place, Path: path, Env: a.Env}
			f.Args = a.argsOf(s, packageVersion(path, a.Package))
			f.search = r.searchFor(ctx, place)
			return f, nil
		}
		looked = places
	}
	return nil, &MissingError{Agent: a, Looked: looked}
}

// findInstalled returns an agent that was installed.
func (r *Registry) findInstalled(ctx context.Context, a *Agent, m *Manifest) (*Found, error) {
	f := &Found{Agent: a, Source: SourceInstalled, Path: m.program(r.o.DataDir), Args: m.Args, Env: map[string]string{}, Installed: m}
	maps.Copy(f.Env, a.Env) // what keeps it from replacing itself, for instance
	maps.Copy(f.Env, m.Env)
	f.Place = Place{filepath.Dir(f.Path), "installed"}
	if _, err := exec.LookPath(f.Path); err != nil {
		return nil, &MissingError{Agent: a, Looked: []Place{f.Place}, Installed: m}
	}
	hash, err := hashFile(f.Path)
	if err != nil {
		return nil, fmt.Errorf("the agent %s: %w", a.ID, err)
	}
	if hash != m.ProgramHash {
		return nil, &ChangedError{m, f.Path}
	}
	f.search = r.searchFor(ctx, f.Place)
	return f, nil
}

// look looks for a program: where this process would, where the user's terminal would, and in the usual folders. It returns
// the folders that it has looked into.
func (r *Registry) look(ctx context.Context, program string) (path string, at Place, looked []Place) {
	if filepath.Base(program) != program {
		at = Place{filepath.Dir(program), "as added"}
		if path, err := exec.LookPath(program); err == nil {
			return path, at, nil
		}
		return "", Place{}, []Place{at}
	}
	for _, places := range []func(context.Context) []Place{r.ownPlaces, r.shellPlaces, r.usualPlaces} {
		for _, p := range places(ctx) {
			if slices.ContainsFunc(looked, func(q Place) bool { return q.Dir == p.Dir }) {
				continue
			}
			looked = append(looked, p)
			if path, err := exec.LookPath(filepath.Join(p.Dir, program)); err == nil {
				return path, p, looked
			}
		}
	}
	return "", Place{}, looked
}

func (r *Registry) ownPlaces(context.Context) []Place {
	return absolute(filepath.SplitList(r.o.Env("PATH")), whyPath)
}

// shellPlaces asks the shell once, and only if it has to.
func (r *Registry) shellPlaces(ctx context.Context) []Place {
	r.shellOnce.Do(func() { r.shell = absolute(r.o.shellPath(ctx), whyShell) })
	return r.shell
}

func (r *Registry) usualPlaces(context.Context) []Place { return r.o.usual() }

// absolute leaves out what is relative to the working directory: a program there is not meant.
func absolute(dirs []string, why string) []Place {
	var all []Place
	for _, dir := range dirs {
		if filepath.IsAbs(dir) {
			all = append(all, Place{filepath.Clean(dir), why})
		}
	}
	return all
}

// searchFor returns the PATH for a program in a place, "" if this process's own does. A program that isn't found by PATH needs
// its neighbours all the same, and most agents are scripts that look for node.
func (r *Registry) searchFor(ctx context.Context, place Place) string {
	own := r.ownPlaces(ctx)
	_, node, _ := r.look(ctx, "node")
	if place.Why == whyPath && (node.Dir == "" || node.Why == whyPath) {
		return ""
	}
	dirs := []string{place.Dir}
	for _, p := range append(own, r.shell...) {
		dirs = append(dirs, p.Dir)
	}
	dirs = append(dirs, node.Dir)
	var unique []string
	for _, dir := range dirs {
		if dir != "" && !slices.Contains(unique, dir) {
			unique = append(unique, dir)
		}
	}
	return strings.Join(unique, string(filepath.ListSeparator))
}

// IsMissing reports whether an error says that an agent is not on this computer.
func IsMissing(err error) bool {
	_, missing := errors.AsType[*MissingError](err)
	return missing
}
