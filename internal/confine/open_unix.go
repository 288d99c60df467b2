//go:build unix

package confine

import "syscall"

// nonblock keeps an open from waiting for the other end of a pipe. Reading and writing regular files isn't changed by it.
const nonblock = syscall.O_NONBLOCK
