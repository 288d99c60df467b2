package acp

// A SessionID names a session: a conversation with its own history and state. The agent makes it up; nothing may be
// read from it.
//
// Spec: session-setup#session-id.
type SessionID string

// A NewSessionRequest starts a session.
//
// Spec: session-setup#creating-a-session.
type NewSessionRequest struct {
	// CWD is the session's working directory, an absolute path. Relative paths are meant from here.
	CWD string `json:"cwd"`

	// AdditionalDirectories are more absolute paths that the session may work in. They need
	// SessionCapabilities.AdditionalDirectories.
	AdditionalDirectories []string `json:"additionalDirectories,omitzero" acp:"nullable"`

	// MCPServers are the servers that the agent connects to for this session. Those that are not MCPServerStdio need
	// MCPCapabilities.
	MCPServers []MCPServer `json:"mcpServers" acp:"nullable"`

	// SystemPrompt gives the agent instructions beyond its own. It needs SessionCapabilities.SystemPrompt.
	//
	// Unstable: not part of the specification yet.
	SystemPrompt *SystemPrompt `json:"systemPrompt,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A NewSessionResponse names the session that was started.
type NewSessionResponse struct {
	SessionID SessionID `json:"sessionId"`

	// Modes are the session's modes, nil if the agent has none.
	Modes *SessionModeState `json:"modes,omitzero" acp:"lenient"`

	// ConfigOptions are the session's options, in the agent's order.
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A LoadSessionRequest opens a saved session and has its history sent as updates before the answer. It needs
// AgentCapabilities.LoadSession.
//
// Spec: session-setup#loading-sessions.
type LoadSessionRequest struct {
	SessionID SessionID `json:"sessionId"`

	// CWD is the session's working directory, an absolute path.
	CWD string `json:"cwd"`

	// AdditionalDirectories are all further absolute paths that the session may work in, whatever it had before.
	AdditionalDirectories []string `json:"additionalDirectories,omitzero" acp:"nullable"`

	// MCPServers are the servers that the agent connects to for this session.
	MCPServers []MCPServer `json:"mcpServers" acp:"nullable"`

	// SystemPrompt should be what the session was created with. If it is nil, the agent takes what it saved, or its
	// own instructions. It needs SessionCapabilities.SystemPrompt.
	//
	// Unstable: not part of the specification yet.
	SystemPrompt *SystemPrompt `json:"systemPrompt,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A LoadSessionResponse ends the replay of a session's history.
type LoadSessionResponse struct {
	// Modes are the session's modes, nil if the agent has none.
	Modes *SessionModeState `json:"modes,omitzero" acp:"lenient"`

	// ConfigOptions are the session's options, in the agent's order.
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ResumeSessionRequest opens a saved session without sending its history. It needs SessionCapabilities.Resume.
type ResumeSessionRequest struct {
	SessionID SessionID `json:"sessionId"`

	// CWD is the session's working directory, an absolute path.
	CWD string `json:"cwd"`

	// AdditionalDirectories are all further absolute paths that the session may work in, whatever it had before.
	AdditionalDirectories []string `json:"additionalDirectories,omitzero" acp:"nullable"`

	// MCPServers are the servers that the agent connects to for this session.
	MCPServers []MCPServer `json:"mcpServers,omitzero" acp:"nullable"`

	// SystemPrompt should be what the session was created with. If it is nil, the agent takes what it saved, or its
	// own instructions. It needs SessionCapabilities.SystemPrompt.
	//
	// Unstable: not part of the specification yet.
	SystemPrompt *SystemPrompt `json:"systemPrompt,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ResumeSessionResponse says that the session is open.
type ResumeSessionResponse struct {
	// Modes are the session's modes, nil if the agent has none.
	Modes *SessionModeState `json:"modes,omitzero" acp:"lenient"`

	// ConfigOptions are the session's options, in the agent's order.
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ForkSessionRequest starts a session that begins with the history of another one, which stays as it is. It needs
// SessionCapabilities.Fork.
//
// Unstable: not part of the specification yet.
type ForkSessionRequest struct {
	// SessionID names the session to start from.
	SessionID SessionID `json:"sessionId"`

	// CWD is the new session's working directory, an absolute path.
	CWD string `json:"cwd"`

	// AdditionalDirectories are all further absolute paths that the new session may work in.
	AdditionalDirectories []string `json:"additionalDirectories,omitzero" acp:"nullable"`

	// MCPServers are the servers that the agent connects to for the new session.
	MCPServers []MCPServer `json:"mcpServers,omitzero" acp:"nullable"`

	// SystemPrompt should be what the other session was created with. If it is nil, the agent takes what it saved, or
	// its own instructions. It needs SessionCapabilities.SystemPrompt.
	//
	// Unstable: not part of the specification yet.
	SystemPrompt *SystemPrompt `json:"systemPrompt,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ForkSessionResponse names the session that was started.
//
// Unstable: not part of the specification yet.
type ForkSessionResponse struct {
	SessionID SessionID `json:"sessionId"`

	// Modes are the new session's modes, nil if the agent has none.
	Modes *SessionModeState `json:"modes,omitzero" acp:"lenient"`

	// ConfigOptions are the new session's options, in the agent's order.
	ConfigOptions []SessionConfigOption `json:"configOptions,omitzero" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A CloseSessionRequest cancels what a session is doing and frees what it holds. It needs SessionCapabilities.Close.
type CloseSessionRequest struct {
	SessionID SessionID `json:"sessionId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A CloseSessionResponse says that the session is closed.
type CloseSessionResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
