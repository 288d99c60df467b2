package tool

import (
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// Write returns the tool that writes a file.
func Write() *Tool {
	return define(Tool{
		Name: "write",
		Description: "Writes a text file: replaces all of it, or makes it and the folders that it is in. A file that exists has to be read first. " +
			"Its byte order mark is kept, and so are its line ends if all are CRLF and the text has none.",
		Kind: acp.ToolKindEdit,
	}, prepareWrite)
}

type writeInput struct {
	Path string `json:"path" minLength:"1" jsonschema:"The file, absolute or relative to the working directory."`
	Text string `json:"text" jsonschema:"The whole text."`
}

func prepareWrite(env Env, in writeInput) (*Job, error) {
	path, err := env.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	c := &change{env: env, path: path, whole: true}
	return c.job(policy.Write, "Write "+path.title(),
		func(old *string) (string, error) {
			if old == nil {
				return in.Text, nil
			}
			if n := countInvalid(*old); n > 0 {
				return "", fmt.Errorf("%s has bytes that are not UTF-8 (%d), which would be lost: edit it instead", path.Short, n)
			}
			return dressed(*old, in.Text), nil
		},
		func() string {
			verb := "Replaced"
			if c.old == nil {
				verb = "Wrote the new file"
			}
			return fmt.Sprintf("%s %s (%s)", verb, path.Short, count(len(c.text), "byte"))
		}), nil
}

// dressed gives a text what read doesn't show of the one that it replaces: the byte order mark and CRLF.
func dressed(old, text string) string {
	if endsOf(old) == endsCRLF && !strings.Contains(text, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if strings.HasPrefix(old, mark) && !strings.HasPrefix(text, mark) {
		text = mark + text
	}
	return text
}
