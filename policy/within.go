package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// Within reports whether a call does no more than another one that was asked about: the same command in the same folder, or
// the same files and none beside. An agent that has asked for a tool call, and then has the client write the file or run the
// command, is not asked about a second time. What is unclear is within nothing.
func (c Call) Within(asked Call) bool {
	if c.Unclear != "" || asked.Unclear != "" || c.Foreign != asked.Foreign || c.mcp() || asked.mcp() {
		return false
	}
	switch {
	case c.Tool == Bash:
		return asked.Tool == Bash && c.Command != "" && c.Command == asked.Command &&
			filepath.Clean(c.dir()) == filepath.Clean(asked.dir())
	case readsFiles(c.Tool):
		return (readsFiles(asked.Tool) || changesFiles(asked.Tool)) && c.onlyFilesOf(asked)
	case changesFiles(c.Tool):
		return changesFiles(asked.Tool) && c.onlyFilesOf(asked)
	}
	return false
}

func (c *Call) onlyFilesOf(asked Call) bool {
	for _, path := range c.Paths {
		if !slices.ContainsFunc(asked.Paths, func(p string) bool { return p == path }) {
			return false
		}
	}
	return len(c.Paths) > 0
}

// drawsNothing reports whether a variable does nothing but keep a command from drawing or from asking somebody who isn't there. Agents
// give such to every command, and rules need not name them.
func drawsNothing(v acp.EnvVariable) bool {
	switch v.Name {
	case "PAGER", "GIT_PAGER", "MANPAGER":
		return v.Value == "cat" || v.Value == ""
	case "GIT_TERMINAL_PROMPT":
		return v.Value == "0"
	case "NO_COLOR":
		return true
	case "TERM":
		return v.Value == "dumb" || strings.HasPrefix(v.Value, "xterm") && !strings.ContainsAny(v.Value, "/.")
	}
	return false
}
