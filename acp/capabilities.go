package acp

// Many capabilities are objects without members of their own today: a pointer to an empty struct advertises the
// capability, nil does not. Plain booleans are false unless the peer says otherwise.

// ClientCapabilities are what an agent may ask of its client, or send to it.
//
// Spec: initialization#client-capabilities.
type ClientCapabilities struct {
	// FS says which fs/* methods the client serves.
	FS FileSystemCapabilities `json:"fs,omitzero" acp:"lenient"`

	// Terminal says that the client serves all terminal/* methods.
	Terminal bool `json:"terminal,omitzero" acp:"lenient"`

	// Session lists what the client understands within sessions beyond the baseline.
	Session *ClientSessionCapabilities `json:"session,omitzero" acp:"lenient"`

	// Subagents says that the client understands child sessions: subagent_update, session_message and the rules that
	// restrict such sessions.
	//
	// Unstable: not part of the specification yet.
	Subagents *SubagentCapabilities `json:"subagents,omitzero" acp:"lenient"`

	// Plan says that the client understands plan_update and plan_removed.
	//
	// Unstable: not part of the specification yet.
	Plan *PlanCapabilities `json:"plan,omitzero" acp:"lenient"`

	// Auth says which kinds of authentication the agent may offer.
	Auth AuthCapabilities `json:"auth,omitzero" acp:"lenient"`

	// Elicitation says in which ways the agent may ask the user for input.
	Elicitation *ElicitationCapabilities `json:"elicitation,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// FileSystemCapabilities say which file methods a client serves. Both are false by default.
//
// Spec: initialization#file-system.
type FileSystemCapabilities struct {
	// ReadTextFile stands for fs/read_text_file.
	ReadTextFile bool `json:"readTextFile,omitzero" acp:"lenient"`

	// WriteTextFile stands for fs/write_text_file.
	WriteTextFile bool `json:"writeTextFile,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// ClientSessionCapabilities are what a client understands within sessions beyond the baseline.
type ClientSessionCapabilities struct {
	// Compaction stands for compaction_update and compaction_summary_chunk.
	Compaction *CompactionCapabilities `json:"compaction,omitzero" acp:"lenient"`

	// ConfigOptions lists the kinds of configuration options that the client understands beyond selects.
	ConfigOptions *SessionConfigOptionsCapabilities `json:"configOptions,omitzero" acp:"lenient"`

	// Notices stands for notice updates.
	Notices *NoticeCapabilities `json:"notices,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionConfigOptionsCapabilities are the kinds of configuration options that a client understands beyond selects.
type SessionConfigOptionsCapabilities struct {
	// Boolean stands for options of type "boolean", and for session/set_config_option with a boolean value.
	Boolean *BooleanConfigOptionCapabilities `json:"boolean,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// BooleanConfigOptionCapabilities advertise, by being there, that the client understands boolean options.
type BooleanConfigOptionCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// CompactionCapabilities advertise, by being there, that the client understands updates about compactions.
type CompactionCapabilities struct {
	Unknown Unknown `json:"-"`
}

// NoticeCapabilities advertise, by being there, that the client can show notices to the user.
type NoticeCapabilities struct {
	Unknown Unknown `json:"-"`
}

// SubagentCapabilities advertise, by being there, that the client understands child sessions.
//
// Unstable: not part of the specification yet.
type SubagentCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// PlanCapabilities advertise, by being there, that the client understands plan_update and plan_removed.
//
// Unstable: not part of the specification yet.
type PlanCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// AuthCapabilities are the kinds of authentication that need the client's help and that it can give.
type AuthCapabilities struct {
	// Terminal says that the client can run the agent's program in an interactive terminal, so that the agent may
	// offer an AuthMethodTerminal.
	Terminal bool `json:"terminal,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// ElicitationCapabilities are the ways in which an agent may ask the user for input. An object with neither way
// advertises nothing.
type ElicitationCapabilities struct {
	// Form stands for forms that the client shows, ElicitationFormMode.
	Form *ElicitationFormCapabilities `json:"form,omitzero" acp:"lenient"`

	// URL stands for pages that the client opens in a browser, ElicitationURLMode, and for elicitation/complete.
	URL *ElicitationURLCapabilities `json:"url,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// Allow reports whether a request in this mode may be sent. Modes that the protocol does not define are never
// advertised, so they are not allowed.
func (c *ElicitationCapabilities) Allow(mode ElicitationMode) bool {
	if c == nil {
		return false
	}
	switch mode.(type) {
	case *ElicitationFormMode:
		return c.Form != nil
	case *ElicitationURLMode:
		return c.URL != nil
	}
	return false
}

// ElicitationFormCapabilities advertise, by being there, that the client can show forms.
type ElicitationFormCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// ElicitationURLCapabilities advertise, by being there, that the client can send the user to a page.
type ElicitationURLCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
