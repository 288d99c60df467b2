package acp

// AgentCapabilities are what a client may ask of its agent, or send to it. Every agent serves session/new,
// session/prompt and session/cancel; the rest is here.
//
// Spec: initialization#agent-capabilities.
type AgentCapabilities struct {
	// LoadSession stands for session/load.
	LoadSession bool `json:"loadSession,omitzero" acp:"lenient"`

	// PromptCapabilities say which content a prompt may hold.
	PromptCapabilities PromptCapabilities `json:"promptCapabilities,omitzero" acp:"lenient"`

	// MCPCapabilities say which kinds of MCP servers the agent can connect to, beyond stdio.
	MCPCapabilities MCPCapabilities `json:"mcpCapabilities,omitzero" acp:"lenient"`

	// SessionCapabilities say which session/* methods the agent serves beyond the baseline.
	SessionCapabilities SessionCapabilities `json:"sessionCapabilities,omitzero" acp:"lenient"`

	// Auth says which methods about authentication the agent serves.
	Auth AgentAuthCapabilities `json:"auth,omitzero" acp:"lenient"`

	// Providers stands for the providers/* methods.
	//
	// Unstable: not part of the specification yet.
	Providers *ProvidersCapabilities `json:"providers,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// PromptCapabilities say which content blocks a prompt may hold beyond text and resource links, which every agent
// takes. All are false by default.
//
// Spec: initialization#prompt-capabilities.
type PromptCapabilities struct {
	// Image stands for ImageContent.
	Image bool `json:"image,omitzero" acp:"lenient"`

	// Audio stands for AudioContent.
	Audio bool `json:"audio,omitzero" acp:"lenient"`

	// EmbeddedContext stands for EmbeddedResource.
	EmbeddedContext bool `json:"embeddedContext,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// Allow reports whether a prompt may hold this block. Blocks that the protocol does not define are not allowed.
func (c PromptCapabilities) Allow(block ContentBlock) bool {
	switch block.(type) {
	case *TextContent, *ResourceLink:
		return true
	case *ImageContent:
		return c.Image
	case *AudioContent:
		return c.Audio
	case *EmbeddedResource:
		return c.EmbeddedContext
	}
	return false
}

// MCPCapabilities say which kinds of MCP servers an agent can connect to beyond stdio, which every agent can. All are
// false by default.
type MCPCapabilities struct {
	// HTTP stands for MCPServerHTTP.
	HTTP bool `json:"http,omitzero" acp:"lenient"`

	// SSE stands for MCPServerSSE.
	SSE bool `json:"sse,omitzero" acp:"lenient"`

	// ACP stands for MCPServerACP.
	//
	// Unstable: not part of the specification yet.
	ACP bool `json:"acp,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// Allow reports whether a session may be given this MCP server. Kinds that the protocol does not define are not
// allowed.
func (c MCPCapabilities) Allow(server MCPServer) bool {
	switch server.(type) {
	case *MCPServerStdio:
		return true
	case *MCPServerHTTP:
		return c.HTTP
	case *MCPServerSSE:
		return c.SSE
	case *MCPServerACP:
		return c.ACP
	}
	return false
}

// SessionCapabilities say which session/* methods and members an agent serves beyond the baseline. (session/load is
// advertised by AgentCapabilities.LoadSession.)
//
// Spec: initialization#session-capabilities.
type SessionCapabilities struct {
	// List stands for session/list.
	List *SessionListCapabilities `json:"list,omitzero" acp:"lenient"`

	// Delete stands for session/delete.
	Delete *SessionDeleteCapabilities `json:"delete,omitzero" acp:"lenient"`

	// AdditionalDirectories stands for the member of that name in the requests that start a session.
	AdditionalDirectories *SessionAdditionalDirectoriesCapabilities `json:"additionalDirectories,omitzero" acp:"lenient"`

	// SystemPrompt stands for the member of that name in the requests that start a session.
	//
	// Unstable: not part of the specification yet.
	SystemPrompt *SessionSystemPromptCapabilities `json:"systemPrompt,omitzero" acp:"lenient"`

	// Fork stands for session/fork.
	//
	// Unstable: not part of the specification yet.
	Fork *SessionForkCapabilities `json:"fork,omitzero" acp:"lenient"`

	// Archive stands for session/archive, session/unarchive, ListSessionsRequest.Archived and SessionInfo.Archived. It
	// comes with List.
	//
	// Unstable: not part of the specification yet.
	Archive *SessionArchiveCapabilities `json:"archive,omitzero" acp:"lenient"`

	// Status stands for session/status.
	//
	// Unstable: not part of the specification yet.
	Status *SessionStatusCapabilities `json:"status,omitzero" acp:"lenient"`

	// Title stands for session/set_title. Agents report titles without it.
	//
	// Unstable: not part of the specification yet.
	Title *SessionTitleCapabilities `json:"title,omitzero" acp:"lenient"`

	// Resume stands for session/resume.
	Resume *SessionResumeCapabilities `json:"resume,omitzero" acp:"lenient"`

	// Close stands for session/close.
	Close *SessionCloseCapabilities `json:"close,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionListCapabilities advertise session/list by being there.
type SessionListCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionDeleteCapabilities advertise session/delete by being there.
type SessionDeleteCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionAdditionalDirectoriesCapabilities advertise additional directories by being there.
type SessionAdditionalDirectoriesCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionSystemPromptCapabilities advertise, by being there, that the client may send a system prompt to be appended
// to the agent's own.
//
// Unstable: not part of the specification yet.
type SessionSystemPromptCapabilities struct {
	// Mode lists the ways of delivery beyond appending. Nil means that there are none.
	Mode *SessionSystemPromptModeCapabilities `json:"mode,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// Allow reports whether a session may be given a system prompt in this mode.
func (c *SessionSystemPromptCapabilities) Allow(mode SystemPromptMode) bool {
	switch {
	case c == nil:
		return false
	case mode == SystemPromptModeOverride:
		return c.Mode != nil && c.Mode.Override != nil
	}
	return mode == SystemPromptModeAppend
}

// SessionSystemPromptModeCapabilities list the ways in which a system prompt may be delivered beyond appending.
//
// Unstable: not part of the specification yet.
type SessionSystemPromptModeCapabilities struct {
	// Override stands for SystemPromptModeOverride.
	Override *SessionSystemPromptOverrideCapabilities `json:"override,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionSystemPromptOverrideCapabilities advertise, by being there, that a system prompt may replace the agent's own.
//
// Unstable: not part of the specification yet.
type SessionSystemPromptOverrideCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionForkCapabilities advertise session/fork by being there.
//
// Unstable: not part of the specification yet.
type SessionForkCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionArchiveCapabilities advertise session/archive and session/unarchive by being there.
//
// Unstable: not part of the specification yet.
type SessionArchiveCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionStatusCapabilities advertise session/status by being there.
//
// Unstable: not part of the specification yet.
type SessionStatusCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionTitleCapabilities advertise session/set_title by being there.
//
// Unstable: not part of the specification yet.
type SessionTitleCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionResumeCapabilities advertise session/resume by being there.
type SessionResumeCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionCloseCapabilities advertise session/close by being there.
type SessionCloseCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// AgentAuthCapabilities say which methods about authentication an agent serves.
type AgentAuthCapabilities struct {
	// Status stands for auth/status, and for auth/status_update in the other direction.
	//
	// Unstable: not part of the specification yet.
	Status *AuthStatusCapabilities `json:"status,omitzero" acp:"lenient"`

	// Logout stands for logout.
	Logout *LogoutCapabilities `json:"logout,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// AuthStatusCapabilities advertise auth/status by being there.
//
// Unstable: not part of the specification yet.
type AuthStatusCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// LogoutCapabilities advertise logout by being there.
type LogoutCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// ProvidersCapabilities advertise the providers/* methods by being there.
//
// Unstable: not part of the specification yet.
type ProvidersCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
