//go:build unix

package process

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Family is a process and its descendants: a process group, and on Linux also those that bear its mark.
type Family struct {
	cmd     *exec.Cmd
	mark    string // "" where there is none
	guarded bool   // the guard knows of it
}

// Start starts a command as the leader of a process group. It changes the command's environment and SysProcAttr. If that
// asks for a new session, the group is one of the session.
func Start(cmd *exec.Cmd) (*Family, error) {
	f := &Family{cmd: cmd, mark: markFamily(cmd)}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = !cmd.SysProcAttr.Setsid
	return f, cmd.Start()
}

// Terminate asks the group to end with SIGTERM, all of it: wrappers such as npx don't pass the signal on (F81).
func (f *Family) Terminate() { _ = unix.Kill(-f.cmd.Process.Pid, unix.SIGTERM) }

// Kill kills the group (F79). The kernel does that in one step: none of its members has a chance to fork in between.
func (f *Family) Kill() { _ = unix.Kill(-f.cmd.Process.Pid, unix.SIGKILL) }

// Release frees what the family holds of the system, after Finish.
func (f *Family) Release() {}
