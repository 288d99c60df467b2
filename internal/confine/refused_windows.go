package confine

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// refused reports whether an error means that a file can't be replaced although, perhaps, it can be written: its folder is
// not ours to write, or another program has it open.
func refused(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}

// keepOwner does nothing: a new file belongs to the one who makes it.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
