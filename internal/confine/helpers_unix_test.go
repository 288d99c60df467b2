//go:build unix

package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/confine"
)

// A house is a folder with a root in it, and a place outside of that.
type house struct {
	top     string // real
	root    string
	outside string
	space   confine.Space
}

func newHouse(t *testing.T) house {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := house{top: top, root: filepath.Join(top, "root"), outside: filepath.Join(top, "outside")}
	mkdir(t, h.root)
	mkdir(t, h.outside)
	h.space = confine.Space{Cwd: h.root}
	return h
}

func (h house) file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(h.top, name)
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func (h house) link(t *testing.T, target, name string) string {
	t.Helper()
	path := filepath.Join(h.top, name)
	mkdir(t, filepath.Dir(path))
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func resolve(t *testing.T, s confine.Space, path string) confine.Place {
	t.Helper()
	p, err := s.Resolve(path)
	if err != nil {
		t.Fatalf("resolve %s: %v", path, err)
	}
	return p
}

func read(t *testing.T, s confine.Space, path string) string {
	t.Helper()
	f, info, err := resolve(t, s, path).Open()
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	defer f.Close()
	text, err := confine.ReadText(t.Context(), f, confine.Lines{}, 1<<20)
	if err != nil {
		t.Fatalf("read %s: %v", path, err)
	}
	if int64(len(text)) != info.Size() {
		t.Errorf("%s has %d bytes and is said to have %d", path, len(text), info.Size())
	}
	return text
}

func write(t *testing.T, s confine.Space, path, text string) {
	t.Helper()
	if err := resolve(t, s, path).WriteFile([]byte(text)); err != nil {
		t.Fatalf("write %s: %v", path, err)
	}
}

func isOutside(t *testing.T, s confine.Space, path string) *confine.OutsideError {
	t.Helper()
	_, err := s.Resolve(path)
	outside, ok := errors.AsType[*confine.OutsideError](err)
	if !ok {
		t.Errorf("resolve %s: got %v, want an *OutsideError", path, err)
	}
	return outside
}

// names returns what is in a folder.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}
