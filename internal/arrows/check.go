package arrows

import (
	"fmt"
	"slices"
	"strings"
)

// A Package is what the go command lists of one.
type Package struct {
	ImportPath string
	Imports    []string // directly
	Deps       []string // at any remove
	Standard   bool
	Module     *Module
}

// A Module is where a package comes from.
type Module struct{ Path string }

// Check compares packages, all those of a module and what they depend on, with the house that they should live in. It
// returns what doesn't fit, a line each.
func Check(house []Room, module string, packages []Package) []string {
	listed := map[string]Package{}
	for _, p := range packages {
		listed[p.ImportPath] = p
	}
	var problems []string
	for _, p := range packages {
		name, ours := within(module, p.ImportPath)
		if !ours {
			continue
		}
		room, ok := find(house, name)
		if !ok {
			problems = append(problems, name+" has no place in the house")
			continue
		}
		for _, path := range p.Imports {
			if other, ours := within(module, path); ours && !room.mayImport(house, other) {
				problems = append(problems, fmt.Sprintf("%s imports %s", name, other))
			}
		}
		for _, m := range modules(listed, module, p) {
			if !room.Open && !slices.Contains(room.Modules, m) {
				problems = append(problems, fmt.Sprintf("%s pulls in %s", name, m))
			}
		}
	}
	return problems
}

// within returns a package's path below the module, and whether it is there at all.
func within(module, path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func find(house []Room, name string) (Room, bool) {
	for _, r := range house {
		prefix, open := strings.CutSuffix(r.Path, "...")
		if r.Path == name || open && strings.HasPrefix(name, prefix) {
			return r, true
		}
	}
	return Room{}, false
}

func (r Room) mayImport(house []Room, name string) bool {
	other, ok := find(house, name)
	switch {
	case !ok || other.Floor == aside:
		return false
	case r.Only != nil && !slices.Contains(r.Only, name):
		return false
	case r.Floor == other.Floor:
		return slices.Contains(r.Beside, name)
	default:
		return r.Floor > other.Floor
	}
}

// modules returns the modules of others that come with a package, sorted.
func modules(listed map[string]Package, module string, p Package) []string {
	var found []string
	for _, path := range p.Deps {
		d := listed[path]
		if d.Standard || d.Module == nil || d.Module.Path == module {
			continue
		}
		found = append(found, d.Module.Path)
	}
	slices.Sort(found)
	return slices.Compact(found)
}
