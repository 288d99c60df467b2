package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// What read returns at most. A model asks for the next part by "line".
const (
	maxReadLines = 2000
	maxReadBytes = 64 << 10
)

// Read returns the tool that reads a text file.
func Read() *Tool {
	return define(Tool{
		Name: "read",
		Description: fmt.Sprintf("Reads a text file, at most %d lines or %d bytes at once. The first line of the result says which lines follow.",
			maxReadLines, maxReadBytes),
		Kind: acp.ToolKindRead,
		Schema: acp.Raw(`{"type":"object","required":["path"],"properties":{` +
			`"path":{"type":"string","description":"The file, absolute or relative to the working directory."},` +
			`"line":{"type":"integer","minimum":1,"description":"The first line to read; the default is 1."},` +
			`"limit":{"type":"integer","minimum":1,"description":"The most lines to read."}}}`),
	}, prepareRead)
}

type readInput struct {
	Path  string `json:"path"`
	Line  *int   `json:"line"`
	Limit *int   `json:"limit"`
}

func prepareRead(env Env, in readInput) (*Job, error) {
	first, limit := 1, maxReadLines
	if in.Line != nil {
		first = *in.Line
	}
	if in.Limit != nil {
		limit = min(*in.Limit, maxReadLines)
	}
	if first < 1 || limit < 1 {
		return nil, errors.New("lines count from 1, and at least one has to be read")
	}
	path, err := env.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	at := 0
	if in.Line != nil {
		at = first
	}
	return &Job{
		Title:     "Read " + path.Short,
		Locations: []acp.ToolCallLocation{path.location(at)},
		run: func(ctx context.Context) (*Result, error) {
			text, err := env.ReadFile(ctx, path)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", path.Short, err)
			}
			return excerpt(path, text, first, limit)
		},
	}, nil
}

// excerpt is part of a file: its first line says which.
func excerpt(path Path, text string, first, limit int) (*Result, error) {
	total := lineCount(text)
	if total == 0 {
		return textResult(path.Short+" is empty", ""), nil
	}
	if first > total {
		return nil, fmt.Errorf("%s has only %s", path.Short, count(total, "line"))
	}
	part, lines := cutLines(text, first, limit)
	if lines == total {
		return textResult(fmt.Sprintf("%s has %s", path.Short, count(total, "line")), part), nil
	}
	summary := fmt.Sprintf("%s has %s; these are lines %d to %d", path.Short, count(total, "line"), first, first+lines-1)
	return textResult(summary, part), nil
}

// cutLines returns at most limit lines of text from line first on, and how many they are. A single line that is too long
// is clipped.
func cutLines(text string, first, limit int) (part string, lines int) {
	for ; first > 1; first-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	end := 0
	for lines < limit && end < len(text) {
		next := len(text)
		if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
			next = end + i + 1
		}
		if next > maxReadBytes && lines > 0 {
			break
		}
		end = next
		lines++
	}
	if end > maxReadBytes {
		return clip(text, maxReadBytes) + "\n(the line is longer)\n", lines
	}
	return text[:end], lines
}
