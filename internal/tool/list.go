package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// maxEntries bounds how many entries are listed.
const maxEntries = 500

// List returns the tool that lists a folder.
func List() *Tool {
	return define(Tool{
		Name: "list",
		Description: fmt.Sprintf("Lists what is in a folder, at most %d entries, with sizes in bytes. Folders end with a slash. With a depth of more than 1, folders in it are listed too, "+
			"except those that .gitignore names, which are marked.", maxEntries),
		Kind:     acp.ToolKindRead,
		ReadOnly: true,
	}, prepareList)
}

type listInput struct {
	Path  string `json:"path,omitzero" jsonschema:"The folder, absolute or relative to the working directory, which is the default."`
	Depth int    `json:"depth,omitzero" minimum:"1" maximum:"10" jsonschema:"How many levels to list; the default is 1."`
}

func prepareList(env Env, in listInput) (*Job, error) {
	dir, err := resolveDir(env, in.Path)
	if err != nil {
		return nil, err
	}
	return &Job{
		Title:     "List " + dir.title(),
		Locations: []acp.ToolCallLocation{dir.location(0)},
		Call:      policy.Call{Tool: policy.List, Paths: dir.files()},
		run: func(ctx context.Context) (*Result, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			l := listing{depth: max(in.Depth, 1)}
			err := walkTree(ctx, env, dir, l.entry)
			switch {
			case errors.Is(err, errEnough):
				return textResult(fmt.Sprintf("%s has more than %s; these are the first", dir.Short, count(maxEntries, "entry")), l.text.String()), nil
			case err != nil:
				return nil, fmt.Errorf("listing %s: %w", dir.Short, err)
			}
			return textResult(fmt.Sprintf("%s has %s", dir.Short, count(l.n, "entry")), l.text.String()), nil
		},
	}, nil
}

// resolveDir finds a folder; none means the working directory.
func resolveDir(env Env, path string) (Path, error) {
	if path == "" {
		path = "."
	}
	return env.Resolve(path)
}

// A listing collects lines for what is in a folder.
type listing struct {
	depth int
	n     int
	text  strings.Builder
}

func (l *listing) entry(e entry) error {
	if l.n == maxEntries {
		return errEnough
	}
	l.n++
	level := strings.Count(e.name, "/")
	l.text.WriteString(strings.Repeat("  ", level) + path.Base(e.name))
	switch {
	case e.IsDir():
		l.text.WriteString("/")
	case e.Type()&fs.ModeSymlink != 0:
		l.text.WriteString(" (link)")
	default:
		l.text.WriteString(size(e))
	}
	if e.ignored {
		l.text.WriteString(" (ignored)")
	}
	l.text.WriteString("\n")
	if e.ignored || level+1 == l.depth {
		return skip(e)
	}
	return nil
}

// size returns a file's size, or nothing if the file has gone meanwhile.
func size(e fs.DirEntry) string {
	info, err := e.Info()
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" %d", info.Size())
}
