package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

const tempPrefix = "patchbay-sandbox-"

var sweptOnce sync.Once

// MakeTemp makes a private folder for a policy's Temp, in the system's folder for temporary files. Folders that processes left
// there which were killed are removed by the first call.
func MakeTemp() (string, error) {
	sweptOnce.Do(sweep)
	dir, err := os.MkdirTemp("", tempPrefix)
	if err != nil {
		return "", fmt.Errorf("making a folder for the sandbox: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err == nil {
		err = os.Mkdir(tempHome(dir), 0o700)
	}
	if err == nil {
		err = claim(dir)
	}
	if err != nil {
		return "", fmt.Errorf("making a folder for the sandbox: %w", err)
	}
	return dir, nil
}

// RemoveTemp removes what MakeTemp made, with all that is in it: folders that may not be written too, such as those of Go's
// modules.
func RemoveTemp(dir string) error {
	err := removeAll(dir)
	if err == nil {
		unclaim(dir)
	}
	return err
}

func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	root, err := os.OpenRoot(dir) // so that no link leads the changes elsewhere
	if err != nil {
		return err
	}
	defer root.Close()
	_ = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = root.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(dir)
}
