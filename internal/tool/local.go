package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/patchbay-dev/patchbay/internal/confine"
)

// maxFile bounds the text of a file that a tool reads, in bytes.
const maxFile = 16 << 20

// A Local is an Env on this machine, confined to the roots of a session.
type Local struct {
	space confine.Space
	seen  Seen
	local
}

// NewLocal returns an Env with a working directory and roots; no roots mean the working directory.
func NewLocal(cwd string, roots []string) *Local {
	return &Local{space: confine.Space{Cwd: cwd, Roots: roots}}
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

// Seen is what the session has read.
func (l *Local) Seen() *Seen { return &l.seen }

// Hides returns false.
func (l *Local) Hides(string) bool { return false }

// ReadFile reads a regular file of at most 16 MiB.
func (l *Local) ReadFile(ctx context.Context, path Path) (string, error) {
	text, err := path.bytes(ctx, maxFile)
	if long := (*tooLargeError)(nil); errors.As(err, &long) {
		return "", CheckSize(long.size)
	}
	return string(text), err
}

// Check says why what is at a path on this machine is of no use as text: it is no regular file, or too large. What can't be
// found is no error: others may know it.
func (l *Local) Check(path Path) error {
	info, err := path.place.Stat()
	switch {
	case err != nil:
		return nil
	case !info.Mode().IsRegular():
		return &confine.NotRegularError{Path: path.Short, Mode: info.Mode()}
	}
	return CheckSize(info.Size())
}

// CheckSize says that a text of so many bytes is too large for a tool, if it is.
func CheckSize(size int64) error {
	if size <= maxFile {
		return nil
	}
	return fmt.Errorf("%w; a command such as sed or head can show a part of it", &tooLargeError{size, maxFile})
}

// WriteFile writes a file, and makes the folders above it.
func (l *Local) WriteFile(ctx context.Context, path Path, text string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return reason(path.place.WriteFile([]byte(text)))
}

// MakeFolder makes the folders above a file.
func (l *Local) MakeFolder(path Path) error { return reason(path.place.MakeFolder()) }

// Exists reports whether there is anything at a path on this machine.
func (l *Local) Exists(path Path) bool {
	_, err := path.place.Stat()
	return !errors.Is(err, fs.ErrNotExist)
}

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
