package acp

// A SystemPrompt gives an agent instructions for a whole session. An agent that can't follow it refuses to start the
// session.
//
// Unstable: not part of the specification yet.
type SystemPrompt struct {
	// Mode says what becomes of the agent's own instructions.
	Mode SystemPromptMode `json:"mode"`

	// Content is the prompt: at least one block, and only text for now.
	Content []ContentBlock `json:"content"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SystemPromptMode says what becomes of the agent's own instructions. An agent refuses a mode that it does not know.
//
// Unstable: not part of the specification yet.
type SystemPromptMode string

// The modes of a system prompt.
const (
	SystemPromptModeAppend   SystemPromptMode = "append"   // the prompt is added to them
	SystemPromptModeOverride SystemPromptMode = "override" // the prompt replaces them; tools, permissions and context stay
)

var systemPromptModes = enum(SystemPromptModeAppend, SystemPromptModeOverride)

// Known reports whether the protocol defines the mode.
func (m SystemPromptMode) Known() bool { return systemPromptModes.has(m) }
