package acp

// A ProtocolVersion numbers the protocol. It grows only when something breaks; everything else is added behind
// capabilities.
type ProtocolVersion uint16

// Version1 is the version that this package speaks.
const Version1 ProtocolVersion = 1

// An InitializeRequest is the first message of a connection: the client says which version of the protocol it would
// like to speak and what it can do for the agent.
//
// Spec: initialization.
type InitializeRequest struct {
	// ProtocolVersion is the newest version that the client speaks.
	ProtocolVersion ProtocolVersion `json:"protocolVersion"`

	// ClientCapabilities say what the agent may ask of the client. What is absent is not supported.
	ClientCapabilities ClientCapabilities `json:"clientCapabilities,omitzero" acp:"lenient"`

	// ClientInfo names the client's program. It is optional today and will be required in a later version.
	ClientInfo *Implementation `json:"clientInfo,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An InitializeResponse settles the version and says what the agent can do.
//
// Spec: initialization.
type InitializeResponse struct {
	// ProtocolVersion is the version that the client asked for if the agent speaks it, else the newest one that the
	// agent speaks. A client that does not speak the answer closes the connection.
	ProtocolVersion ProtocolVersion `json:"protocolVersion"`

	// AgentCapabilities say what the client may ask of the agent. What is absent is not supported.
	AgentCapabilities AgentCapabilities `json:"agentCapabilities,omitzero" acp:"lenient"`

	// AuthMethods are the ways to sign in, in the agent's order of preference. None means that there is nothing to
	// sign in to.
	AuthMethods []AuthMethod `json:"authMethods,omitzero" acp:"lenient,skip"`

	// AgentInfo names the agent's program. It is optional today and will be required in a later version.
	AgentInfo *Implementation `json:"agentInfo,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An Implementation names the program at one end of the connection.
type Implementation struct {
	// Name is the program's name for programs, and for people where Title is empty.
	Name string `json:"name"`

	// Title is the name to show to people.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Version is the program's version, such as "1.0.0", for logs and about boxes. Nothing may be derived from it.
	Version string `json:"version"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
