package arrows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An importer is a module of its own that has the README's example as its program and imports every public package.
// What comes along with them must be in the public rooms' lists, and the example must do what the README says.
func TestImporter(t *testing.T) {
	program, output := example(t)
	folder := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	home, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	public, allowed := publicRooms(t)
	write("go.mod", "module example.com/importer\n\ngo 1.26\n\nrequire "+module+" v0.0.0\n\nreplace "+module+" => "+home+"\n")
	write("go.sum", string(sums))
	write("main.go", program)
	write("imports.go", "package main\n\nimport (\n\t_ \""+strings.Join(public, "\"\n\t_ \"")+"\"\n)\n")

	// What is built, on each system.
	for _, system := range systems {
		for _, p := range list(t, folder, system, "-mod=mod", ".") {
			if p.Module != nil && p.Module.Path != module && p.Module.Path != "example.com/importer" && !slices.Contains(allowed, p.Module.Path) {
				t.Errorf("on %s, %s of %s is built into an importer", system, p.ImportPath, p.Module.Path)
			}
		}
	}

	// What the go command writes into the importer's go.mod.
	written, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range requirements(string(written)) {
		if m != module && !slices.Contains(allowed, m) {
			t.Errorf("an importer's go.mod requires %s:\n%s", m, written)
		}
	}

	if got := run(t, folder, nil, "run", "-mod=mod", "."); got != output {
		t.Errorf("the README's example prints\n%swant\n%s", got, output)
	}
}

// publicRooms returns the public packages that exist and the modules that may come with them.
func publicRooms(t *testing.T) (paths, allowed []string) {
	t.Helper()
	for _, p := range list(t, root, "linux", "./...") {
		name, ours := within(module, p.ImportPath)
		if room, ok := find(House, name); ours && ok && room.Public {
			paths = append(paths, p.ImportPath)
			allowed = append(allowed, room.Modules...)
		}
	}
	if len(paths) < 3 {
		t.Fatalf("found only these public packages: %q", paths)
	}
	return paths, allowed
}

var block = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n.*?```text\n(.*?)```\n")

// example returns the program in the README and what the README says that it prints.
func example(t *testing.T) (program, output string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := block.FindSubmatch(readme)
	if m == nil {
		t.Fatal("the README has no program followed by its output")
	}
	return string(m[1]), string(m[2])
}

var require = regexp.MustCompile(`(?m)^(?:require )?\t?([\w.-]+\.[\w.-]+/\S+) v\S+`)

// requirements returns the modules that a go.mod requires.
func requirements(mod string) []string {
	var found []string
	for _, m := range require.FindAllStringSubmatch(mod, -1) {
		found = append(found, m[1])
	}
	return found
}
