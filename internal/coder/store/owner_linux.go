package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A presence shows the processes that share a directory that a store is open.
//
// Each store locks a byte of a common file, at its own random offset, for as long as it is open. The kernel takes the lock
// away when the process ends, however it does, so there is nothing to renew and nothing to clean up. Other than by a process
// number one can tell this way about processes in another container, and about one that has ended but was not waited for.
type presence struct {
	me   Owner
	file *os.File
}

func appear(dir string) (*presence, error) {
	file, err := os.OpenFile(filepath.Join(dir, "sessions.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	p := &presence{myself(rand.Int64()), file}
	lock := byteOf(p.me)
	if err := unix.FcntlFlock(file.Fd(), unix.F_OFD_SETLK, &lock); err != nil {
		return nil, errors.Join(os.NewSyscallError("lock "+file.Name(), err), file.Close())
	}
	return p, nil
}

func byteOf(o Owner) unix.Flock_t {
	return unix.Flock_t{Type: unix.F_WRLCK, Whence: unix.SEEK_SET, Start: o.Store, Len: 1}
}

// alive reports whether the store of an owner is open. If that can't be found out, it is: nothing is taken from the living.
func (p *presence) alive(o Owner) bool {
	if o.Boot != p.me.Boot {
		return false
	}
	if o.Store == p.me.Store {
		return true
	}
	lock := byteOf(o)
	err := unix.FcntlFlock(p.file.Fd(), unix.F_OFD_GETLK, &lock)
	return err != nil || lock.Type != unix.F_UNLCK
}

func (p *presence) leave() error { return p.file.Close() }

// startOf returns when a process began, in ticks since the machine did.
func startOf(pid int) (start string, exists bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // from the third on: the name may have blanks
	if len(fields) < 20 {
		return "", false
	}
	return fields[19], true
}

func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
