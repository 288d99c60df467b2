package registry_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A computer is a home with nothing in it but what a test puts there.
type computer struct {
	*testing.T
	home string
	env  map[string]string
}

func newComputer(t *testing.T) *computer {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are written for a Unix shell")
	}
	home := t.TempDir()
	return &computer{t, home, map[string]string{"PATH": filepath.Join(home, "path")}}
}

// open opens the registry anew.
func (c *computer) open() *registry.Registry {
	c.Helper()
	r, err := registry.Open(registry.Options{
		Env:       func(name string) string { return c.env[name] },
		Home:      c.home,
		ConfigDir: filepath.Join(c.home, "config"),
		DataDir:   filepath.Join(c.home, "data"),
	})
	if err != nil {
		c.Fatal(err)
	}
	return r
}

// write writes a file in the home, and returns where it is.
func (c *computer) write(name, content string) string {
	c.Helper()
	path := filepath.Join(c.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		c.Fatal(err)
	}
	return path
}

// link makes a symbolic link in the home.
func (c *computer) link(target, name string) {
	c.Helper()
	path := filepath.Join(c.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		c.Fatal(err)
	}
}

// find finds an agent that has to be there.
func (c *computer) find(name string) *registry.Found {
	c.Helper()
	f, err := c.open().Find(c.Context(), name)
	if err != nil {
		c.Fatal(err)
	}
	return f
}
