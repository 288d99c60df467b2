//go:build unix && !linux

package transport_test

import (
	"syscall"
	"testing"
)

// families are helpers that leave a child behind. One that calls setsid is only found on Linux.
var families = []string{"parent"}

func isGone(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

// checkGone waits until a process has ended: it has been killed, but whoever inherited it has to reap it.
func checkGone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "a descendant is gone", func() bool { return isGone(pid) })
}
