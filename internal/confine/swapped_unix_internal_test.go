//go:build unix

package confine

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// What takes a file's place between the look at it and its opening is refused, and does not hold anything up.
func TestSwappedBeforeTheOpening(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY} {
		for name, swap := range map[string]func(path string) error{
			"a pipe":       func(path string) error { return syscall.Mkfifo(path, 0o666) },
			"a link":       func(path string) error { return os.Symlink("other", path) },
			"a folder":     func(path string) error { return os.Mkdir(path, 0o777) },
			"another file": func(path string) error { return os.WriteFile(path, nil, 0o666) },
		} {
			path := folder + "/x"
			if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, nil, 0o666), os.WriteFile(folder+"/other", nil, 0o666)); err != nil {
				t.Fatal(err)
			}
			there, err := root.Lstat("x")
			if err != nil {
				t.Fatal(err)
			}
			// Kept under another name, so that its number is not given to the next file.
			if err := errors.Join(os.Rename(path, folder+"/kept"), swap(path)); err != nil {
				t.Fatal(err)
			}
			if f, _, err := openSame(root, "x", flag, there); err == nil {
				f.Close()
				t.Errorf("%s was opened", name)
			}
		}
	}
}
