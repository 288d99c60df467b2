package tool

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// What grep shows and looks at, at most. A call may ask for up to 1000 matches.
const (
	usualMatches = 200
	maxGrepBytes = 64 << 10
	maxMatchLine = 500 // bytes of a line
	maxGrepFile  = maxFile
)

// What grep answers with, if not with lines.
const (
	grepFiles = "files"
	grepCount = "count"
)

// Grep returns the tool that looks for text in files. If ripgrep is the path of that program, it looks first which files
// hold a match, which is faster; what is found, and its order, is the same. Empty, this process does it all.
func Grep(ripgrep string) *Tool {
	return define(Tool{
		Name: "grep",
		Description: fmt.Sprintf("Finds lines in a file, or in the files of a folder and below, in the order of their paths. Lines are shown as path:line:text, those around them as path-line-text; "+
			"lines over %d bytes are cut. Binary files, files over %d MiB, links, and what .gitignore names, or %s, is passed over.", maxMatchLine, maxGrepFile>>20, moduleDir),
		Kind:     acp.ToolKindSearch,
		ReadOnly: true,
	}, func(env Env, in grepInput) (*Job, error) { return prepareGrep(env, in, ripgrep) })
}

type grepInput struct {
	Pattern    string `json:"pattern" minLength:"1" jsonschema:"A regular expression in RE2 syntax, matched within lines."`
	Literal    bool   `json:"literal,omitzero" jsonschema:"The pattern is the text itself; the default is false."`
	IgnoreCase bool   `json:"ignore_case,omitzero" jsonschema:"Upper and lower case are the same; the default is false."`
	Path       string `json:"path,omitzero" jsonschema:"The folder or file to look in; the default is the working directory."`
	Glob       string `json:"glob,omitzero" jsonschema:"Look only in files with such a path or name: *.go, src/**/*.ts, *.{c,h}."`
	Context    int    `json:"context,omitzero" minimum:"0" maximum:"20" jsonschema:"How many lines to show before and after each; the default is 0."`
	Output     string `json:"output,omitzero" enum:"content,files,count" jsonschema:"What to show: the lines (content, the default), the files that have any, or how many lines each file has."`
	Limit      int    `json:"limit,omitzero" minimum:"1" maximum:"1000" jsonschema:"The most lines, or files, to find; the default is 200."`
	Ignored    bool   `json:"ignored,omitzero" jsonschema:"Look also into what .gitignore names; the default is false."`
}

func prepareGrep(env Env, in grepInput, ripgrep string) (*Job, error) {
	if in.Limit == 0 {
		in.Limit = usualMatches
	}
	pattern, err := newPattern(in.Pattern, in.Literal, in.IgnoreCase)
	if err != nil {
		return nil, err
	}
	wanted := func(string) bool { return true }
	if in.Glob != "" {
		if wanted, err = globMatcher(in.Glob); err != nil {
			return nil, err
		}
	}
	path, err := resolveDir(env, in.Path)
	if err != nil {
		return nil, err
	}
	return &Job{
		Title:     fmt.Sprintf(`Find "%s" in %s`, OneLine(in.Pattern, 80), path.title()),
		Locations: []acp.ToolCallLocation{path.location(0)},
		Call:      policy.Call{Tool: policy.Grep, Paths: path.files()},
		run: func(ctx context.Context) (*Result, error) {
			g := &grep{in: in, pattern: pattern, top: path, wanted: wanted, ripgrep: ripgrep}
			if err := g.look(ctx, env); err != nil && !errors.Is(err, errEnough) {
				return nil, fmt.Errorf("looking in %s: %w", path.Short, err)
			}
			return g.result(), nil
		},
	}, nil
}
