//go:build unix

package terminal

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// exitOf reads how a process ended.
func exitOf(state *os.ProcessState) Exit {
	if state == nil {
		return Exit{}
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Exit{Signal: signalName(status.Signal())}
	}
	code := uint32(state.ExitCode())
	return Exit{Code: &code}
}

// signalName returns the name of a signal, or its number where it has none, such as those for real-time use.
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(s))
}
