package transport_test

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal: the side of a program and the side of a user.
func openTerminal(t *testing.T) (program, user *os.File) {
	t.Helper()
	// By unix.Open rather than os.OpenFile, which would put them in non-blocking mode.
	open := func(name string) *os.File {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		f := os.NewFile(uintptr(fd), name)
		t.Cleanup(func() { f.Close() })
		return f
	}
	user = open("/dev/ptmx")
	if err := unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	return open(fmt.Sprintf("/dev/pts/%d", n)), user
}
