package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// maxGlob bounds how many paths glob lists.
const maxGlob = 1000

// Glob returns the tool that finds files by their names.
func Glob() *Tool {
	return define(Tool{
		Name: "glob",
		Description: fmt.Sprintf("Finds files by their names, in the order of their paths, at most %d. A pattern has * for part of a name, ** for any folders, ?, [a-z] and {a,b}. "+
			"One without a slash is looked for in all folders. What .gitignore names, and %s, is left out.", maxGlob, moduleDir),
		Kind:     acp.ToolKindSearch,
		ReadOnly: true,
	}, prepareGlob)
}

type globInput struct {
	Pattern string `json:"pattern" minLength:"1" jsonschema:"Such as *.go or src/**/*_test.go, relative to path."`
	Path    string `json:"path,omitzero" jsonschema:"The folder to look in; the default is the working directory."`
	Ignored bool   `json:"ignored,omitzero" jsonschema:"Include what .gitignore names; the default is false."`
}

func prepareGlob(env Env, in globInput) (*Job, error) {
	matches, err := globMatcher(in.Pattern)
	if err != nil {
		return nil, err
	}
	dir, err := resolveDir(env, in.Path)
	if err != nil {
		return nil, err
	}
	return &Job{
		Title:     fmt.Sprintf("Find files %s in %s", OneLine(in.Pattern, 80), dir.title()),
		Locations: []acp.ToolCallLocation{dir.location(0)},
		Call:      policy.Call{Tool: policy.Glob, Paths: dir.files()},
		run: func(ctx context.Context) (*Result, error) {
			var list strings.Builder
			n := 0
			err := walkTree(ctx, env, dir, func(e entry) error {
				switch {
				case e.left(in.Ignored):
					return skip(e)
				case e.IsDir() || !matches(e.name):
					return nil
				}
				if n++; n > maxGlob {
					return errEnough
				}
				list.WriteString(filepath.ToSlash(dir.at(e.name).Short) + "\n")
				return nil
			})
			switch {
			case errors.Is(err, errEnough):
				return textResult(fmt.Sprintf("More than %d files match %s; these are the first", maxGlob, in.Pattern), list.String()), nil
			case err != nil:
				return nil, fmt.Errorf("looking in %s: %w", dir.Short, err)
			}
			return textResult(globSummary(n, in.Pattern), list.String()), nil
		},
	}, nil
}

func globSummary(n int, pattern string) string {
	switch n {
	case 0:
		return "No file matches " + pattern
	case 1:
		return "1 file matches " + pattern
	}
	return fmt.Sprintf("%d files match %s", n, pattern)
}

// errEnough ends a walk that has found as much as can be shown.
var errEnough = errors.New("that is enough")

// skip passes over an entry, and what is in it.
func skip(e entry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// globMatcher reads a pattern. One without a slash is about names, any other about paths.
func globMatcher(pattern string) (func(name string) bool, error) {
	pattern = filepath.ToSlash(pattern)
	switch {
	case strings.HasPrefix(pattern, "/") || filepath.IsAbs(pattern):
		return nil, fmt.Errorf("the pattern %s is an absolute path: put the folder into path", pattern)
	case alternatives(pattern) > maxAlternatives:
		return nil, fmt.Errorf("the pattern %s has more than %d alternatives", OneLine(pattern, 200), maxAlternatives)
	case !doublestar.ValidatePattern(pattern):
		return nil, fmt.Errorf("the pattern %s is none: a bracket or a brace in it is not closed, or something like that", pattern)
	}
	pattern = path.Clean(pattern)
	if !strings.Contains(pattern, "/") {
		return func(name string) bool { return doublestar.MatchUnvalidated(pattern, path.Base(name)) }, nil
	}
	return func(name string) bool { return doublestar.MatchUnvalidated(pattern, name) }, nil
}

// maxAlternatives bounds what a pattern like {a,b}{c,d} stands for: each may be tried with each name.
const maxAlternatives = 1000

// alternatives returns how many patterns without braces a pattern stands for, or somewhat more.
func alternatives(pattern string) int {
	all := 1
	var open []int // alternatives of the braces that are open
	for _, c := range pattern {
		switch last := len(open) - 1; {
		case c == '{':
			open = append(open, 1)
		case c == ',' && last >= 0:
			open[last]++
		case c == '}' && last >= 0:
			all = min(all*open[last], maxAlternatives+1)
			open = open[:last]
		}
	}
	return all
}
