package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// DefaultDir is where a user's sessions are: the folder patchbay in $XDG_STATE_HOME if that is an absolute path, else in
// ~/.local/state; on macOS in ~/Library/Application Support, on Windows in %LocalAppData%. It need not exist.
func DefaultDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "patchbay"), nil
	}
	if dir := os.Getenv("LocalAppData"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "patchbay"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no place for sessions: neither XDG_STATE_HOME nor a home directory is set")
	}
	switch runtime.GOOS {
	case "darwin", "ios":
		return filepath.Join(home, "Library", "Application Support", "patchbay"), nil
	case "windows":
		return filepath.Join(home, "AppData", "Local", "patchbay"), nil
	}
	return filepath.Join(home, ".local", "state", "patchbay"), nil
}
