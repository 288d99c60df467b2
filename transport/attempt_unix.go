//go:build unix

package transport

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// rawConn returns what writes to w without waiting, or nil. A wrapper around a connection must not be seen through: it may
// do something to the bytes. So only types of the standard library count.
func rawConn(w io.Writer) syscall.RawConn {
	switch w.(type) {
	case *os.File, *net.TCPConn, *net.UnixConn:
	default:
		return nil
	}
	raw, err := w.(syscall.Conn).SyscallConn()
	if err != nil {
		return nil
	}
	waits := true
	err = raw.Control(func(fd uintptr) {
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		waits = err != nil || flags&unix.O_NONBLOCK == 0
	})
	if err != nil || waits {
		return nil
	}
	return raw
}

// An attempt is one write that doesn't wait. It is kept by the stream so that its function is made only once.
type attempt struct {
	piece []byte
	n     int
	err   error
	do    func(fd uintptr) bool
}

// write writes a beginning of b, perhaps none of it.
func (a *attempt) write(raw syscall.RawConn, b []byte) (int, error) {
	if a.do == nil {
		a.do = a.once
	}
	a.piece, a.n, a.err = b, 0, nil
	err := raw.Write(a.do)
	a.piece = nil
	return a.n, errors.Join(err, a.err)
}

// once always returns true: it is not to be called again when there is room.
func (a *attempt) once(fd uintptr) bool {
	for {
		n, err := unix.Write(int(fd), a.piece)
		switch err {
		case nil:
			a.n = n
		case unix.EINTR:
			continue
		case unix.EAGAIN:
		default:
			a.err = os.NewSyscallError("write", err)
		}
		return true
	}
}
