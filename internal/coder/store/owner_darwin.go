package store

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// startOf returns when a process began.
func startOf(pid int) (start string, exists bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", false
	}
	began := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", began.Sec, began.Usec), true
}

func bootID() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
