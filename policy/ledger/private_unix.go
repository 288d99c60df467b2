//go:build unix

package ledger

import (
	"fmt"
	"io/fs"
)

// private refuses a file that others may write.
func private(name string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s can be written by others (mode %04o): look at what it grants, and run `chmod 600 %s`", name, mode, name)
	}
	return nil
}
