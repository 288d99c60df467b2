package acp

// A SessionNotification, method session/update, says what happens in a session: what the agent says and thinks, which
// tools it runs, what it plans, and how the session changes. Updates of a session come in order, during turns and
// between them.
//
// Spec: prompt-turn#3-agent-reports-output.
type SessionNotification struct {
	SessionID SessionID     `json:"sessionId"`
	Update    SessionUpdate `json:"update"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionUpdate is one thing that happened in a session: *UserMessageChunk, *AgentMessageChunk, *AgentThoughtChunk,
// *ToolCall, *ToolCallUpdate, *Plan, *AvailableCommandsUpdate, *CurrentModeUpdate, *ConfigOptionUpdate,
// *SessionInfoUpdate, *UsageUpdate, *Notice, *CompactionUpdate, *CompactionSummaryChunk, or *UnknownUpdate for one that
// this package does not know. The unstable ones are *PlanUpdate, *PlanRemoved, *SubagentUpdate, *SessionMessage and
// *SessionMessageChunk. AgentText, AgentThought and UserText build the commonest.
type SessionUpdate interface{ sessionUpdate() }

func (*UserMessageChunk) sessionUpdate()        {}
func (*AgentMessageChunk) sessionUpdate()       {}
func (*AgentThoughtChunk) sessionUpdate()       {}
func (*ToolCall) sessionUpdate()                {}
func (*ToolCallUpdate) sessionUpdate()          {}
func (*Plan) sessionUpdate()                    {}
func (*PlanUpdate) sessionUpdate()              {}
func (*PlanRemoved) sessionUpdate()             {}
func (*AvailableCommandsUpdate) sessionUpdate() {}
func (*CurrentModeUpdate) sessionUpdate()       {}
func (*ConfigOptionUpdate) sessionUpdate()      {}
func (*SessionInfoUpdate) sessionUpdate()       {}
func (*UsageUpdate) sessionUpdate()             {}
func (*Notice) sessionUpdate()                  {}
func (*CompactionUpdate) sessionUpdate()        {}
func (*CompactionSummaryChunk) sessionUpdate()  {}
func (*SubagentUpdate) sessionUpdate()          {}
func (*SessionMessage) sessionUpdate()          {}
func (*SessionMessageChunk) sessionUpdate()     {}
func (*UnknownUpdate) sessionUpdate()           {}

var _ = union[SessionUpdate]("sessionUpdate").
	variant("user_message_chunk", &UserMessageChunk{}).
	variant("agent_message_chunk", &AgentMessageChunk{}).
	variant("agent_thought_chunk", &AgentThoughtChunk{}).
	variant("tool_call", &ToolCall{}).
	shared("tool_call_update", &ToolCallUpdate{}).
	variant("plan", &Plan{}).
	variant("plan_update", &PlanUpdate{}).
	variant("plan_removed", &PlanRemoved{}).
	variant("available_commands_update", &AvailableCommandsUpdate{}).
	variant("current_mode_update", &CurrentModeUpdate{}).
	variant("config_option_update", &ConfigOptionUpdate{}).
	variant("session_info_update", &SessionInfoUpdate{}).
	variant("usage_update", &UsageUpdate{}).
	variant("notice", &Notice{}).
	variant("compaction_update", &CompactionUpdate{}).
	variant("compaction_summary_chunk", &CompactionSummaryChunk{}).
	variant("subagent_update", &SubagentUpdate{}).
	variant("session_message", &SessionMessage{}).
	variant("session_message_chunk", &SessionMessageChunk{}).
	unknown(&UnknownUpdate{})

// An UnknownUpdate is an update of a type that this package does not know. It is written as it was read.
type UnknownUpdate struct {
	Type string
	Raw  Raw
}

// A UserMessageChunk is a piece of a message of the user, as an agent repeats it when a session is loaded or when
// somebody else wrote it.
type UserMessageChunk struct {
	Content ContentBlock `json:"content"`

	// MessageID is the same for all chunks of a message; another one begins another message. Empty means that the
	// agent does not say where messages begin.
	MessageID MessageID `json:"messageId,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AgentMessageChunk is a piece of what the agent says to the user.
type AgentMessageChunk struct {
	Content ContentBlock `json:"content"`

	// MessageID is the same for all chunks of a message; another one begins another message. Empty means that the
	// agent does not say where messages begin.
	MessageID MessageID `json:"messageId,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AgentThoughtChunk is a piece of the agent's reasoning.
type AgentThoughtChunk struct {
	Content ContentBlock `json:"content"`

	// MessageID is the same for all chunks of a thought; another one begins another thought. Empty means that the
	// agent does not say where thoughts begin.
	MessageID MessageID `json:"messageId,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionInfoUpdate changes what a client shows about a session. What is absent stays as it is, null clears.
type SessionInfoUpdate struct {
	// Title says what the session is about, for people.
	Title Optional[string] `json:"title,omitzero" acp:"lenient"`

	// UpdatedAt is the time of the last activity, in ISO 8601.
	UpdatedAt Optional[string] `json:"updatedAt,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
