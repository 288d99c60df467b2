//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// outlive keeps the terminal's signals from a command.
func outlive(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
