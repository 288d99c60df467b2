package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// How hard a sweep tries: something may start processes faster than it can end them, or be stuck in the kernel.
const (
	sweepTime     = 2 * time.Second
	unsettledTime = time.Second
	sweepPause    = time.Millisecond
	sweepBatch    = 256 // processes at a time, since each takes a descriptor
)

// Finish kills what is left of the family when its leader is dead: the group, and whoever has left it, by calling setsid
// for instance (F92). Those are found by the mark in the environment that they were started with. It returns when they
// are gone.
//
// It looks around before it kills, since the dying lose their environment first and could not be waited for, and then
// until it finds no one.
func (f *Family) Finish() {
	defer f.dismissGuard()
	start := time.Now()
	s := sweep{mark: []byte(f.mark), group: strconv.Itoa(f.cmd.Process.Pid)}
	for round := 0; ; round++ {
		found, unsettled := s.find()
		if round == 0 {
			f.Kill()
		}
		found.end()
		spent := time.Since(start)
		switch {
		case spent > sweepTime:
			return
		case len(found) > 0 || round == 0:
		case unsettled && spent < unsettledTime:
			time.Sleep(sweepPause)
		default:
			return
		}
	}
}

// A sweep looks for the processes that bear a mark.
type sweep struct {
	mark  []byte
	group string // number of the process group, whose dead leader keeps it from being used again
	buf   []byte // what was read last
}

// find returns the processes that bear the mark. It reports too whether there are any that it can't tell of, because they
// are just becoming another program, or that are about to be gone.
func (s *sweep) find() (found holds, unsettled bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	names, _ := dir.Readdirnames(-1)
	_ = dir.Close()
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		switch s.look(name) {
		case marked:
			if fd, ok := s.hold(pid, name); ok {
				found = append(found, held{pid, fd})
			}
		case unknown:
			unsettled = true
		}
		if len(found) == sweepBatch {
			break
		}
	}
	return found, unsettled
}

// What the environment of a process says.
type look int

const (
	unmarked look = iota
	marked
	unknown
)

// look looks at the environment of a process. Those of other users are closed to it, and none of ours is among them.
func (s *sweep) look(pid string) look {
	environ, err := s.read(pid, "environ")
	switch {
	case err != nil && err != unix.ESRCH:
		return unmarked
	case bytes.Contains(environ, s.mark):
		return marked
	case len(environ) == 0 && s.isChanging(pid):
		return unknown
	}
	return unmarked
}

// isChanging reports whether a process that has no environment has none because it is in the middle of an execve, where
// it has memory already, or because it is a dying member of the group. Others without one are kernel threads and zombies.
func (s *sweep) isChanging(pid string) bool {
	// From proc_pid_stat(5), whose third field, the state, is the first after the name in parentheses.
	const state, group, vsize, envEnd, count = 0, 5 - 3, 23 - 3, 51 - 3, 52 - 3
	stat, err := s.read(pid, "stat")
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= count || bytes.ContainsAny(fields[state], "ZX") {
		return false
	}
	becoming := string(fields[vsize]) != "0" && string(fields[envEnd]) == "0"
	return becoming || string(fields[group]) == s.group
}

// read reads a file about a process. It is os.ReadFile without what that does for other files, since there may be
// thousands of processes to look at.
func (s *sweep) read(pid, file string) ([]byte, error) {
	fd, err := unix.Open("/proc/"+pid+"/"+file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	s.buf = s.buf[:0]
	for {
		s.buf = slices.Grow(s.buf, 4<<10)
		n, err := unix.Read(fd, s.buf[len(s.buf):cap(s.buf)])
		if n <= 0 {
			return s.buf, err
		}
		s.buf = s.buf[:len(s.buf)+n]
	}
}

// holds are processes to be ended.
type holds []held

// A held process can't be mistaken for another one if fd is not -1: then it is a descriptor of the process.
type held struct{ pid, fd int }

// hold gets hold of a process that bore the mark. The number may have changed hands since, so the mark is looked at again.
func (s *sweep) hold(pid int, name string) (fd int, ok bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case err == unix.ESRCH:
		return -1, false
	case err != nil:
		return -1, true // a kernel without such descriptors
	case s.look(name) != marked:
		_ = unix.Close(fd)
		return -1, false // the next look around will see it, if it is still there
	}
	return fd, true
}

// end kills the processes and waits until they are gone, or half a second for one that the kernel keeps.
func (h holds) end() {
	for _, p := range h {
		if p.fd < 0 {
			_ = unix.Kill(p.pid, unix.SIGKILL)
		} else {
			_ = unix.PidfdSendSignal(p.fd, unix.SIGKILL, nil, 0)
		}
	}
	for _, p := range h {
		if p.fd < 0 {
			time.Sleep(sweepPause)
			continue
		}
		_, _ = unix.Poll([]unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}, 500)
		_ = unix.Close(p.fd)
	}
}
