package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// far is behind the end of every file: what is locked can't be read by others, and only the lock is wanted.
const far = 1 << 30

// tryLock takes a lock, and reports whether nobody else has it.
func tryLock(f *os.File) (bool, error) {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{OffsetHigh: far})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}
