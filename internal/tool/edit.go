package tool

import (
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// Edit returns the tool that replaces parts of a file.
func Edit() *Tool {
	return define(Tool{
		Name: "edit",
		Description: "Replaces texts in a file. Each old text has to be there exactly as given, spaces included, and only once unless all is set: give enough of what is around it. " +
			"Several edits are made in their order, each on what the ones before it have made, and all or none. Line ends may be given as \\n, whatever the file's are. " +
			"A file that has changed since it was read has to be read again first.",
		Kind: acp.ToolKindEdit,
	}, prepareEdit)
}

type editInput struct {
	Path  string        `json:"path" minLength:"1" jsonschema:"The file, absolute or relative to the working directory."`
	Edits []replacement `json:"edits" minItems:"1" jsonschema:"What to replace."`
}

// A replacement is one edit.
type replacement struct {
	Old string `json:"old" minLength:"1" jsonschema:"The text to replace, without line numbers."`
	New string `json:"new" jsonschema:"What to put in its place."`
	All bool   `json:"all,omitzero" jsonschema:"Replace it wherever it is; the default is false."`
}

func prepareEdit(env Env, in editInput) (*Job, error) {
	for i, e := range in.Edits {
		if e.Old == e.New {
			return nil, fmt.Errorf("%sthe old and the new text are the same", edits(in.Edits).nth(i))
		}
	}
	path, err := env.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	places := 0
	replace := func(old *string) (text string, err error) {
		if old == nil {
			return "", fmt.Errorf("reading %s: %w", path.Short, ErrNotExist)
		}
		text, places, err = edits(in.Edits).apply(*old)
		if err != nil {
			return "", fmt.Errorf("%s: %w; nothing was written", path.Short, err)
		}
		return text, nil
	}
	c := &change{env: env, path: path}
	return c.job(policy.Edit, "Edit "+path.title(), replace, func() string {
		return fmt.Sprintf("Replaced %s in %s", count(places, "place"), path.Short)
	}), nil
}

// edits are made in their order, all or none.
type edits []replacement

// apply returns a text after all edits, and in how many places they changed it.
func (list edits) apply(text string) (string, int, error) {
	places := 0
	before := text
	for i, e := range list {
		found := find(text, e.Old)
		switch {
		case len(found.at) == 0:
			return "", 0, fmt.Errorf("%s%w", list.nth(i), notFound(text, e.Old))
		case len(found.at) > 1 && !e.All:
			return "", 0, fmt.Errorf("%s%w", list.nth(i), found.ambiguous(e.Old))
		case len(found.at) > maxPlaces:
			return "", 0, fmt.Errorf("%sit holds %q in more than %d places, which is too much for a tool", list.nth(i), clip(e.Old, 200), maxPlaces)
		case len(text)+len(found.at)*len(e.New) > 2*maxFile:
			return "", 0, fmt.Errorf("%sthe text would have more than %s", list.nth(i), bytesText(maxFile))
		}
		text = found.replace(e.New)
		places += len(found.at)
	}
	if text == before {
		return "", 0, errors.New("the edits change nothing")
	}
	return text, places, nil
}

// nth names an edit if there are several.
func (list edits) nth(i int) string {
	if len(list) == 1 {
		return ""
	}
	return fmt.Sprintf("edit %d of %d: ", i+1, len(list))
}
