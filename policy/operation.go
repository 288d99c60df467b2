package policy

import (
	"runtime"
	"strings"
)

// An Operation is a coarse word for what a call does, for people, for audits, and for agents whose permission requests
// say an operation and a resource instead of a tool and its input (S001.7).
type Operation string

// The operations.
const (
	OperationFileRead        Operation = "file_read"
	OperationFileWrite       Operation = "file_write"
	OperationFileDelete      Operation = "file_delete"
	OperationTerminalExecute Operation = "terminal_execute"
	OperationNetworkAccess   Operation = "network_access"
	OperationMCPTool         Operation = "mcp_tool"
	OperationOther           Operation = "other" // ours, for what is none of these
)

// Operation returns what the call does.
func (c *Call) Operation() Operation {
	switch {
	case c.mcp():
		return OperationMCPTool
	case c.Tool == Bash:
		return OperationTerminalExecute
	case readsFiles(c.Tool):
		return OperationFileRead
	case c.Tool == Delete:
		return OperationFileDelete
	case changesFiles(c.Tool):
		return OperationFileWrite
	case c.Tool == WebFetch, c.Tool == WebSearch:
		return OperationNetworkAccess
	}
	return OperationOther
}

// Resource returns what the operation is done to: the line of a command, the files, the address, the name of a tool.
func (c *Call) Resource() string {
	switch c.Operation() {
	case OperationTerminalExecute:
		return c.Command
	case OperationFileRead, OperationFileWrite, OperationFileDelete:
		return strings.Join(c.Paths, ", ")
	case OperationNetworkAccess:
		return c.URL
	case OperationMCPTool:
		return c.mcpName()
	}
	return c.Name
}

// FromOperation makes a Call of an operation and its resource. A tool of an MCP server is mcp__server__tool. What isn't
// understood is Unclear.
func FromOperation(p Place, o Operation, resource string) Call {
	c := Call{Place: p}
	switch o {
	case OperationFileRead:
		c.Tool = Read
	case OperationFileWrite:
		c.Tool = Write
	case OperationFileDelete:
		c.Tool = Delete
	case OperationTerminalExecute:
		c.Tool, c.Command, c.Foreign = Bash, resource, systemShell(runtime.GOOS, "")
	case OperationNetworkAccess:
		c.Tool, c.URL = WebFetch, resource
	case OperationMCPTool:
		if c.Name = resource; !c.mcp() {
			c.Unclear = "names no tool of a server: " + resource
		}
	default:
		c.Unclear = "is an operation that is not known: " + string(o)
	}
	switch {
	case strings.TrimSpace(resource) == "":
		c.Unclear = "does not say what it is about"
	case (readsFiles(c.Tool) || changesFiles(c.Tool)) && isAddress(fromURI(resource)):
		c.Unclear = "names a file by an address: " + resource
	case readsFiles(c.Tool) || changesFiles(c.Tool):
		c.Paths = []string{c.file(resource)}
	}
	return c
}

// file is a file as it was named, as an absolute path.
func (c *Call) file(name string) string {
	name = fromURI(name)
	if rest, ok := strings.CutPrefix(name, "~/"); ok && c.home() != "" {
		name = c.home() + "/" + rest
	}
	return absolute(c.dir(), name)
}
