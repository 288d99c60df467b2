package tool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

func TestList(t *testing.T) {
	p := at(t, "b.txt", "12345", "a/x", "", "c", "", "a/d/y", "1", ".git/config", "", ".gitignore", "/c\nd/\n")
	p.wantText(p.must(tool.List(), `{}`), ". has 5 entries\n.git/ (ignored)\n.gitignore 6\na/\nb.txt 5\nc 0 (ignored)\n")
	p.wantText(p.must(tool.List(), `{'path':'a'}`), "a has 2 entries\nd/ (ignored)\nx 0\n")
	p.wantText(p.must(tool.List(), fmt.Sprintf(`{'path':'%s/a/d'}`, p.dir)), "a/d has 1 entry\ny 1\n")
	p.wantText(p.must(tool.List(), `{'depth':3}`),
		". has 7 entries\n.git/ (ignored)\n.gitignore 6\na/\n  d/ (ignored)\n  x 0\nb.txt 5\nc 0 (ignored)\n")
	for input, want := range map[string]string{`{'path':'no'}`: "no such file or folder", `{'path':'c'}`: "not a folder"} {
		if _, err := p.do(tool.List(), input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", input, err, want)
		}
	}
	for i := range 600 {
		p.put(fmt.Sprintf("many/%03d", i), "")
	}
	r := p.must(tool.List(), `{'path':'many'}`)
	if got := strings.Count(r.Text, "\n"); got != 501 || !strings.HasPrefix(r.Text, "many has more than 500 entries; these are the first\n") {
		t.Errorf("got %d lines that begin with %.60q", got, r.Text)
	}
}

func TestGlob(t *testing.T) {
	p := at(t, "a.go", "", "a/b.go", "", "a/c/d.go", "", "a/c/d_test.go", "", "e.txt", "", "out/f.go", "", ".gitignore", "out\n", ".git/g.go", "",
		"node_modules/h.go", "", "a-b/i.go", "")
	for _, c := range []struct{ input, want string }{
		{`{'pattern':'*.go'}`, "5 files match *.go\na/b.go\na/c/d.go\na/c/d_test.go\na-b/i.go\na.go\n"},
		{`{'pattern':'a/**/*.go'}`, "3 files match a/**/*.go\na/b.go\na/c/d.go\na/c/d_test.go\n"},
		{`{'pattern':'./*/*.go'}`, "2 files match ./*/*.go\na/b.go\na-b/i.go\n"},
		{`{'pattern':'*_test.go','path':'a'}`, "1 file matches *_test.go\na/c/d_test.go\n"},
		{`{'pattern':'*.{txt,md}'}`, "1 file matches *.{txt,md}\ne.txt\n"},
		{`{'pattern':'out/*'}`, "No file matches out/*\n"},
		{`{'pattern':'*/[f-h].go','ignored':true}`, "2 files match */[f-h].go\nnode_modules/h.go\nout/f.go\n"},
	} {
		p.wantText(p.must(tool.Glob(), c.input), c.want)
	}
	for i := range 1001 {
		p.put(fmt.Sprintf("many/%04d", i), "")
	}
	r := p.must(tool.Glob(), `{'pattern':'many/*'}`)
	if !strings.HasPrefix(r.Text, "More than 1000 files match many/*; these are the first\nmany/0000\n") || strings.Count(r.Text, "\n") != 1001 {
		t.Errorf("got %.80q", r.Text)
	}
}

// grep runs a test with ripgrep, if it is installed, and without.
func grep(t *testing.T, test func(t *testing.T, grep *tool.Tool)) {
	t.Run("go", func(t *testing.T) { test(t, tool.Grep("")) })
	t.Run("ripgrep", func(t *testing.T) { test(t, tool.Grep(ripgrep(t))) })
}

func ripgrep(t *testing.T) string {
	t.Helper()
	program := tool.Ripgrep()
	if program == "" {
		t.Skip("ripgrep (rg) is not installed, so what grep finds with it is not tested: install the package ripgrep")
	}
	return program
}

