//go:build unix

package transport

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A family is a process and its descendants: a process group, and on Linux also those that bear its mark.
type family struct {
	cmd  *exec.Cmd
	mark string // "" where there is none
}

// startFamily starts a command as the leader of a process group.
func startFamily(cmd *exec.Cmd) (*family, error) {
	f := &family{cmd: cmd, mark: markFamily(cmd)}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return f, cmd.Start()
}

// terminate asks the group to end: wrappers such as npx don't pass the signal on (F81).
func (f *family) terminate() { _ = unix.Kill(-f.cmd.Process.Pid, unix.SIGTERM) }

// kill kills the group (F79). The kernel does that in one step: none of its members has a chance to fork in between.
func (f *family) kill() { _ = unix.Kill(-f.cmd.Process.Pid, unix.SIGKILL) }

func (f *family) release() {}
