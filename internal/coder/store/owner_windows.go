package store

import (
	"strconv"

	"golang.org/x/sys/windows"
)

// stillActive is the exit code of a process that has none.
const stillActive = 259

// startOf returns when a process began. One that has ended is there as long as someone has a handle of it.
func startOf(pid int) (start string, exists bool) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", false
	}
	defer windows.CloseHandle(process)
	var exit uint32
	if err := windows.GetExitCodeProcess(process, &exit); err != nil || exit != stillActive {
		return "", false
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return "", false
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), true
}

// bootID is empty: the time when a process began is enough.
func bootID() string { return "" }
