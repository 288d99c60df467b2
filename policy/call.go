package policy

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Place is where calls are judged: the session that they belong to, and the folders that it works in.
type Place struct {
	// Session is the session of the call. Grants for a session hold in it alone; empty is no session.
	Session acp.SessionID `json:"session,omitzero"`

	// CWD is the session's folder, an absolute path. Patterns for paths begin there, and grants for a workspace hold in
	// sessions that have the same one.
	CWD string `json:"cwd"`

	// Roots are the folders that the session may work in, absolute paths. Empty means CWD alone.
	Roots []string `json:"roots,omitzero"`

	// Home is what ~ stands for. Empty means the user's home.
	Home string `json:"home,omitzero"`
}

func (p Place) home() string {
	if p.Home != "" {
		return p.Home
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

func (p Place) roots() []string {
	if len(p.Roots) == 0 && p.CWD != "" {
		return []string{p.CWD}
	}
	return p.Roots
}

// A Call is what a tool call wants, whichever agent makes it. FromToolCall makes one of what an agent sends.
type Call struct {
	Place

	// Tool is one of Bash, Read, … as named above, or empty for an MCP tool and for one that isn't known.
	Tool string `json:"tool,omitzero"`

	// Name is the tool's name in its agent, as far as it is known.
	Name string `json:"name,omitzero"`

	// Kind is what the agent says about the sort of work.
	Kind acp.ToolKind `json:"kind,omitzero"`

	// Command is the line that Bash gives to the shell.
	Command string `json:"command,omitzero"`

	// Dir is the folder that a command runs in, an absolute path. Empty means CWD.
	Dir string `json:"dir,omitzero"`

	// Foreign names the shell, where it is none that reads lines as POSIX says: cmd, powershell. Such a line is not
	// understood, and asked about.
	Foreign string `json:"foreign,omitzero"`

	// Sandboxed is set where something holds the command inside the roots, whatever it does there. Grants that were given for
	// such commands hold for them alone.
	Sandboxed bool `json:"sandboxed,omitzero"`

	// Paths are the files or folders that the call reads or changes, absolute. Whoever makes a Call by hand, and has
	// access to the files, gives real paths: a link inside the roots may lead out of them. See also Policy.Real.
	Paths []string `json:"paths,omitzero"`

	// URL is what WebFetch gets. Whoever follows redirections asks about each.
	URL string `json:"url,omitzero"`

	// Server and ServerTool are the MCP server and its tool. Where an agent sends them as one name, mcp__server__tool,
	// that can't be taken apart for sure, Name has it and these are empty.
	Server     string `json:"server,omitzero"`
	ServerTool string `json:"serverTool,omitzero"`

	// Unclear says why the call isn't understood, if it is not. No rule with a pattern allows such a call.
	Unclear string `json:"unclear,omitzero"`
}

func (c *Call) dir() string {
	if c.Dir != "" {
		return c.Dir
	}
	return c.CWD
}

// mcp reports whether the call is one of an MCP server's tool.
func (c *Call) mcp() bool {
	return c.Server != "" || strings.HasPrefix(c.Name, mcpPrefix)
}

// mcpName is the tool's whole name: mcp__server__tool.
func (c *Call) mcpName() string {
	if c.Server == "" {
		return c.Name
	}
	return mcpPrefix + c.Server + "__" + c.ServerTool
}

// String says in one line what the call wants.
func (c *Call) String() string {
	switch {
	case c.mcp():
		return c.mcpName()
	case c.Tool == Bash:
		return "Bash(" + c.Command + ")"
	case c.URL != "":
		return c.Tool + "(" + c.URL + ")"
	case c.Tool == "":
		return "Tool(" + c.Name + ")"
	case len(c.Paths) > 0:
		return c.Tool + "(" + strings.Join(c.Paths, ", ") + ")"
	}
	return c.Tool
}

// absolute joins a path to a folder. It cleans nothing: ".." means something else behind a link. What is neither absolute
// nor relative, such as /c/x or C:x on Windows, stays as it is, which is then a path that can't be known.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) || dir == "" || path == "" || path[0] == '/' || path[0] == filepath.Separator || filepath.VolumeName(path) != "" {
		return path
	}
	return dir + string(filepath.Separator) + path
}

// below reports whether a clean absolute path is the folder or in it.
func below(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
