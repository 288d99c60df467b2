package config

import (
	"os"
	"path/filepath"
)

// FileName is the name of a configuration file, the user's and a project's.
const FileName = "patchbay.toml"

// roots are what a folder has in it that is the root of a repository.
var roots = []string{".git", ".hg", ".svn", ".jj"}

// findProject returns the path of the project's file, whether it is there or not; "" if it can't be anywhere. It is the
// nearest one from a folder upward to the root of its repository; outside a repository, to the user's home; outside that,
// in the folder itself only: what others put into /tmp is nobody's project.
func findProject(dir, home string) string {
	nearest, inside := "", false
	for at := dir; ; at = filepath.Dir(at) {
		if file := filepath.Join(at, FileName); nearest == "" && exists(file) {
			nearest = file
		}
		if inside = at == home || isRoot(at); inside || at == filepath.Dir(at) {
			break
		}
	}
	if own := filepath.Join(dir, FileName); nearest == "" || !inside && nearest != own {
		return own
	}
	return nearest
}

func isRoot(dir string) bool {
	for _, name := range roots {
		if exists(filepath.Join(dir, name)) {
			return true
		}
	}
	return false
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// UserDir returns the folder of the user's files: below XDG_CONFIG_HOME where that is set, and otherwise where the
// system keeps such things. It is "" where nobody can tell, as in a container without a home.
func UserDir(env func(string) string) string {
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "patchbay")
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "patchbay")
}
