package tool

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/confine"
)

// An Env is where tools work. *Local is one; others embed it.
type Env interface {
	// Resolve finds a path: absolute, or relative to the working directory. One outside the roots is an error.
	Resolve(path string) (Path, error)

	// ReadFile returns what a file holds, byte for byte: it need not be UTF-8 (see decode). The error is fs.ErrNotExist if
	// there is none.
	ReadFile(ctx context.Context, path Path) (string, error)

	// WriteFile replaces what a file holds, or makes the file and the folders that it is in. On an error it holds what it
	// held before.
	WriteFile(ctx context.Context, path Path, text string) error

	// Seen is what the session has read.
	Seen() *Seen

	// Hides reports whether what is at an absolute path is not to be come by in listing and searching, since it may not be
	// read, or not unasked.
	Hides(path string) bool

	Outside
}

// A Path is a place inside the roots.
type Path struct {
	// Abs is the absolute path that people know it by.
	Abs string

	// Short is Abs relative to the working directory, if it is below that.
	Short string

	place confine.Place
}

// files returns the path as a policy knows it: as people do, and where it really is.
func (p Path) files() []string {
	if p.place.Path == p.Abs {
		return []string{p.Abs}
	}
	return []string{p.Abs, p.place.Path}
}

// location returns where a call works: line counts from 1, and 0 means the whole file.
func (p Path) location(line int) acp.ToolCallLocation {
	l := acp.ToolCallLocation{Path: p.Abs}
	if line > 0 {
		n := uint32(line)
		l.Line = &n
	}
	return l
}
