package transport

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// widePipe is how much a pipe holds while a long message goes through it, in bytes: as much as anybody may ask for. Both ends
// then have something to do for longer at a time, which is worth a quarter of the time.
const widePipe = 1 << 20

// A width has a pipe hold more for as long as a long message goes through it, and no longer: all pipes of a user share an
// allowance, and one who has spent it gets only tiny ones.
type width struct {
	before int // what the pipe held; 0 while it is as it was
}

// widen has the pipe hold more. Whatever is no pipe, and one that can't, stays as it is.
func (w *width) widen(raw syscall.RawConn) {
	if raw == nil || w.before != 0 {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		before, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0)
		if err != nil || before >= widePipe {
			return
		}
		if _, err := unix.FcntlInt(fd, unix.F_SETPIPE_SZ, widePipe); err == nil {
			w.before = before
		}
	})
}

// narrow has the pipe hold what it held. It can't before the reader has taken most of what is in it, so that it is called
// again and again.
func (w *width) narrow(raw syscall.RawConn) {
	if w.before == 0 {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if _, err := unix.FcntlInt(fd, unix.F_SETPIPE_SZ, w.before); err == nil {
			w.before = 0
		}
	})
}
