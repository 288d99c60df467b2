package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/internal/terminal"
)

// maxFile bounds the text of a file that a tool reads, in bytes.
const maxFile = 16 << 20

// A Local is an Env on this machine, confined to the roots of a session.
type Local struct{ space confine.Space }

// NewLocal returns an Env with a working directory and roots; no roots mean the working directory.
func NewLocal(cwd string, roots []string) *Local {
	return &Local{confine.Space{Cwd: cwd, Roots: roots}}
}

// Resolve finds a path.
func (l *Local) Resolve(path string) (Path, error) {
	place, err := l.space.Resolve(path)
	if err != nil {
		return Path{}, err
	}
	return Path{Abs: l.abs(path, place), Short: l.short(l.abs(path, place)), place: place}, nil
}

// abs returns the absolute path as people know it, which need not be the real one: a working directory is often behind a
// link.
func (l *Local) abs(path string, place confine.Place) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.space.Cwd, path)
	}
	path = filepath.Clean(path)
	if cleaned, err := l.space.Resolve(path); err != nil || cleaned.Path != place.Path {
		return place.Path // the path went up from a link, which Clean can't know
	}
	return path
}

func (l *Local) short(abs string) string {
	if rel, err := filepath.Rel(l.space.Cwd, abs); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return abs
}

// ReadFile reads a regular file of UTF-8 text.
func (l *Local) ReadFile(ctx context.Context, path Path) (string, error) {
	f, _, err := path.place.Open()
	if err != nil {
		return "", reason(err)
	}
	defer f.Close()
	text, err := confine.ReadText(ctx, f, confine.Lines{}, maxFile)
	if long := (*confine.TooLongError)(nil); errors.As(err, &long) {
		return "", fmt.Errorf("the file has more than %d MiB, which is too much for a tool; a command may do better", maxFile>>20)
	}
	if err != nil {
		return "", err
	}
	if isBinary([]byte(text[:min(len(text), 8000)])) {
		return "", errors.New("the file has zero bytes, so it is no text")
	}
	return text, nil
}

// WriteFile writes a file, and makes the folders above it.
func (l *Local) WriteFile(ctx context.Context, path Path, text string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return reason(path.place.WriteFile([]byte(text)))
}

// ReadDir returns what is in a folder.
func (l *Local) ReadDir(path Path) ([]fs.DirEntry, error) {
	root, err := path.place.OpenRoot()
	if err != nil {
		return nil, reason(err)
	}
	defer root.Close()
	return fs.ReadDir(root.FS(), ".")
}

// Walk calls visit for a file, or for each regular file in a folder and below, in order of their names. Links are not followed
// and what can't be read is passed over.
func (l *Local) Walk(ctx context.Context, path Path, visit Visit) error {
	info, err := path.place.Stat()
	if err != nil {
		return reason(err)
	}
	if !info.IsDir() {
		f, info, err := path.place.Open()
		if err != nil {
			return reason(err)
		}
		defer f.Close()
		visit(path, func(max int64) ([]byte, bool) { return readAll(f, info.Size(), max) })
		return ctx.Err()
	}
	root, err := path.place.OpenRoot()
	if err != nil {
		return reason(err)
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return nil
		case d.IsDir() && name != "." && slices.Contains(skippedDirs, d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular():
			abs := filepath.Join(path.Abs, filepath.FromSlash(name))
			visit(Path{Abs: abs, Short: l.short(abs)}, func(max int64) ([]byte, bool) { return readIn(root, name, max) })
		}
		return nil
	})
}

// readIn reads a file that a walk has found. One that can't be read is as good as empty.
func readIn(root *os.Root, name string, max int64) (text []byte, whole bool) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, true
	}
	if info.Size() > max {
		return nil, false
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, true
	}
	defer f.Close()
	return readAll(f, info.Size(), max)
}

func readAll(f io.Reader, size, max int64) (text []byte, whole bool) {
	if size > max {
		return nil, false
	}
	text, _ = io.ReadAll(io.LimitReader(f, max)) // what can be read is looked at
	return text, true
}

// Run runs a command line. When ctx ends, the command is ended with all that it started (F48).
func (l *Local) Run(ctx context.Context, line string) (*Output, error) {
	t, err := terminal.Start(terminal.Command{Line: line, Dir: l.space.Cwd, Limit: MaxOutput})
	if err != nil {
		return nil, err
	}
	defer t.Close()
	exit, err := t.Wait(ctx)
	if err != nil {
		return nil, err
	}
	out := t.Output()
	result := &Output{Text: out.Text, Truncated: out.Truncated, Signal: exit.Signal}
	if exit.Code != nil {
		code := int(*exit.Code)
		result.ExitCode = &code
	}
	return result, nil
}

// Exists reports whether there is anything at a path on this machine.
func (l *Local) Exists(path Path) bool {
	_, err := path.place.Stat()
	return !errors.Is(err, fs.ErrNotExist)
}

// Plan shows nothing: there is nobody to show it to.
func (l *Local) Plan([]acp.PlanEntry) error { return nil }

// reason takes from an error of the file system what its caller says anyway: the operation and the path.
func reason(err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ErrNotExist
	case errors.As(err, &path):
		return path.Err
	}
	return err
}

// ErrNotExist is fs.ErrNotExist in better words.
var ErrNotExist = fmt.Errorf("there is no such file or folder%w", silent{fs.ErrNotExist})

// silent is an error without words of its own.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }
