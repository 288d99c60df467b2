//go:build unix

package confine

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// refused reports whether an error means that a file can't be replaced although, perhaps, it can be written: its folder is
// not ours to write, it is a mount point of its own, or its owner can't be kept.
func refused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.EBUSY) ||
		errors.Is(err, syscall.EXDEV)
}

// keepOwner gives a new file the owner and the group of the old one.
func keepOwner(f *os.File, old fs.FileInfo) error {
	want, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if got, ok := info.Sys().(*syscall.Stat_t); ok && got.Uid == want.Uid && got.Gid == want.Gid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}
