//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// lockSuffix ends the name of a file beside each folder for what is temporary. The process that the folder belongs to holds a lock
// on it, which the system lets go when the process ends, however it ends.
const lockSuffix = ".lock"

// kept are the locks that this process holds, by folder.
var kept sync.Map // of *os.File

// claim notes that a folder is in use.
func claim(dir string) error {
	// It gets its name when it is locked, so that nobody takes it for one that was left behind.
	file, err := os.OpenFile(dir+".new", os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(dir+".new", dir+lockSuffix)
	}
	if err != nil {
		_ = os.Remove(dir + ".new")
		_ = file.Close()
		return err
	}
	kept.Store(dir, file)
	return nil
}

// unclaim forgets a folder that has been removed.
func unclaim(dir string) {
	if file, ok := kept.LoadAndDelete(dir); ok {
		_ = os.Remove(dir + lockSuffix)
		_ = file.(*os.File).Close()
	}
}

// sweep removes the folders of processes that were killed.
func sweep() {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), tempPrefix+"*"+lockSuffix))
	for _, name := range locks {
		sweepOne(name)
	}
}

func sweepOne(name string) {
	file, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return // another user's, or removed meanwhile
	}
	defer file.Close()
	dir := strings.TrimSuffix(name, lockSuffix)
	if !ours(file.Stat()) || syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return
	}
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && ours(info, nil) {
		_ = RemoveTemp(dir)
	}
	_ = os.Remove(name)
}

// ours reports whether a file is this user's: in a folder for everyone, anybody can make one with any name.
func ours(info os.FileInfo, err error) bool {
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
