package confine_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// asNobody runs a function with the rights of a user who has none, as far as files are concerned. Its thread ends with it.
// Where the tests don't run as root, it runs the function as it is.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked
		if _, err := unix.SetfsgidRetGid(65534); err != nil {
			t.Error(err)
		}
		if _, err := unix.SetfsuidRetUid(65534); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}

// open lets others pass on the way to a folder.
func open(t *testing.T, folder string, mode fs.FileMode) {
	t.Helper()
	for dir := folder; dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(folder, mode); err != nil {
		t.Fatal(err)
	}
}

// Where the folder takes no new file, one that may be written is written in place.
func TestWriteInPlace(t *testing.T) {
	h := newHouse(t)
	path := h.file(t, "root/x", "a longer text than the next")
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	open(t, h.root, 0o555)
	defer open(t, h.root, 0o755)
	asNobody(t, func() {
		if err := resolve(t, h.space, "x").WriteFile([]byte("short")); err != nil {
			t.Error(err)
		}
		if err := resolve(t, h.space, "new").WriteFile(nil); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a new file: %v", err)
		}
	})
	if got := content(t, path); got != "short" {
		t.Errorf("got %q", got)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("it is another file")
	}
	if got := names(t, h.root); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left %q", got)
	}
}

// A file that may not be written stays, even where its folder would let it be replaced.
func TestWriteRespectsPermissions(t *testing.T) {
	h := newHouse(t)
	path := h.file(t, "root/x", "old")
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	open(t, h.root, 0o777)
	asNobody(t, func() {
		if err := resolve(t, h.space, "x").WriteFile([]byte("new")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("got %v", err)
		}
	})
	if got := content(t, path); got != "old" {
		t.Errorf("got %q", got)
	}
}

// The owner stays: by root's rights, or else because the file is written in place.
func TestWriteKeepsOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a file away")
	}
	h := newHouse(t)
	path := h.file(t, "root/x", "old")
	if err := errors.Join(os.Chown(path, 1234, 1234), os.Chmod(path, 0o666)); err != nil {
		t.Fatal(err)
	}
	open(t, h.root, 0o777)
	check := func(want string) {
		t.Helper()
		var stat unix.Stat_t
		if err := unix.Stat(path, &stat); err != nil {
			t.Fatal(err)
		}
		if stat.Uid != 1234 || stat.Gid != 1234 {
			t.Errorf("the owner became %d:%d", stat.Uid, stat.Gid)
		}
		if got := content(t, path); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	write(t, h.space, "x", "by root")
	check("by root")
	asNobody(t, func() { write(t, h.space, "x", "by nobody") })
	check("by nobody")
	if got := names(t, h.root); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left %q", got)
	}
}
