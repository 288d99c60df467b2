package confine_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fullDisk is set, to a test's name, in a process that may write no file of more than 64 KiB.
const fullDisk = "CONFINE_FULL_DISK"

// onAFullDisk runs the rest of a test in a process of its own for which the disk is full once a file has 64 KiB, and reports
// whether this is that process.
func onAFullDisk(t *testing.T) bool {
	t.Helper()
	if os.Getenv(fullDisk) == t.Name() {
		signal.Ignore(unix.SIGXFSZ)
		limit := unix.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), fullDisk+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v:\n%s", err, out)
	}
	return false
}

// A full disk leaves a file as it was, and nothing else in its folder (F156).
func TestF156_FullDisk(t *testing.T) {
	if !onAFullDisk(t) {
		return
	}
	h := newHouse(t)
	path := h.file(t, "root/x", "old")
	for _, name := range []string{"x", "new"} {
		if err := resolve(t, h.space, name).WriteFile(make([]byte, 100_000)); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if got := content(t, path); got != "old" {
		t.Errorf("found %.20q", got)
	}
	if got := names(t, h.root); !slices.Equal(got, []string{"x"}) {
		t.Errorf("left %q", got)
	}
}

// So does one that is full while a file is written in place, where the folder takes no other.
func TestF156_FullDiskInPlace(t *testing.T) {
	if !onAFullDisk(t) {
		return
	}
	h := newHouse(t)
	old := strings.Repeat("old ", 10_000)
	path := h.file(t, "root/x", old)
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	open(t, h.root, 0o555)
	asNobody(t, func() {
		if err := resolve(t, h.space, "x").WriteFile(make([]byte, 100_000)); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("got error %v", err)
		}
		if got := content(t, path); got != old {
			t.Errorf("found %d bytes that begin with %.20q", len(got), got)
		}
		if err := resolve(t, h.space, "x").WriteFile([]byte("new")); err != nil || content(t, path) != "new" {
			t.Errorf("got error %v, found %.20q", err, content(t, path))
		}
	})
}
