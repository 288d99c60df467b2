//go:build unix

package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/confine"
)

// Whatever a path looks like, the file that it stands for is inside, or it is refused (F154, S001.19).
func TestF154_PathsAndLinks(t *testing.T) {
	h := newHouse(t)
	h.file(t, "root/in.txt", "in")
	h.file(t, "root/dir/deep.txt", "deep")
	h.file(t, "outside/secret.txt", "secret")
	h.file(t, "root-of-another/x.txt", "x") // its name begins as the root's does
	h.link(t, "in.txt", "root/relative")
	h.link(t, h.root+"/in.txt", "root/absolute")
	h.link(t, h.root+"/dir", "root/folder")
	h.link(t, "relative", "root/twice")
	h.link(t, h.root, "door")
	h.link(t, h.outside+"/secret.txt", "root/escape")
	h.link(t, "../outside", "root/exit")
	h.link(t, "nowhere.txt", "root/dangling")
	h.link(t, h.outside+"/nowhere.txt", "root/lure")
	h.link(t, "loop", "root/loop")

	for path, want := range map[string]string{
		"in.txt":                 "in",
		"./dir/../in.txt":        "in",
		"dir//deep.txt":          "deep",
		h.root + "/in.txt":       "in",
		"relative":               "in",
		"absolute":               "in", // os.Root refuses it
		"twice":                  "in",
		"folder/deep.txt":        "deep",
		"folder/../in.txt":       "in", // the parent of where the link leads
		h.top + "/door/in.txt":   "in", // by a link that is itself outside
		"../root/in.txt":         "in",
		h.top + "/root/./in.txt": "in",
	} {
		if got := read(t, h.space, path); got != want {
			t.Errorf("read %s: got %q, want %q", path, got, want)
		}
	}
	for _, path := range []string{
		h.outside + "/secret.txt",
		"../outside/secret.txt",
		h.top + "/root-of-another/x.txt",
		"escape",
		"exit/secret.txt",
		"exit/nothing.txt", // outside, whether it exists or not
		"exit/../outside/secret.txt",
		"lure",
		"/",
		h.top,
		"missing/../../outside/secret.txt",
	} {
		isOutside(t, h.space, path)
	}
	if p := resolve(t, h.space, "dangling"); p.Path != h.root+"/nowhere.txt" {
		t.Errorf("a link to nothing stands for %s", p.Path)
	}
	if _, err := h.space.Resolve("loop"); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("resolve a loop: %v", err)
	}
	if _, err := h.space.Resolve("in.txt/x"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("resolve a file's inside: %v", err)
	}
}

// The error names the path and the roots, and says whether a link is the reason.
func TestOutsideErrorSaysWhy(t *testing.T) {
	h := newHouse(t)
	h.link(t, h.outside, "root/exit")
	space := confine.Space{Cwd: h.root, Roots: []string{h.root, h.top + "/second"}}
	for path, want := range map[string]string{
		"/etc/passwd": "/etc/passwd is outside the roots " + h.root + ", " + h.top + "/second",
		"exit/x":      "exit/x leads by a link outside the roots " + h.root + ", " + h.top + "/second",
	} {
		if e := isOutside(t, space, path); e != nil && e.Error() != want {
			t.Errorf("got %q, want %q", e, want)
		}
	}
}

