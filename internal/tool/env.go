package tool

import (
	"context"
	"io/fs"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/confine"
)

// An Env is where tools work. *Local is one; others embed it.
type Env interface {
	// Resolve finds a path: absolute, or relative to the working directory. One outside the roots is an error.
	Resolve(path string) (Path, error)

	// ReadFile returns the text of a file. The error is fs.ErrNotExist if there is none.
	ReadFile(ctx context.Context, path Path) (string, error)

	// WriteFile replaces the text of a file, or makes the file and the folders that it is in.
	WriteFile(ctx context.Context, path Path, text string) error

	// ReadDir returns what is in a folder, by name.
	ReadDir(path Path) ([]fs.DirEntry, error)

	// Walk calls visit for a file, or for each file in a folder and below, in order of their names.
	Walk(ctx context.Context, path Path, visit Visit) error

	// Run runs a command line by the shell, in the working directory, until it ends or ctx does.
	Run(ctx context.Context, line string) (*Output, error)

	// Plan shows a plan.
	Plan(entries []acp.PlanEntry) error
}

// A Path is a place inside the roots.
type Path struct {
	// Abs is the absolute path that people know it by.
	Abs string

	// Short is Abs relative to the working directory, if it is below that.
	Short string

	place confine.Place
}

// A Visit is what Walk calls for a file. Read returns all of it; whole is false if that is more than max bytes.
type Visit func(path Path, read func(max int64) (text []byte, whole bool))

// An Output is what came of a command.
type Output struct {
	Text      string // standard output and standard error; the end of it if it was too long
	Truncated bool   // the beginning is missing
	ExitCode  *int   // nil if a signal ended it
	Signal    string // the signal's name

	// Shown is set if the client shows the output by itself.
	Shown bool
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
