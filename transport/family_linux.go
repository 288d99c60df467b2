package transport

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// markVariable holds the marks of the families that a process was born into, the innermost last, separated by colons: an
// agent may be a client of further agents.
const markVariable = "PATCHBAY_PROCESS_MARK"

// maxMarks is how many marks of outer families are handed on.
const maxMarks = 16

// How hard a sweep tries, since something may start processes faster than it can end them.
const (
	sweepTime  = 2 * time.Second
	sweepPause = 100 * time.Millisecond // at most, for one process to go
)

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

// awaitDeath returns when the leader is dead. It does not reap it.
func (f *family) awaitDeath() {
	for {
		err := unix.Waitid(unix.P_PID, f.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return // dead, or reaped behind our back
		}
	}
}

// sweep kills the descendants that have left the group, by calling setsid for instance, and were therefore spared by kill
// (F92). They are found by the mark in the environment that they were started with. It returns when they are gone.
func (f *family) sweep() {
	end := time.Now().Add(sweepTime)
	for time.Now().Before(end) {
		found := f.marked()
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			f.killMarked(pid)
		}
	}
}

// marked returns the processes that bear the mark, but not zombies, which have no environment any more.
func (f *family) marked() []int {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var found []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && f.hasMark(pid) {
			found = append(found, pid)
		}
	}
	return found
}

// hasMark reports whether a process bears the mark. Only this user's processes can be looked at, which is enough.
func (f *family) hasMark(pid int) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && bytes.Contains(environ, []byte(f.mark))
}

// killMarked kills a process that bears the mark and waits for it to go. The number may have changed hands since it was
// found, so the mark is checked once more when a descriptor holds on to the process, where the kernel has them.
func (f *family) killMarked(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch err {
	case nil:
	case unix.ESRCH:
		return
	default:
		_ = unix.Kill(pid, unix.SIGKILL)
		time.Sleep(time.Millisecond)
		return
	}
	defer unix.Close(fd)
	if !f.hasMark(pid) || unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
		return
	}
	_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(sweepPause.Milliseconds()))
}
