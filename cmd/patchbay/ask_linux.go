package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropInput drops what was typed on a terminal and not read, so that it answers no question that came later.
func dropInput(f *os.File) { _ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }
