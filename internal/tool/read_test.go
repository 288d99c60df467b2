package tool_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

func itoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

func TestRead(t *testing.T) {
	p := at(t, "a.txt", "one\ntwo\nthree", "empty", "", "crlf.txt", "a\r\nb\r\n", "bin", "a\x00b")
	for _, c := range []struct{ input, want string }{
		{`{'path':'a.txt'}`, "a.txt has 3 lines\none\ntwo\nthree"},
		{`{'path':'./a.txt','line':2}`, "a.txt has 3 lines; these are lines 2 to 3\ntwo\nthree"},
		{`{'path':'a.txt','line':2,'limit':1}`, "a.txt has 3 lines; these are lines 2 to 2\ntwo\n"},
		{`{'path':'a.txt','limit':99}`, "a.txt has 3 lines\none\ntwo\nthree"},
		{`{'path':'empty'}`, "empty is empty\n"},
		{`{'path':'crlf.txt'}`, "crlf.txt has 2 lines\na\r\nb\r\n"},
	} {
		p.wantText(p.must(tool.Read(), c.input), c.want)
	}
	for _, c := range []struct{ input, want string }{
		{`{'path':'a.txt','line':4}`, "a.txt has only 3 lines"},
		{`{'path':'b.txt'}`, "reading b.txt: there is no such file or folder"},
		{`{'path':'.'}`, "not a regular file"},
		{`{'path':'bin'}`, "it is no text"},
	} {
		if _, err := p.do(tool.Read(), c.input); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.input, err, c.want)
		}
	}
}

// A call that reads from a line says so in its location, so that an editor can follow.
func TestReadLocations(t *testing.T) {
	p := at(t, "a.txt", "one\ntwo\n")
	for _, c := range []struct{ input, title, location string }{
		{`{'path':'a.txt'}`, "Read a.txt", "a.txt"},
		{`{'path':'a.txt','line':2}`, "Read a.txt", "a.txt:2"},
	} {
		job, err := p.prepare(tool.Read(), c.input)
		if err != nil {
			t.Fatal(err)
		}
		p.wantLocations(job.Locations, c.location)
		if job.Title != c.title {
			t.Errorf("title %q, want %q", job.Title, c.title)
		}
	}
}

// Reading is bounded in lines and bytes, and says where it went on.
func TestReadIsBounded(t *testing.T) {
	p := at(t, "many", strings.Repeat("x\n", 5000), "wide", strings.Repeat(strings.Repeat("é", 500)+"\n", 100),
		"long", strings.Repeat("é", 100_000))
	for name, want := range map[string]string{
		"many": "many has 5000 lines; these are lines 1 to 2000\n",
		"wide": "wide has 100 lines; these are lines 1 to 65\n",
		"long": "long has 1 line\n",
	} {
		r := p.must(tool.Read(), fmt.Sprintf(`{'path':'%s'}`, name))
		if !strings.HasPrefix(r.Text, want) || len(r.Text) > 70_000 || strings.ContainsRune(r.Text, '\uFFFD') {
			t.Errorf("%s: got %d bytes that begin with %.60q", name, len(r.Text), r.Text)
		}
	}
}

// Nobody is told to ask for fewer lines of a file of which the tools read all.
func TestReadRefusesLargeFiles(t *testing.T) {
	p := at(t, "large", strings.Repeat("x\n", 8<<20+1))
	if _, err := p.do(tool.Read(), `{'path':'large','limit':1}`); err == nil || !strings.Contains(err.Error(), "more than 16 MiB") {
		t.Errorf("got error %v", err)
	}
}

// People see the file in a block that its own fences can't end.
func TestReadShowsABlock(t *testing.T) {
	p := at(t, "a.md", "```go\n```\n")
	got := p.must(tool.Read(), `{'path':'a.md'}`).Content
	want := []acp.ToolCallContent{acp.ToolContent(acp.Text("a.md has 2 lines\n\n````\n```go\n```\n````"))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}

func TestList(t *testing.T) {
	p := at(t, "b.txt", "12345", "a/x", "", "c", "")
	p.wantText(p.must(tool.List(), `{}`), ". has 3 entries\na/\nb.txt 5\nc 0\n")
	p.wantText(p.must(tool.List(), `{'path':'a'}`), "a has 1 entry\nx 0\n")
	p.wantText(p.must(tool.List(), fmt.Sprintf(`{'path':'%s'}`, p.dir)), ". has 3 entries\na/\nb.txt 5\nc 0\n")
	for input, want := range map[string]string{`{'path':'no'}`: "no such file or folder", `{'path':'c'}`: "not a folder"} {
		if _, err := p.do(tool.List(), input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %q", input, err, want)
		}
	}
	for i := range 600 {
		p.put(fmt.Sprintf("many/%03d", i), "")
	}
	r := p.must(tool.List(), `{'path':'many'}`)
	if got := strings.Count(r.Text, "\n"); got != 501 || !strings.HasPrefix(r.Text, "many has 600 entries; these are the first 500\n") {
		t.Errorf("got %d lines that begin with %.60q", got, r.Text)
	}
}

func TestFind(t *testing.T) {
	p := at(t, "a.go", "x\n  TODO one\nx TODO two\n", "sub/b.txt", "nothing\ntodo\n", "sub/c", "TODO\x00", ".git/config", "TODO",
		"node_modules/m.js", "TODO", "sub/d.txt", "TODO")
	r := p.must(tool.Find(), `{'text':'TODO'}`)
	p.wantText(r, "3 lines in 2 files with \"TODO\"\na.go:2: TODO one\na.go:3: x TODO two\nsub/d.txt:1: TODO\n")
	p.wantLocations(r.Locations, "a.go:2", "a.go:3", "sub/d.txt:1")

	p.wantText(p.must(tool.Find(), `{'text':'TODO','path':'sub'}`), "1 line in 1 file with \"TODO\"\nsub/d.txt:1: TODO\n")
	p.wantText(p.must(tool.Find(), `{'text':'TODO','path':'a.go'}`), "2 lines in 1 file with \"TODO\"\na.go:2: TODO one\na.go:3: x TODO two\n")
	p.wantText(p.must(tool.Find(), `{'text':'ToDo'}`), "Nothing in . holds \"ToDo\"\n")
	if _, err := p.do(tool.Find(), `{'text':'x','path':'no'}`); err == nil {
		t.Error("found something in a folder that isn't there")
	}
}

// However much there is, what find answers is bounded, and says what was left out.
func TestFindIsBounded(t *testing.T) {
	p := at(t, "many", strings.Repeat("x"+strings.Repeat("é", 1000)+"\n", 300), "huge", strings.Repeat("x\n", 3<<20))
	r := p.must(tool.Find(), `{'text':'x'}`)
	if want := "300 lines in 1 file with \"x\"; these are the first 200 (1 file over 4 MiB not looked at)\n"; !strings.HasPrefix(r.Text, want) {
		t.Errorf("got %.120q, want %q", r.Text, want)
	}
	if len(r.Text) > 200*330+200 || len(r.Locations) != 200 {
		t.Errorf("got %d bytes and %d locations", len(r.Text), len(r.Locations))
	}
}
