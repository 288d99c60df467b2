package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// A change is a file's text before and after. The user is asked between the two, which can take long: if the file is
// another by then, nothing is written, since that is not what the user has agreed to.
type change struct {
	env   Env
	path  Path
	old   *string // nil if the file doesn't exist
	text  string
	known bool // old and text are set

	// whole is set if all of the file is replaced, so that what it held must have been seen.
	whole bool
}

// load reads the file, and finds the new text with make.
func (c *change) load(ctx context.Context, make func(old *string) (string, error)) error {
	old, err := c.read(ctx)
	if err != nil {
		return err
	}
	if old != nil {
		if err := c.changeable(*old); err != nil {
			return err
		}
	}
	text, err := make(old)
	switch {
	case err != nil:
		return err
	case len(text) > maxFile:
		return fmt.Errorf("%s would have %s, and %s is the most", c.path.Short, bytesText(int64(len(text))), bytesText(maxFile))
	}
	c.old, c.text, c.known = old, text, true
	return nil
}

// changeable says whether the file may be changed: it is text, and holds what the model believes that it holds.
func (c *change) changeable(old string) error {
	if err := unchangeable(old); err != nil {
		return fmt.Errorf("changing %s: %w", c.path.Short, err)
	}
	seen, same := c.env.Seen().compare(c.path, old)
	switch {
	case seen && !same:
		return fmt.Errorf("%s has changed since it was read: read it again; nothing was written", c.path.Short)
	case !seen && c.whole && old != "":
		return fmt.Errorf("%s is there already and has not been read: read it first; nothing was written", c.path.Short)
	}
	return nil
}

func (c *change) read(ctx context.Context) (*string, error) {
	text, err := c.env.ReadFile(ctx, c.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", c.path.Short, err)
	}
	return &text, nil
}

// diff is the change as people see it.
func (c *change) diff() []acp.ToolCallContent { return diffContent(c.path, c.old, c.text) }

// apply writes the new text, unless the file has changed since it was loaded.
func (c *change) apply(ctx context.Context) error {
	now, err := c.read(ctx)
	if err != nil {
		return err
	}
	if (now == nil) != (c.old == nil) || now != nil && *now != *c.old {
		return fmt.Errorf("%s has changed since this call looked at it; nothing was written", c.path.Short)
	}
	if err := c.env.WriteFile(ctx, c.path, c.text); err != nil {
		return fmt.Errorf("writing %s: %w", c.path.Short, err)
	}
	c.env.Seen().note(c.path, c.text)
	return nil
}

// result says what was written. The diff is part of it unless the preview has shown it.
func (c *change) result(summary string, previewed bool) *Result {
	r := &Result{Text: summary + "\n", Locations: []acp.ToolCallLocation{c.path.location(c.firstLine())}}
	if !previewed {
		r.Content = c.diff()
	}
	return r
}

// firstLine returns the first line that is different, or 0 for a new file.
func (c *change) firstLine() int {
	if c.old == nil {
		return 0
	}
	return 1 + strings.Count(sameStart(c.text, *c.old), "\n")
}

// job makes the job of a change, which a policy knows as a tool of its own.
func (c *change) job(kind, title string, make func(old *string) (string, error), summary func() string) *Job {
	return &Job{
		Title:     title,
		Locations: []acp.ToolCallLocation{c.path.location(0)},
		Call:      policy.Call{Tool: kind, Paths: c.path.files()},
		preview: func(ctx context.Context) ([]acp.ToolCallContent, error) {
			if err := c.load(ctx, make); err != nil {
				return nil, err
			}
			return c.diff(), nil
		},
		run: func(ctx context.Context) (*Result, error) {
			previewed := c.known
			if !previewed {
				if err := c.load(ctx, make); err != nil {
					return nil, err
				}
			}
			if err := c.apply(ctx); err != nil {
				return nil, err
			}
			return c.result(summary(), previewed), nil
		},
	}
}
