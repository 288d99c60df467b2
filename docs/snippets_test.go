// Package docs_test looks whether what the guides show is so.
package docs_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const module = "github.com/patchbay-dev/patchbay/"

// imports are what a snippet may use without saying so.
var imports = []string{
	"context", "errors", "fmt", "log", "os", "strings", "time",
	module + "acp", module + "agent", module + "client", module + "jsonrpc", module + "policy", module + "policy/ledger", module + "trace", module + "transport",
}

// A snippet is a piece of Go in a guide.
type snippet struct {
	guide string
	line  int
	text  string
}

func (s *snippet) String() string { return fmt.Sprintf("%s, line %d", s.guide, s.line) }

// Each piece of Go in the guides is right in its place: what it takes from its surroundings stands in testdata/snippets, for each
// guide. A line of which nothing but … is left may be anything.
func TestTheGuidesShowGoThatCompiles(t *testing.T) {
	all := snippets(t)
	if len(all) < 23 {
		t.Fatalf("there are only %d pieces of Go in the guides", len(all))
	}
	fset := token.NewFileSet()
	exports := importer.ForCompiler(fset, "gc", compiled(t))
	for _, s := range all {
		if err := s.check(fset, exports); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// A test that finds no fault finds none in what is wrong either.
func TestWrongGoIsFound(t *testing.T) {
	fset := token.NewFileSet()
	exports := importer.ForCompiler(fset, "gc", compiled(t))
	for _, text := range []string{
		"session.Fly(ctx)",
		"result, err := session.Run(ctx, 1)",
		"client.Options{Nonsense: 1}",
		"func (handler) Update(ctx context.Context, s *client.Nobody, u acp.SessionUpdate) {}",
		"if err != nil {",
	} {
		s := snippet{guide: "client.md", text: text}
		if s.check(fset, exports) == nil {
			t.Errorf("nothing is found to be wrong with %s", text)
		}
	}
}

// snippets returns all pieces of Go in the guides.
func snippets(t *testing.T) (all []*snippet) {
	t.Helper()
	guides, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, guide := range append(guides, "../README.md") {
		text, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		var open *snippet
		for i, line := range strings.Split(string(text), "\n") {
			switch {
			case open == nil && line == "```go":
				open = &snippet{guide: guide, line: i + 2}
			case open != nil && line == "```":
				all, open = append(all, open), nil
			case open != nil:
				open.text += line + "\n"
			}
		}
	}
	return all
}

// compiled returns what finds the types of the packages that snippets import, as the compiler has noted them.
func compiled(t *testing.T) importer.Lookup {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}"}, imports...)...)
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		files[name] = file
	}
	return func(name string) (io.ReadCloser, error) { return os.Open(files[name]) }
}

// check checks the types of a snippet. That something is not used is no fault in a part of something larger.
func (s *snippet) check(fset *token.FileSet, exports types.Importer) error {
	file, err := parser.ParseFile(fset, s.guide, s.program(), parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	files := []*ast.File{file}
	if !s.isWhole() {
		around, err := s.surroundings(fset, declared(file))
		if err != nil {
			return err
		}
		files = append(files, around)
	}
	var faults []error
	config := types.Config{Importer: exports, Error: func(err error) {
		if e, ok := err.(types.Error); !ok || !e.Soft {
			faults = append(faults, err)
		}
	}}
	_, _ = config.Check("snippets", fset, files, nil)
	if len(faults) > 0 {
		return faults[0]
	}
	return nil
}

var omission = regexp.MustCompile(`(?m)^\s*…$`)

// isWhole reports whether a snippet is a file of its own.
func (s *snippet) isWhole() bool { return strings.HasPrefix(s.text, "package ") }

// program makes a file of a snippet: what it declares stays as it is, statements get a function, and an expression a name.
func (s *snippet) program() []byte {
	if s.isWhole() {
		return []byte(s.text)
	}
	var out bytes.Buffer
	out.WriteString("package snippets\n")
	for _, name := range imports {
		if strings.Contains(s.text, path.Base(name)+".") {
			fmt.Fprintf(&out, "import %q\n", name)
		}
	}
	text := omission.ReplaceAllString(s.text, `panic("…")`)
	if _, err := parser.ParseExpr(text); err == nil {
		fmt.Fprintf(&out, "var _ = %s", text)
		return out.Bytes()
	}
	declarations, statements := parted(text)
	fmt.Fprintf(&out, "%s\nfunc _() error {\n%s\npanic(0)\n}\n", declarations, statements)
	return out.Bytes()
}

// parted tells the declarations of functions and types, which begin and end at the margin, from statements.
func parted(text string) (declarations, statements string) {
	declares := false
	for line := range strings.Lines(text) {
		begins := strings.HasPrefix(line, "func ") || strings.HasPrefix(line, "type ")
		if begins || declares {
			declarations += line
			declares = begins && !strings.HasSuffix(line, "}\n") || !begins && line[0] != '}'
			continue
		}
		statements += line
	}
	return declarations, statements
}

// declared returns the names of what a file declares, those of methods with their type's.
func declared(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range file.Decls {
		for _, name := range namesOf(d) {
			names[name] = true
		}
	}
	return names
}

func namesOf(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*") + "." + name
		}
		names = []string{name}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if t, ok := spec.(*ast.TypeSpec); ok {
				names = append(names, t.Name.Name)
			}
		}
	}
	return names
}

// surroundings returns what the snippets of a guide are among, without what a snippet declares itself.
func (s *snippet) surroundings(fset *token.FileSet, own map[string]bool) (*ast.File, error) {
	name := filepath.Join("testdata", "snippets", strings.TrimSuffix(filepath.Base(s.guide), ".md")+".go")
	file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var rest []ast.Decl
	for _, d := range file.Decls {
		if names := namesOf(d); len(names) == 0 || !own[names[0]] {
			rest = append(rest, d)
		}
	}
	file.Decls = rest
	return file, nil
}
