package acp

// An MCPServerACPID names an MCPServerACP. Whoever keeps the server makes it up; nothing may be read from it.
//
// Unstable: not part of the specification yet.
type MCPServerACPID string

// An MCPRequestID names a request to an MCP server within the connection. It is not the id of the message that carries
// the request, and proxies leave it as it is.
//
// Unstable: not part of the specification yet.
type MCPRequestID string

// A MessageMCPRequest carries a request of the Model Context Protocol to the server that the client keeps. It needs
// MCPCapabilities.ACP.
//
// Unstable: not part of the specification yet.
type MessageMCPRequest struct {
	// ServerID says which server the request is for.
	ServerID MCPServerACPID `json:"serverId"`

	// RequestID is made up by the caller.
	RequestID MCPRequestID `json:"requestId"`

	// Method is the method of the request inside.
	Method string `json:"method"`

	// Params are the params of the request inside; nil if it has none.
	Params map[string]Raw `json:"params,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A MessageMCPResponse carries the answer of an MCP server. That the server could not be reached is an error of the
// message itself.
//
// Unstable: not part of the specification yet.
type MessageMCPResponse struct {
	Outcome MCPOutcome `json:"-" acp:"inline"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An MCPOutcome is how an MCP server answered: *MCPResult or *MCPFailure. What has both members is a result.
//
// Unstable: not part of the specification yet.
type MCPOutcome interface{ mcpOutcome() }

func (*MCPResult) mcpOutcome()  {}
func (*MCPFailure) mcpOutcome() {}

var _ = union[MCPOutcome]("").
	shape("result", &MCPResult{}).
	shape("error", &MCPFailure{})

// An MCPResult says that an MCP server answered with a result.
//
// Unstable: not part of the specification yet.
type MCPResult struct {
	// Result is any JSON, null included.
	Result Raw `json:"result"`

	Unknown Unknown `json:"-"`
}

// An MCPFailure says that an MCP server answered with an error.
//
// Unstable: not part of the specification yet.
type MCPFailure struct {
	Error MCPError `json:"error"`

	Unknown Unknown `json:"-"`
}

// An MCPError is an error of an MCP server. Its codes are not those of this protocol.
//
// Unstable: not part of the specification yet.
type MCPError struct {
	Code    int32  `json:"code"`
	Message string `json:"message"`

	// Data is anything more. Absent and null are not the same.
	Data Optional[Raw] `json:"data,omitzero"`

	Unknown Unknown `json:"-"`
}

// A MessageMCPNotification carries a notification of an MCP server about a request that is under way. It needs
// MCPCapabilities.ACP.
//
// Unstable: not part of the specification yet.
type MessageMCPNotification struct {
	// ServerID says which server the notification is from.
	ServerID MCPServerACPID `json:"serverId"`

	// RequestID says which request it is about.
	RequestID MCPRequestID `json:"requestId"`

	// Method is the method of the notification inside.
	Method string `json:"method"`

	// Params are the params of the notification inside; nil if it has none.
	Params map[string]Raw `json:"params,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
