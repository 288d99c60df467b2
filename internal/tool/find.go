package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// What find shows and looks at, at most.
const (
	maxMatches   = 200
	maxMatchLine = 300     // bytes of a line
	maxFindFile  = 4 << 20 // bytes of a file
)

// skippedDirs are not looked into: what is there was written by programs.
var skippedDirs = []string{".git", ".hg", ".svn", "node_modules"}

// Find returns the tool that looks for text in files.
func Find() *Tool {
	return define(Tool{
		Name: "find",
		Description: fmt.Sprintf("Finds the lines that hold a text, as it is written, in the files of a folder and below. It shows the first %d, and passes over binary files, "+
			"files over %d MiB, links, and folders named %s.", maxMatches, maxFindFile>>20, strings.Join(skippedDirs, ", ")),
		Kind: acp.ToolKindSearch,
		Schema: acp.Raw(`{"type":"object","required":["text"],"properties":{` +
			`"text":{"type":"string","minLength":1,"description":"The text to look for, within a line."},` +
			`"path":{"type":"string","description":"The folder or file to look in; the default is the working directory."}}}`),
	}, prepareFind)
}

type findInput struct {
	Text string `json:"text"`
	Path string `json:"path"`
}

func prepareFind(env Env, in findInput) (*Job, error) {
	switch {
	case in.Text == "":
		return nil, errors.New("the input of find has no text")
	case strings.Contains(in.Text, "\n"):
		return nil, errors.New("find looks within lines: its text can't have several")
	}
	path, err := resolveDir(env, in.Path)
	if err != nil {
		return nil, err
	}
	return &Job{
		Title:     fmt.Sprintf("Find %q in %s", oneLine(in.Text, 80), path.Short),
		Locations: []acp.ToolCallLocation{path.location(0)},
		run: func(ctx context.Context) (*Result, error) {
			s := &search{text: in.Text}
			if err := env.Walk(ctx, path, s.file); err != nil {
				return nil, fmt.Errorf("looking in %s: %w", path.Short, err)
			}
			return s.result(path), nil
		},
	}, nil
}

// A search collects matches.
type search struct {
	text    string
	matches int // all of them
	files   int // with matches
	large   int // files that were too large
	lines   strings.Builder
	where   []acp.ToolCallLocation
}

// file looks through a file.
func (s *search) file(path Path, read func(max int64) ([]byte, bool)) {
	text, whole := read(maxFindFile)
	if !whole {
		s.large++
		return
	}
	if isBinary(text) {
		return
	}
	before := s.matches
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if strings.Contains(line, s.text) {
			s.match(path, number, line)
		}
	}
	if s.matches > before {
		s.files++
	}
}

func (s *search) match(path Path, number int, line string) {
	s.matches++
	if s.matches > maxMatches {
		return
	}
	fmt.Fprintf(&s.lines, "%s:%d: %s\n", path.Short, number, clip(strings.TrimSpace(line), maxMatchLine))
	s.where = append(s.where, path.location(number))
}

func (s *search) result(path Path) *Result {
	var summary string
	switch {
	case s.matches == 0:
		summary = fmt.Sprintf("Nothing in %s holds %q", path.Short, s.text)
	default:
		summary = fmt.Sprintf("%s in %s with %q", count(s.matches, "line"), count(s.files, "file"), s.text)
	}
	if s.matches > maxMatches {
		summary += fmt.Sprintf("; these are the first %d", maxMatches)
	}
	if s.large > 0 {
		summary += fmt.Sprintf(" (%s over %d MiB not looked at)", count(s.large, "file"), maxFindFile>>20)
	}
	r := textResult(summary, s.lines.String())
	r.Locations = slices.Clip(s.where)
	return r
}
