//go:build unix

package transport

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// takeStdio moves standard input and output to descriptors of their own and puts others in their place. The values
// os.Stdin and os.Stdout go on to mean descriptors 0 and 1.
func takeStdio() (*ByteStream, error) {
	in, err := moveDescriptor(0, "standard input")
	if err != nil {
		return nil, err
	}
	out, err := moveDescriptor(1, "standard output")
	if err != nil {
		return nil, err
	}
	empty, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("replace standard input: %w", err)
	}
	defer empty.Close()
	if err := unix.Dup2(int(empty.Fd()), 0); err != nil {
		return nil, fmt.Errorf("replace standard input: %w", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, fmt.Errorf("point standard output at standard error: %w", err)
	}

	// The order matters: os.NewFile uses the poller for descriptors that are in non-blocking mode already.
	restore := &blockingModes{}
	restore.suspend(in)
	restore.suspend(out)
	var r io.ReadCloser = os.NewFile(uintptr(in), "standard input")
	w := os.NewFile(uintptr(out), "standard output")
	if !isInterruptible(in) {
		r = newPump(r, false)
	}
	s := New(r, w, Options{})
	s.closers = append(s.closers, restore.run)
	return s, nil
}

// moveDescriptor duplicates a descriptor to one that children don't get.
func moveDescriptor(fd int, name string) (int, error) {
	moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return 0, fmt.Errorf("take over %s: %w", name, err)
	}
	return moved, nil
}

// isInterruptible reports whether a read of a descriptor ends when its file is closed, or never waits in the first place.
func isInterruptible(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG {
		return true
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_NONBLOCK != 0
}

// blockingModes puts pipes and sockets in non-blocking mode and back.
type blockingModes struct {
	changed []int // duplicates: the originals are closed when the mode is put back
}

// suspend sets a descriptor to non-blocking mode if it is a pipe or socket and in blocking mode. A pipe or socket that is
// standard error too is left alone: its other users would lose text.
func (m *blockingModes) suspend(fd int) {
	var st, stderr unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return
	}
	kind := st.Mode & unix.S_IFMT
	if kind != unix.S_IFIFO && kind != unix.S_IFSOCK {
		return
	}
	if unix.Fstat(2, &stderr) == nil && stderr.Dev == st.Dev && stderr.Ino == st.Ino {
		return
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil || flags&unix.O_NONBLOCK != 0 {
		return
	}
	again, err := moveDescriptor(fd, "")
	if err != nil {
		return
	}
	if unix.SetNonblock(fd, true) != nil {
		_ = unix.Close(again)
		return
	}
	m.changed = append(m.changed, again)
}

// run puts the modes back. By then the originals must be closed, or a read of theirs might block for good.
func (m *blockingModes) run() error {
	for _, fd := range m.changed {
		_ = unix.SetNonblock(fd, false)
		_ = unix.Close(fd)
	}
	return nil
}
