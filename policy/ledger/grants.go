package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/policy"
)

// Grants are the user's answers in a file: a policy.Store. The file is replaced as a whole, so that a crash leaves the old one
// or the new one. It has mode 0600, and one that others may write is refused, since what is in it lets things pass.
type Grants struct {
	path string
}

var _ policy.Store = (*Grants)(nil)

// NewGrants returns the grants in a file, which needs not exist.
func NewGrants(path string) *Grants { return &Grants{path: path} }

// Path returns where the file is.
func (g *Grants) Path() string { return g.path }

// file is what the file has.
type file struct {
	Grants []policy.Grant `json:"grants"`
}

// maxFile is how long the file may be, in bytes.
const maxFile = 16 << 20

// Load reads the file. It waits for nobody: the file is always a whole one.
func (g *Grants) Load() ([]policy.Grant, error) {
	f, err := open(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is longer than %d bytes", g.path, maxFile)
	}
	var read file
	if err := json.Unmarshal(text, &read, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%s is no file of grants: %w", g.path, err)
	}
	return read.Grants, nil
}

// open opens a regular file that nobody else may write.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe might wait for ever
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if err := private(path, info); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// Change reads the file, and replaces it by what the function makes of it, while no other process does.
func (g *Grants) Change(change func(kept []policy.Grant) ([]policy.Grant, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(g.path), 0o700); err != nil {
		return err
	}
	held, err := os.OpenFile(g.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }() // which gives the lock free
	if err := lock(held); err != nil {
		return err
	}
	kept, err := g.Load()
	if err != nil {
		return err
	}
	if kept, err = change(kept); err != nil {
		return err
	}
	if kept == nil {
		kept = []policy.Grant{}
	}
	text, err := json.Marshal(file{kept}, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	if len(text) >= maxFile {
		return fmt.Errorf("the grants would need more than %d bytes", maxFile)
	}
	return replace(g.path, append(text, '\n'))
}

// replace writes a file beside another one, and puts it in its place. Through a link, its target is replaced.
func replace(path string, content []byte) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
