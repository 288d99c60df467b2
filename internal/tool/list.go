package tool

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// maxEntries bounds how many entries of a folder are listed.
const maxEntries = 500

// List returns the tool that lists a folder.
func List() *Tool {
	return define(Tool{
		Name:        "list",
		Description: "Lists the entries of a folder, with sizes in bytes. Folders end with a slash.",
		Kind:        acp.ToolKindRead,
		Schema: acp.Raw(`{"type":"object","properties":{` +
			`"path":{"type":"string","description":"The folder, absolute or relative to the working directory, which is the default."}}}`),
	}, prepareList)
}

type listInput struct {
	Path string `json:"path"`
}

func prepareList(env Env, in listInput) (*Job, error) {
	dir, err := resolveDir(env, in.Path)
	if err != nil {
		return nil, err
	}
	return &Job{
		Title:     "List " + dir.Short,
		Locations: []acp.ToolCallLocation{dir.location(0)},
		run: func(ctx context.Context) (*Result, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			entries, err := env.ReadDir(dir)
			if err != nil {
				return nil, fmt.Errorf("listing %s: %w", dir.Short, err)
			}
			summary := fmt.Sprintf("%s has %s", dir.Short, count(len(entries), "entry"))
			if len(entries) > maxEntries {
				summary += fmt.Sprintf("; these are the first %d", maxEntries)
			}
			return textResult(summary, listing(entries[:min(len(entries), maxEntries)])), nil
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

func listing(entries []fs.DirEntry) string {
	var b strings.Builder
	for _, e := range entries {
		switch {
		case e.IsDir():
			fmt.Fprintf(&b, "%s/\n", e.Name())
		case e.Type()&fs.ModeSymlink != 0:
			fmt.Fprintf(&b, "%s (link)\n", e.Name())
		default:
			fmt.Fprintf(&b, "%s%s\n", e.Name(), size(e))
		}
	}
	return b.String()
}

// size returns a file's size, or nothing if the file has gone meanwhile.
func size(e fs.DirEntry) string {
	info, err := e.Info()
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" %d", info.Size())
}
