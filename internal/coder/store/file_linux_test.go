package store_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

func init() { children["locked"] = sayIfLocked }

// sayIfLocked prints whether another process holds the lock by which SQLite says that a database is in use.
func sayIfLocked(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, "sessions.db"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: 0x40000002, Len: 510} // SHARED_FIRST, SHARED_SIZE
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &lock); err != nil {
		return err
	}
	fmt.Println(lock.Type != unix.F_UNLCK)
	return f.Close()
}

// A store that is opened and closed doesn't take the locks of another store of the same process, without which other processes
// would take the file for one that nobody has (see inUse).
func TestStoresOfAProcessKeepTheirLocks(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	second, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"true\n", "false\n"} {
		child := spawn(t, "locked", dir)
		got, err := io.ReadAll(child.out)
		if err != nil || string(got) != want {
			t.Errorf("locked: %q, %v; want %q", got, err, want)
		}
		if err := child.Wait(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that the user can't write is said to be that, and stays as it is.
func TestReadOnlyFile(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Path(), 0o444); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		for d := dir; d != os.TempDir(); d = filepath.Dir(d) {
			if err := os.Chmod(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		runtime.LockOSThread() // and never unlocked: the thread goes with this goroutine
		if _, err := unix.SetfsuidRetUid(65534); err != nil {
			t.Fatal(err)
		}
		defer unix.SetfsuidRetUid(0)
	}
	_, err := store.Open(t.Context(), dir, store.Options{})
	if e := (*store.FileError)(nil); !errors.As(err, &e) || !errors.Is(err, store.ErrReadOnly) || e.Path != s.Path() {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o444 {
		t.Errorf("%v, %v", info, err)
	}
}
