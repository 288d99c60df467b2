package tool

import (
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// Write returns the tool that writes a file.
func Write() *Tool {
	return define(Tool{
		Name:        "write",
		Description: "Writes a text file: replaces all of it, or makes it and the folders that it is in.",
		Kind:        acp.ToolKindEdit,
		Asks:        true,
		Schema: acp.Raw(`{"type":"object","required":["path","text"],"properties":{` +
			`"path":{"type":"string","description":"The file, absolute or relative to the working directory."},` +
			`"text":{"type":"string","description":"The whole text."}}}`),
	}, prepareWrite)
}

type writeInput struct {
	Path string  `json:"path"`
	Text *string `json:"text"`
}

func prepareWrite(env Env, in writeInput) (*Job, error) {
	if in.Text == nil {
		return nil, fmt.Errorf("the input of write has no text")
	}
	path, err := env.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	c := &change{env: env, path: path}
	return c.job("Write "+path.Short,
		func(*string) (string, error) { return *in.Text, nil },
		func() string {
			verb := "Replaced"
			if c.old == nil {
				verb = "Wrote the new file"
			}
			return fmt.Sprintf("%s %s (%s)", verb, path.Short, count(len(c.text), "byte"))
		}), nil
}
