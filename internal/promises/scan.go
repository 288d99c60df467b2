package promises

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Test is a function that go test runs, and the promises that it says it proves.
type Test struct {
	Name
	IDs []string // from its name, its doc comment and the comments in its body
}

// A Citation is one id in a comment of a test file or of a script that tests play, or in a test's name.
type Citation struct{ ID, Where string }

// Scan reads the test files of a tree, those of nested modules too, whatever system they are built for, and the scripts
// in testdata.
func Scan(tree fs.FS) ([]Test, []Citation, error) {
	var tests []Test
	var cited []Citation
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if skipped(entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		script := strings.Contains("/"+name, "/testdata/")
		if !strings.HasSuffix(name, ".txt") && script || !strings.HasSuffix(name, "_test.go") && !script {
			return nil
		}
		source, err := fs.ReadFile(tree, name)
		switch {
		case err != nil:
			return err
		case script:
			cited = append(cited, scanScript(name, string(source))...)
			return nil
		}
		t, c, err := scanFile(name, source)
		tests, cited = append(tests, t...), append(cited, c...)
		return err
	})
	return tests, cited, err
}

// skipped names the folders that the go command doesn't look into, and those of npm.
func skipped(folder string) bool {
	if folder == "vendor" || folder == "node_modules" {
		return true
	}
	return folder != "." && (folder[0] == '.' || folder[0] == '_')
}

// scanScript reads the comments of a script, which begin with "#". A script proves nothing by itself: the test that plays
// it says what it proves.
func scanScript(name, text string) []Citation {
	var cited []Citation
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "#") {
			for _, id := range ids.FindAllString(line, -1) {
				cited = append(cited, Citation{id, fmt.Sprintf("%s:%d", name, i+1)})
			}
		}
	}
	return cited
}

func scanFile(name string, source []byte) ([]Test, []Citation, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, fmt.Errorf("reading tests: %w", err)
	}
	var cited []Citation
	cite := func(pos token.Pos, found []string) {
		where := files.Position(pos)
		for _, id := range found {
			cited = append(cited, Citation{id, fmt.Sprintf("%s:%d", name, where.Line)})
		}
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			cite(c.Pos(), ids.FindAllString(c.Text, -1))
		}
	}
	var tests []Test
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv != nil || !isTest(f.Name.Name) {
			continue
		}
		found := idsOfName(f.Name.Name)
		cite(f.Pos(), found)
		for _, group := range file.Comments {
			if group == f.Doc || f.Pos() <= group.Pos() && group.End() <= f.End() {
				found = append(found, ids.FindAllString(group.Text(), -1)...)
			}
		}
		slices.Sort(found)
		tests = append(tests, Test{Name{path.Dir(name), f.Name.Name}, slices.Compact(found)})
	}
	return tests, cited, nil
}

// isTest tells whether go test runs a function of this name. Benchmarks are run on demand only, so they prove nothing.
func isTest(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && name != "TestMain" {
			first, _ := utf8.DecodeRuneInString(rest)
			return !unicode.IsLower(first)
		}
	}
	return false
}

// leading matches the ids that a test's name starts with: TestW7_Late, FuzzF9_F11_Ids, TestS002_14_Servers.
var leading = regexp.MustCompile(`^(?:Test|Fuzz|Example)((?:(?:[WTF]\d+|S\d{3}_\d+)(?:_|$))+)`)

func idsOfName(name string) []string {
	m := leading.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	parts := strings.Split(strings.TrimSuffix(m[1], "_"), "_")
	var found []string
	for i := 0; i < len(parts); i++ {
		id := parts[i]
		if id[0] == 'S' {
			i++
			id += "." + parts[i]
		}
		found = append(found, id)
	}
	return found
}