func TestGrep(t *testing.T) {
	grep(t, func(t *testing.T, grep *tool.Tool) {
		p := at(t, "a.go", "x\n  TODO one\nx TODO two\n", "sub/b.txt", "nothing\ntodo\r\n", "sub/c", "TODO\x00", ".git/config", "TODO",
			"node_modules/m.js", "TODO", "sub/d.txt", "TODO", "sub/out/e", "TODO", "sub/.gitignore", "out/\n", "-dash", "a\nTODO\nb\nc\nTODO\n")
		r := p.must(grep, `{'pattern':'TODO'}`)
		p.wantText(r, "5 lines in 3 files with \"TODO\"\n-dash:2:TODO\n-dash:5:TODO\na.go:2:  TODO one\na.go:3:x TODO two\nsub/d.txt:1:TODO\n")
		p.wantLocations(r.Locations, "-dash:2", "-dash:5", "a.go:2", "a.go:3", "sub/d.txt:1")
		for _, c := range []struct{ input, want string }{
			{`{'pattern':'TODO','path':'sub'}`, "1 line in 1 file with \"TODO\"\nsub/d.txt:1:TODO\n"},
			{`{'pattern':'TODO','path':'a.go'}`, "2 lines in 1 file with \"TODO\"\na.go:2:  TODO one\na.go:3:x TODO two\n"},
			{`{'pattern':'ToDo'}`, "Nothing in . matches \"ToDo\"\n"},
			{`{'pattern':'^todo$'}`, "1 line in 1 file with \"^todo$\"\nsub/b.txt:2:todo\n"},
			{`{'pattern':'^todo$','ignore_case':true,'output':'count'}`,
				"4 lines in 3 files with \"^todo$\"\n-dash:2\nsub/b.txt:1\nsub/d.txt:1\n"},
			{`{'pattern':'TODO','output':'files','glob':'*.{go,txt}'}`, "3 lines in 2 files with \"TODO\"\na.go\nsub/d.txt\n"},
			{`{'pattern':'T.D*O|\\bx$','glob':'sub/**'}`, "1 line in 1 file with \"T.D*O|\\\\bx$\"\nsub/d.txt:1:TODO\n"},
			{`{'pattern':'*','literal':true}`, "Nothing in . matches \"*\"\n"},
			{`{'pattern':'TODO','path':'sub','ignored':true}`, "2 lines in 2 files with \"TODO\"\nsub/d.txt:1:TODO\nsub/out/e:1:TODO\n"},
			{`{'pattern':'TODO','glob':'-*','context':1}`,
				"2 lines in 1 file with \"TODO\"\n-dash-1-a\n-dash:2:TODO\n-dash-3-b\n-dash-4-c\n-dash:5:TODO\n"},
			{`{'pattern':'x|Z|TODO two','path':'a.go','context':1}`,
				"2 lines in 1 file with \"x|Z|TODO two\"\na.go:1:x\na.go-2-  TODO one\na.go:3:x TODO two\n"},
			{`{'pattern':'a$|^c','glob':'-dash','context':1}`,
				"2 lines in 1 file with \"a$|^c\"\n-dash:1:a\n-dash-2-TODO\n-dash-3-b\n-dash:4:c\n-dash-5-TODO\n"},
			{`{'pattern':'^a|TODO one','context':0,'limit':1}`, "1 line in 1 file with \"^a|TODO one\"; there is more, so look for less at once\n-dash:1:a\n"},
			{`{'pattern':'TODO','output':'files','limit':1}`, "2 lines in 1 file with \"TODO\"; there is more, so look for less at once\n-dash\n"},
		} {
			p.wantText(p.must(grep, c.input), c.want)
		}
		if _, err := p.do(grep, `{'pattern':'x','path':'no'}`); err == nil || !strings.Contains(err.Error(), "no such file") {
			t.Errorf("got error %v", err)
		}
	})
}

// Parts of a file that are apart are told apart.
func TestGrepContext(t *testing.T) {
	p := at(t, "a", "1\n2\n3\n4\n5\n6\nx\nx\n", "b", "x\n")
	p.wantText(p.must(tool.Grep(""), `{'pattern':'2|x|5','context':1}`), "5 lines in 2 files with \"2|x|5\"\n"+
		"a-1-1\na:2:2\na-3-3\na-4-4\na:5:5\na-6-6\na:7:x\na:8:x\n--\nb:1:x\n")
	p.wantText(p.must(tool.Grep(""), `{'pattern':'1|x','context':1}`), "4 lines in 2 files with \"1|x\"\n"+
		"a:1:1\na-2-2\n--\na-6-6\na:7:x\na:8:x\n--\nb:1:x\n")
}

// However much there is, what grep answers is bounded, and says that something was left out.
func TestGrepIsBounded(t *testing.T) {
	p := at(t, "many", strings.Repeat("x"+strings.Repeat("é", 1000)+"\n", 300), "huge", strings.Repeat("x\n", 9<<20))
	r := p.must(tool.Grep(""), `{'pattern':'x','limit':1000}`)
	if want := "in 1 file with \"x\"; there is more, so look for less at once (1 file over 16 MiB not looked at)\n"; !strings.Contains(r.Text, want) {
		t.Errorf("got %.160q, want %q", r.Text, want)
	}
	if len(r.Text) > 70_000 {
		t.Errorf("got %d bytes and %d locations", len(r.Text), len(r.Locations))
	}
	if _, err := p.do(tool.Grep(""), `{'pattern':'x','path':'huge'}`); err == nil || !strings.Contains(err.Error(), "18.0 MiB, which is too much") {
		t.Errorf("got error %v", err)
	}
}
