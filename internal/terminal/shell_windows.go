package terminal

import (
	"cmp"
	"os"
	"os/exec"
	"syscall"
)

// shell makes a command of a shell line, which cmd.exe reads in its own way: as it stands between the outer quotes.
func shell(line string) *exec.Cmd {
	cmd := exec.Command(cmp.Or(os.Getenv("ComSpec"), "cmd.exe"))
	cmd.SysProcAttr = &syscall.SysProcAttr{CmdLine: `cmd /S /D /C "` + line + `"`}
	return cmd
}

// detach does nothing: a command gets no console.
func detach(*exec.Cmd) {}
