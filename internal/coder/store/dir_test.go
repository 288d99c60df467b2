package store_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// The folder and the file are the user's alone.
func TestOnlyTheUserCanRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files belong to their user there")
	}
	dir := filepath.Join(t.TempDir(), "state", "patchbay")
	s := open(t, dir, store.Options{})
	create(t, s, store.Session{ID: "a"})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 2 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
		if strings.Contains(e.Name(), "new") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, dir, store.Options{})
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What a process has left that was killed while it made the store is removed by the next one that does so, unless it may live.
func TestLeftoversOfMaking(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"sessions.db.new-1": 2 * time.Hour, "sessions.db.new-1-wal": 2 * time.Hour, "sessions.db.new-2": 0, "mine": 2 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(t, dir, store.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	var left []string
	for _, e := range entries {
		if e.Name() != "sessions.lock" {
			left = append(left, e.Name())
		}
	}
	if diff := cmp.Diff([]string{"mine", "sessions.db", "sessions.db.new-2"}, left); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestDefaultDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "relative")
	dir, err := store.DefaultDir()
	if err != nil || !filepath.IsAbs(dir) {
		t.Errorf("got %q, %v", dir, err)
	}
	if runtime.GOOS == "linux" && dir != filepath.Join(home, ".local/state/patchbay") {
		t.Errorf("got %q", dir)
	}
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	if dir, err := store.DefaultDir(); err != nil || dir != filepath.Join(state, "patchbay") {
		t.Errorf("got %q, %v", dir, err)
	}
}
