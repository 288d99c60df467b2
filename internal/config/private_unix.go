//go:build unix

package config

import (
	"fmt"
	"io/fs"
)

// private refuses a file that others can read or write.
func private(name string, info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s can be used by others (mode %04o): run `chmod 600 %s`, and think about which of its keys to replace", name, mode, name)
	}
	return nil
}
