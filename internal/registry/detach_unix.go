//go:build unix

package registry

import (
	"os/exec"
	"syscall"
)

// detach has a command run without a terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
