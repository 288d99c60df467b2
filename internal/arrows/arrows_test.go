package arrows

import (
	stdjson "encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/patchbay-dev/patchbay"
)

// systems are those that Patchbay is built for: a file for one of them may import what the others don't.
var systems = []string{"linux", "darwin", "windows"}

// Every package of this repository is in its place, on every system.
func TestHouse(t *testing.T) {
	for _, system := range systems {
		t.Run(system, func(t *testing.T) {
			packages := list(t, root, system, "./...")
			if !slices.ContainsFunc(packages, func(p Package) bool { return p.ImportPath == module+"/internal/arrows" }) {
				t.Fatal("the list of packages lacks this one")
			}
			for _, problem := range Check(House, module, packages) {
				t.Error(problem)
			}
		})
	}
}

// Each case is a module and the words that the check must find for it; no words means that all is well.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		imports map[string]string // package → what it imports, separated by spaces
		want    []string
	}{
		"all fits": {
			imports: map[string]string{
				"internal/rawjson": "",
				"jsonrpc":          "internal/rawjson json",
				"acp":              "jsonrpc internal/rawjson json",
				"transport":        "jsonrpc sys",
				"agent":            "acp jsonrpc transport",
				"internal/coder":   "agent internal/tool",
				"internal/tool":    "internal/sandbox sql",
				"cmd/patchbay":     "internal/coder gateway agent",
				"gateway":          "journal",
				"journal":          "sql",
				"examples/echo":    "agent",
				"internal/arrows":  "",
			},
		},
		"the floor knows no protocol": {
			imports: map[string]string{"jsonrpc": "acp", "acp": ""},
			want:    []string{"jsonrpc imports acp"},
		},
		"data knows no transport": {
			imports: map[string]string{"acp": "transport", "transport": ""},
			want:    []string{"acp imports transport"},
		},
		"data brings only the JSON library": {
			imports: map[string]string{"acp": "sys"},
			want:    []string{"acp pulls in golang.org/x/sys"},
		},
		"at any remove": {
			imports: map[string]string{"agent": "policy", "policy": "sql"},
			want:    []string{"agent imports policy", "agent pulls in modernc.org/sqlite", "policy pulls in modernc.org/sqlite"},
		},
		"neighbours keep apart": {
			imports: map[string]string{"agent": "client", "client": ""},
			want:    []string{"agent imports client"},
		},
		"the built-in agent uses what everyone has": {
			imports: map[string]string{"internal/coder": "jsonrpc", "jsonrpc": ""},
			want:    []string{"internal/coder imports jsonrpc"},
		},
		"nothing imports a check": {
			imports: map[string]string{"cmd/patchbay": "internal/arrows", "internal/arrows": ""},
			want:    []string{"cmd/patchbay imports internal/arrows"},
		},
		"a package without a place": {
			imports: map[string]string{"util": ""},
			want:    []string{"util has no place in the house"},
		},
		"a package at the root": {
			imports: map[string]string{"": ""},
			want:    []string{". has no place in the house"},
		},
		"an import without a place": {
			imports: map[string]string{"cmd/patchbay": "internal/misc", "internal/misc": ""},
			want:    []string{"cmd/patchbay imports internal/misc", "internal/misc has no place in the house"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := Check(House, module, modelled(c.imports))
			if !slices.Equal(got, c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// modelled makes the list that the go command would give for packages with these imports.
func modelled(imports map[string]string) []Package {
	others := map[string]string{"json": json, "sys": sys, "sql": "modernc.org/sqlite"}
	path := func(name string) string {
		if m, ok := others[name]; ok {
			return m
		}
		return strings.TrimSuffix(module+"/"+name, "/")
	}
	var packages []Package
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		p := Package{ImportPath: path(name)}
		for _, other := range strings.Fields(imports[name]) {
			p.Imports = append(p.Imports, path(other))
		}
		var visit func(string)
		visit = func(name string) {
			for _, other := range strings.Fields(imports[name]) {
				p.Deps = append(p.Deps, path(other))
				visit(other)
			}
		}
		visit(name)
		packages = append(packages, p)
	}
	for _, m := range others {
		packages = append(packages, Package{ImportPath: m, Module: &Module{Path: m}})
	}
	return packages
}

// Every path of the house is written once, so that the first match is the only one.
func TestHouseHasOneRoomAPath(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range House {
		if seen[r.Path] {
			t.Errorf("%s has two rooms", r.Path)
		}
		seen[r.Path] = true
	}
}

// list runs go list in a folder and returns the packages that match and all that they depend on.
func list(t *testing.T, folder, system string, args ...string) []Package {
	t.Helper()
	observe(t)
	args = append([]string{"list", "-deps", "-json=ImportPath,Imports,Deps,Standard,Module"}, args...)
	out := run(t, folder, []string{"GOOS=" + system, "GOARCH=amd64", "CGO_ENABLED=0"}, args...)
	var packages []Package
	for d := stdjson.NewDecoder(strings.NewReader(out)); ; {
		var p Package
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatalf("reading the list of packages: %v", err)
		}
		packages = append(packages, p)
	}
}

// run runs the go command and returns what it wrote to standard output.
func run(t *testing.T, folder string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

// observe lets the go command's test cache see what these tests depend on: the folders of the repository. It watches
// what a test reads itself, not what a command does that the test starts.
func observe(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := entry.Name(); entry.IsDir() && path != root && (name == "node_modules" || name[0] == '.') {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
