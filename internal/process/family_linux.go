package process

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
)

// markVariable holds the marks of the families that a process was born into, the innermost last, separated by colons: an
// agent may be a client of further agents.
const markVariable = "PATCHBAY_PROCESS_MARK"

// maxMarks is how many marks of outer families are handed on.
const maxMarks = 16

// markFamily puts a new mark in the environment of a command and returns it.
func markFamily(cmd *exec.Cmd) string {
	var random [16]byte
	_, _ = rand.Read(random[:]) // never fails
	mark := hex.EncodeToString(random[:])
	marks := append(strings.FieldsFunc(os.Getenv(markVariable), func(r rune) bool { return r == ':' }), mark)
	marks = marks[max(len(marks)-maxMarks, 0):]
	cmd.Env = append(cmd.Environ(), markVariable+"="+strings.Join(marks, ":"))
	return mark
}

// AwaitDeath returns when the leader is dead. It does not reap it, so that its number stays taken.
func (f *Family) AwaitDeath() {
	for {
		err := unix.Waitid(unix.P_PID, f.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return // dead, or reaped behind our back
		}
	}
}
