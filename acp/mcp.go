package acp

// An MCPServer is a server of the Model Context Protocol that a session can use: *MCPServerStdio, *MCPServerHTTP,
// *MCPServerSSE, *MCPServerACP, or *UnknownMCPServer for one that this package does not know. MCPCapabilities say which
// of them an agent can connect to.
//
// Spec: session-setup#mcp-servers.
type MCPServer interface{ mcpServer() }

func (*MCPServerStdio) mcpServer()   {}
func (*MCPServerHTTP) mcpServer()    {}
func (*MCPServerSSE) mcpServer()     {}
func (*MCPServerACP) mcpServer()     {}
func (*UnknownMCPServer) mcpServer() {}

var _ = union[MCPServer]("type").
	untagged(&MCPServerStdio{}).
	alias("stdio", &MCPServerStdio{}).
	variant("http", &MCPServerHTTP{}).
	variant("sse", &MCPServerSSE{}).
	variant("acp", &MCPServerACP{}).
	unknown(&UnknownMCPServer{})

// An MCPServerStdio is a program that the agent starts and talks to on its standard input and output. Every agent can.
type MCPServerStdio struct {
	// Name is the server's name, for people.
	Name string `json:"name"`

	// Command is the absolute path of the program.
	Command string `json:"command"`

	// Args are its arguments.
	Args []string `json:"args" acp:"nullable"`

	// Env is added to its environment.
	Env []EnvVariable `json:"env" acp:"nullable"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An MCPServerHTTP is a server behind streamable HTTP. It needs MCPCapabilities.HTTP.
type MCPServerHTTP struct {
	// Name is the server's name, for people.
	Name string `json:"name"`

	// URL is the server's endpoint.
	URL string `json:"url"`

	// Headers are sent with every request.
	Headers []HTTPHeader `json:"headers" acp:"nullable"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An MCPServerSSE is a server behind server-sent events, a transport that MCP has given up. It needs
// MCPCapabilities.SSE.
type MCPServerSSE struct {
	// Name is the server's name, for people.
	Name string `json:"name"`

	// URL is the server's endpoint.
	URL string `json:"url"`

	// Headers are sent with every request.
	Headers []HTTPHeader `json:"headers" acp:"nullable"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An MCPServerACP is a server that the client, or a proxy, keeps itself and that is talked to by mcp/message. It needs
// MCPCapabilities.ACP.
//
// Unstable: not part of the specification yet.
type MCPServerACP struct {
	// Name is the server's name, for people.
	Name string `json:"name"`

	// ServerID says which server an mcp/message is for. No two servers on a connection share it.
	ServerID MCPServerACPID `json:"serverId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownMCPServer is a server of a type that this package does not know. It is written as it was read.
type UnknownMCPServer struct {
	Type string
	Raw  Raw
}

// An HTTPHeader is a header of an HTTP request.
type HTTPHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
