//go:build unix

package terminal

import (
	"os/exec"
	"syscall"
)

// shell makes a command of a shell line.
func shell(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	detach(cmd)
	return cmd
}

// detach keeps a command away from the terminal of this process: what asks for a password there fails at once, rather
// than being stopped for ever because it is in the background (F102).
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