// A path needs sense, and the space absolute paths.
func TestBadPaths(t *testing.T) {
	h := newHouse(t)
	for want, c := range map[string]struct {
		space confine.Space
		path  string
	}{
		"not a path: it is empty":    {h.space, ""},
		"has a zero byte":            {h.space, "a\x00b"},
		`"here" is not an absolute`:  {confine.Space{Cwd: "here"}, "x"},
		`"there" is not an absolute`: {confine.Space{Cwd: h.root, Roots: []string{"there"}}, "x"},
		`"this" is not an absolute`:  {confine.Space{Cwd: h.root, Exceptions: []string{"this"}}, "x"},
	} {
		if _, err := c.space.Resolve(c.path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// A session's folder may be reached by a link: relative paths start there, and the real paths are inside all the same.
func TestSymlinkedCwd(t *testing.T) {
	h := newHouse(t)
	h.file(t, "root/sub/in.txt", "in")
	door := h.link(t, h.root, "door")
	space := confine.Space{Cwd: door}
	for _, path := range []string{"sub/in.txt", door + "/sub/in.txt", h.root + "/sub/in.txt"} {
		if got := read(t, space, path); got != "in" {
			t.Errorf("read %s: got %q", path, got)
		}
	}
	isOutside(t, space, "../outside/x") // of the real folder
	write(t, space, "sub/new.txt", "new")
	if got := content(t, h.root+"/sub/new.txt"); got != "new" {
		t.Errorf("got %q", got)
	}
}

// Relative paths start at the working directory, which need not be a root itself (S001.19).
func TestS001_19_RelativePaths(t *testing.T) {
	h := newHouse(t)
	h.file(t, "root/in.txt", "in")
	h.file(t, "second/other.txt", "other")
	space := confine.Space{Cwd: h.root, Roots: []string{h.top + "/second"}}
	isOutside(t, space, "in.txt")
	if got := read(t, space, "../second/other.txt"); got != "other" {
		t.Errorf("got %q", got)
	}
}

// Exceptions are explicit: a file is that file alone, a folder is with what is below it (S001.19).
func TestS001_19_Exceptions(t *testing.T) {
	h := newHouse(t)
	file := h.file(t, "outside/allowed.txt", "allowed")
	h.file(t, "outside/other.txt", "other")
	h.file(t, "extra/deep/x.txt", "x")
	space := h.space
	space.Exceptions = []string{file, h.top + "/extra", h.top + "/outside/new.txt"}
	if got := read(t, space, file); got != "allowed" {
		t.Errorf("got %q", got)
	}
	if got := read(t, space, "../extra/deep/x.txt"); got != "x" {
		t.Errorf("got %q", got)
	}
	isOutside(t, space, h.outside+"/other.txt")
	isOutside(t, space, h.outside)
	write(t, space, file, "changed")
	write(t, space, h.outside+"/new.txt", "new")
	if got := content(t, file) + content(t, h.outside+"/new.txt"); got != "changednew" {
		t.Errorf("got %q", got)
	}
}

// What is not a regular file is refused at once: opening a pipe without a writer would wait for ever.
func TestOnlyRegularFiles(t *testing.T) {
	h := newHouse(t)
	pipe := h.root + "/pipe"
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	space := h.space
	space.Exceptions = []string{"/dev/null", "/dev/zero"}
	for path, want := range map[string]string{
		"pipe":      "pipe is a pipe, not a regular file",
		h.root:      h.root + " is a folder, not a regular file",
		"/dev/zero": "/dev/zero is a device, not a regular file",
	} {
		p := resolve(t, space, path)
		if _, _, err := p.Open(); err == nil || err.Error() != want {
			t.Errorf("open: got %v, want %q", err, want)
		}
		err := p.WriteFile([]byte("x"))
		if _, ok := errors.AsType[*confine.NotRegularError](err); !ok {
			t.Errorf("write %s: %v", path, err)
		}
	}
}

// A link that takes a file's place after the path was resolved is not followed, nor is one on the way that leads out.
func TestSwappedAfterTheCheck(t *testing.T) {
	h := newHouse(t)
	h.file(t, "outside/secret.txt", "secret")
	for name, swap := range map[string]func(){
		"the file": func() {
			h.link(t, h.outside+"/secret.txt", "root/dir/secret.txt")
		},
		"the folder": func() {
			if err := os.Remove(h.root + "/dir"); err != nil {
				t.Fatal(err)
			}
			h.link(t, h.outside, "root/dir")
		},
	} {
		_ = os.RemoveAll(h.root + "/dir")
		h.file(t, "root/dir/secret.txt", "mine")
		p := resolve(t, h.space, "dir/secret.txt")
		if err := os.Remove(p.Path); err != nil {
			t.Fatal(err)
		}
		swap()
		if f, _, err := p.Open(); err == nil {
			f.Close()
			t.Errorf("%s: opened", name)
		}
		_ = p.WriteFile([]byte("overwritten"))
		if got := content(t, h.outside+"/secret.txt"); got != "secret" {
			t.Errorf("%s: what is outside became %q", name, got)
		}
	}
}

// A folder is opened for a look at all of it, and described without being opened.
func TestStatAndOpenRoot(t *testing.T) {
	h := newHouse(t)
	h.file(t, "root/dir/x.txt", "x")
	h.link(t, h.root+"/dir", "root/folder")
	info, err := resolve(t, h.space, "folder").Stat()
	if err != nil || !info.IsDir() {
		t.Fatalf("got %v and %v", info, err)
	}
	root, err := resolve(t, h.space, "folder").OpenRoot()
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if got, err := root.ReadFile("x.txt"); string(got) != "x" {
		t.Errorf("got %q and %v", got, err)
	}
	if _, err := resolve(t, h.space, "dir/x.txt").OpenRoot(); err == nil || err.Error() != "dir/x.txt is a file, not a folder" {
		t.Errorf("got %v", err)
	}
	if _, err := resolve(t, h.space, "none").OpenRoot(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := resolve(t, h.space, filepath.Join(h.root, "none")).Stat(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
