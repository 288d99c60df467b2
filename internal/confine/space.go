package confine

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A Space is the part of the file system that a peer may touch. Nothing is kept open for it, and nothing is remembered: a
// root may come, go and move between two calls.
type Space struct {
	// Cwd is an absolute path, which relative ones start from.
	Cwd string

	// Roots are absolute paths of folders, whose content may be touched. None means Cwd alone. Cwd is not a root by
	// itself if there are others.
	Roots []string

	// Exceptions are absolute paths of further files, or of folders with what is below them, that may be touched too.
	Exceptions []string
}

// A Place is a path inside a space. Resolve makes one. It need not exist.
type Place struct {
	// Path is the real path: absolute and without links.
	Path string

	asked string // what Resolve was given
	base  string // the real path of a root
	name  string // of the place, below base
}

// Resolve finds out what a path stands for. Links are followed, the last one too, as far as there is anything; what is
// missing from there on is taken as it is written. So a link to nothing stands for the file that it names.
//
// It returns an *OutsideError for what is, or leads, outside, whether it exists or not, and an ErrBadPath for what no file
// can be called.
func (s Space) Resolve(path string) (Place, error) {
	switch {
	case path == "":
		return Place{}, fmt.Errorf("%w: it is empty", ErrBadPath)
	case strings.ContainsRune(path, 0):
		return Place{}, fmt.Errorf("%w: %q has a zero byte in it", ErrBadPath, path)
	}
	if err := s.check(); err != nil {
		return Place{}, err
	}
	absolute := path
	if !filepath.IsAbs(path) {
		absolute = s.Cwd + string(filepath.Separator) + path // not Join: that would drop "link/.." unseen
	}
	real, failure := realPath(absolute)
	base, ok := s.baseOf(real)
	if !ok {
		return Place{}, s.outside(path, absolute)
	}
	if failure != nil {
		return Place{}, failure
	}
	name, err := filepath.Rel(base, real)
	if err != nil {
		return Place{}, fmt.Errorf("%s below %s: %w", real, base, err)
	}
	return Place{Path: real, asked: path, base: base, name: name}, nil
}

// check makes sure that nothing depends on the working directory of this process.
func (s Space) check() error {
	if !filepath.IsAbs(s.Cwd) {
		return fmt.Errorf("the working directory %q is not an absolute path", s.Cwd)
	}
	for _, list := range [][]string{s.Roots, s.Exceptions} {
		for _, path := range list {
			if !filepath.IsAbs(path) {
				return fmt.Errorf("the root or exception %q is not an absolute path", path)
			}
		}
	}
	return nil
}

// roots returns the roots, of which there is at least one.
func (s Space) roots() []string {
	if len(s.Roots) == 0 {
		return []string{s.Cwd}
	}
	return s.Roots
}

// baseOf returns the real path of the first root or exception that a real path is in.
func (s Space) baseOf(real string) (base string, ok bool) {
	for _, list := range [][]string{s.roots(), s.Exceptions} {
		for _, root := range list {
			base, err := realPath(root)
			if err == nil && within(base, real) {
				return base, true
			}
		}
	}
	return "", false
}

// within reports whether a real path is another one or below it.
func within(base, path string) bool {
	if len(path) < len(base) || !samePath(path[:len(base)], base) {
		return false
	}
	rest := path[len(base):]
	return rest == "" || rest[0] == filepath.Separator || base[len(base)-1] == filepath.Separator
}

// outside makes the error for a path that is not in the space.
func (s Space) outside(asked, absolute string) error {
	e := &OutsideError{Path: asked, Roots: s.roots()}
	for _, root := range e.Roots {
		if within(filepath.Clean(root), filepath.Clean(absolute)) {
			e.Link = true
		}
	}
	return e
}

// ErrBadPath says that something is no path.
var ErrBadPath = errors.New("not a path")

// An OutsideError says that a path is outside a space.
type OutsideError struct {
	Path  string   // as it was given
	Link  bool     // the path is written as one inside, and a link leads out
	Roots []string // of the space
}

func (e *OutsideError) Error() string {
	verb := "is"
	if e.Link {
		verb = "leads by a link"
	}
	noun := "root"
	if len(e.Roots) > 1 {
		noun = "roots"
	}
	return fmt.Sprintf("%s %s outside the %s %s", e.Path, verb, noun, strings.Join(e.Roots, ", "))
}
