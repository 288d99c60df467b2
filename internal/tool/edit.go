package tool

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// Edit returns the tool that replaces part of a file.
func Edit() *Tool {
	return define(Tool{
		Name:        "edit",
		Description: "Replaces a text in a file. The text has to be there exactly as given, line ends and spaces included, and only once unless all is set.",
		Kind:        acp.ToolKindEdit,
		Asks:        true,
		Schema: acp.Raw(`{"type":"object","required":["path","old","new"],"properties":{` +
			`"path":{"type":"string","description":"The file, absolute or relative to the working directory."},` +
			`"old":{"type":"string","minLength":1,"description":"The text to replace."},` +
			`"new":{"type":"string","description":"What to put in its place."},` +
			`"all":{"type":"boolean","description":"Replace it wherever it is; the default is false."}}}`),
	}, prepareEdit)
}

type editInput struct {
	Path string  `json:"path"`
	Old  string  `json:"old"`
	New  *string `json:"new"`
	All  bool    `json:"all"`
}

func prepareEdit(env Env, in editInput) (*Job, error) {
	switch {
	case in.Old == "":
		return nil, errors.New("the input of edit has no old text")
	case in.New == nil:
		return nil, errors.New("the input of edit has no new text")
	case in.Old == *in.New:
		return nil, errors.New("the old and the new text are the same")
	}
	path, err := env.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	n := 0
	replace := func(old *string) (text string, err error) {
		if old == nil {
			return "", fmt.Errorf("reading %s: %w", path.Short, ErrNotExist)
		}
		n = strings.Count(*old, in.Old)
		switch {
		case n == 0:
			return "", fmt.Errorf("%s doesn't hold %q", path.Short, clip(in.Old, 200))
		case n > 1 && !in.All:
			return "", fmt.Errorf("%s holds %q in %d places; give more of the text around it", path.Short, clip(in.Old, 200), n)
		}
		return strings.ReplaceAll(*old, in.Old, *in.New), nil
	}
	c := &change{env: env, path: path}
	return c.job("Edit "+path.Short, replace, func() string {
		return fmt.Sprintf("Replaced %s in %s", count(n, "place"), path.Short)
	}), nil
}
