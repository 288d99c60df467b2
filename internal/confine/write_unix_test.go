//go:build unix

package confine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Bytes arrive as they are (F152), in new folders if need be, and nothing else is left in the folder.
func TestF152_WriteKeepsBytes(t *testing.T) {
	h := newHouse(t)
	for i, text := range []string{"", "a\r\nb\r\n", "\ufeffmarked\n", "no end", "zero \x00 byte\n", strings.Repeat("long", 1<<18)} {
		path := fmt.Sprintf("new/%d/file.txt", i)
		write(t, h.space, path, text)
		write(t, h.space, path, text) // once more, over itself
		if got := content(t, filepath.Join(h.root, path)); got != text {
			t.Errorf("wrote %.20q, found %.20q", text, got)
		}
		if got := names(t, filepath.Dir(filepath.Join(h.root, path))); !slices.Equal(got, []string{"file.txt"}) {
			t.Errorf("left %q", got)
		}
	}
}

// The permissions stay (F156), and a new file has the usual ones.
func TestF156_WriteKeepsMode(t *testing.T) {
	h := newHouse(t)
	for _, mode := range []fs.FileMode{0o755, 0o600, 0o666} {
		path := h.file(t, fmt.Sprintf("root/%o", mode), "old")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		write(t, h.space, path, "new")
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode {
			t.Errorf("mode %v became %v", mode, info.Mode())
		}
	}
	usual := h.file(t, "usual", "")
	write(t, h.space, "new", "")
	want, _ := os.Stat(usual)
	got, _ := os.Stat(h.root + "/new")
	if got.Mode() != want.Mode()|0o022&got.Mode() {
		t.Errorf("a new file has mode %v, the usual is %v", got.Mode(), want.Mode())
	}
}

// A reader sees the old content or the new, never a part (F156).
func TestF156_WriteIsWhole(t *testing.T) {
	h := newHouse(t)
	texts := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 50_000)}
	write(t, h.space, "x", texts[0])
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 50 {
			if err := resolve(t, h.space, "x").WriteFile([]byte(texts[i%2])); err != nil {
				t.Error(err)
			}
		}
	})
	defer writer.Wait()
	for range 200 {
		if got := content(t, h.root+"/x"); !slices.Contains(texts, got) {
			t.Fatalf("read %d bytes that nobody wrote", len(got))
		}
	}
}

// A link stays, and what it leads to is written, be it there yet or not.
func TestWriteGoesThroughLinks(t *testing.T) {
	h := newHouse(t)
	h.file(t, "root/target", "old")
	h.link(t, h.root+"/target", "root/link")
	h.link(t, "later/on", "root/dangling")
	write(t, h.space, "link", "new")
	write(t, h.space, "dangling", "made")
	for _, name := range []string{"link", "dangling"} {
		if info, err := os.Lstat(h.root + "/" + name); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
	if got := content(t, h.root+"/target") + content(t, h.root+"/later/on"); got != "newmade" {
		t.Errorf("got %q", got)
	}
}

// An error names the path as it was given, and what stands in the way.
func TestWriteErrors(t *testing.T) {
	h := newHouse(t)
	h.file(t, "root/file", "")
	if _, err := h.space.Resolve("file/below"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("got %v", err)
	}
	long := strings.Repeat("n", 300)
	err := resolve(t, h.space, "new/"+long).WriteFile(nil)
	if !errors.Is(err, syscall.ENAMETOOLONG) || !strings.Contains(err.Error(), "write new/"+long) {
		t.Errorf("got %v", err)
	}
}
