package tool_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// asNobody runs a function with the rights of a user who has none, as far as files are concerned, if the tests run as root.
// Its thread ends with it.
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
		if _, err := unix.SetfsuidRetUid(65534); err != nil {
			t.Error(err)
			return
		}
		f()
	}()
	<-done
}

// A file that may not be written stays as it is, though its folder may be.
func TestReadOnlyFile(t *testing.T) {
	p := at(t, "x", "old")
	p.chmod("x", 0o444)
	p.chmod(".", 0o777)
	for dir := filepath.Dir(p.dir); dir != filepath.Clean(os.TempDir()) && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.read("x")
	asNobody(t, func() {
		for _, c := range changes("x") {
			job, err := p.prepare(c.tool, c.input)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "writing x: permission denied") {
				t.Errorf("%s: got error %v", c.tool.Name, err)
			}
		}
	})
	if got := p.text("x"); got != "old" {
		t.Errorf("it became %q", got)
	}
}
