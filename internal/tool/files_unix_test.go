//go:build unix

package tool_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// changes are ways to change a file that holds "old" to "new".
func changes(name string) []use {
	return []use{
		{tool.Write(), `{'path':'` + name + `','text':'new'}`},
		{tool.Edit(), `{'path':'` + name + `','edits':[{'old':'old','new':'new'}]}`},
	}
}

// F154: a link that leads out of the roots is not followed, whatever is done with it; one that stays inside is kept, and
// what it leads to is changed.
func TestF154_LinksToFiles(t *testing.T) {
	p := at(t, "in/file", "old")
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.link(outside, "out")
	p.link(filepath.Join(p.dir, "in/file"), "absolute")
	for _, c := range append(changes("out"), use{tool.Read(), `{'path':'out'}`}) {
		if _, err := p.prepare(c.tool, c.input); err == nil || !strings.Contains(err.Error(), "leads by a link outside") {
			t.Errorf("%s: got error %v", c.tool.Name, err)
		}
	}
	r := p.must(tool.Grep(""), `{'pattern':'old'}`)
	p.wantText(r, "1 line in 1 file with \"old\"\nin/file:1:old\n") // and not by its links too

	p.read("absolute")
	for _, c := range changes("absolute") {
		p.put("in/file", "old")
		p.read("absolute")
		p.must(c.tool, c.input)
		if info, err := os.Lstat(filepath.Join(p.dir, "absolute")); err != nil || info.Mode()&fs.ModeSymlink == 0 || p.text("in/file") != "new" {
			t.Errorf("%s: %q, %v", c.tool.Name, p.text("in/file"), info)
		}
	}
	if text, err := os.ReadFile(outside); err != nil || string(text) != "old" {
		t.Errorf("outside: %q, %v", text, err)
	}
}

// A pipe that nobody writes to, and a device, keep nobody waiting.
func TestWhatIsNoFile(t *testing.T) {
	p := at(t)
	if err := syscall.Mkfifo(filepath.Join(p.dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	for _, c := range append(changes("pipe"), use{tool.Read(), `{'path':'pipe'}`}) {
		if _, err := p.do(c.tool, c.input); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: got error %v", c.tool.Name, err)
		}
	}
	p.wantText(p.must(tool.Grep(""), `{'pattern':'x'}`), "Nothing in . matches \"x\"\n")
}

// A file of 200 MB is refused by its size.
func TestHugeFile(t *testing.T) {
	p := at(t, "huge", "old")
	if err := os.Truncate(filepath.Join(p.dir, "huge"), 200<<20); err != nil {
		t.Fatal(err)
	}
	for _, c := range append(changes("huge"), use{tool.Read(), `{'path':'huge','limit':1}`}) {
		if _, err := p.do(c.tool, c.input); err == nil || !strings.Contains(err.Error(), "the file has 200.0 MiB, which is too much for a tool") {
			t.Errorf("%s: got error %v", c.tool.Name, err)
		}
	}
	p.wantText(p.must(tool.Grep(""), `{'pattern':'old'}`), "Nothing in . matches \"old\" (1 file over 16 MiB not looked at)\n")
}
