package acp

// A ToolCallID names a tool call within a session.
type ToolCallID string

// A ToolCall announces that the model wants a tool to be run. What follows about it comes in ToolCallUpdates.
//
// Spec: tool-calls.
type ToolCall struct {
	ToolCallID ToolCallID `json:"toolCallId"`

	// Title says what the tool does here, for people: "Reading main.go".
	Title string `json:"title"`

	// Name is the tool's name for programs: "read_file".
	Name string `json:"name,omitzero" acp:"lenient"`

	// Kind says what sort of work it is, so that a client can choose an icon. Empty means ToolKindOther.
	Kind ToolKind `json:"kind,omitzero" acp:"lenient"`

	// Status says how far the call has come. Empty means ToolCallStatusPending.
	Status ToolCallStatus `json:"status,omitzero" acp:"lenient"`

	// Content is what the call has to show so far.
	Content []ToolCallContent `json:"content,omitzero" acp:"lenient,skip"`

	// Locations are the files that the call reads or changes, so that an editor can follow.
	Locations []ToolCallLocation `json:"locations,omitzero" acp:"lenient,skip"`

	// RawInput is the tool's arguments as the model wrote them.
	RawInput Raw `json:"rawInput,omitzero" acp:"lenient"`

	// RawOutput is the tool's result as the model reads it.
	RawOutput Raw `json:"rawOutput,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ToolCallUpdate changes a tool call. What is absent stays as it is; a list replaces the list before. Version 1 gives
// null no meaning of its own, so that a client leaves the member as it is, too; in version 2 it clears.
//
// Spec: tool-calls#updating.
type ToolCallUpdate struct {
	ToolCallID ToolCallID `json:"toolCallId"`

	// Title says what the tool does here, for people.
	Title Optional[string] `json:"title,omitzero" acp:"lenient"`

	// Name is the tool's name for programs.
	Name Optional[string] `json:"name,omitzero" acp:"lenient"`

	// Kind says what sort of work it is.
	Kind Optional[ToolKind] `json:"kind,omitzero" acp:"lenient"`

	// Status says how far the call has come.
	Status Optional[ToolCallStatus] `json:"status,omitzero" acp:"lenient"`

	// Content is all that the call has to show so far.
	Content Optional[[]ToolCallContent] `json:"content,omitzero" acp:"lenient,skip"`

	// Locations are all files that the call reads or changes.
	Locations Optional[[]ToolCallLocation] `json:"locations,omitzero" acp:"lenient,skip"`

	// RawInput is the tool's arguments as the model wrote them.
	RawInput Optional[Raw] `json:"rawInput,omitzero" acp:"lenient"`

	// RawOutput is the tool's result as the model reads it.
	RawOutput Optional[Raw] `json:"rawOutput,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ToolCallLocation is a file, and perhaps a line in it, that a tool call works on.
//
// Spec: tool-calls#following-the-agent.
type ToolCallLocation struct {
	// Path is an absolute path.
	Path string `json:"path"`

	// Line counts from 1; nil means the file as a whole.
	Line *uint32 `json:"line,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ToolKind says what sort of work a tool call is.
//
// Spec: tool-calls#creating.
type ToolKind string

// The kinds of tools.
const (
	ToolKindRead       ToolKind = "read"        // reads files or data
	ToolKindEdit       ToolKind = "edit"        // changes files or content
	ToolKindDelete     ToolKind = "delete"      // removes files or data
	ToolKindMove       ToolKind = "move"        // moves or renames files
	ToolKindSearch     ToolKind = "search"      // looks for something
	ToolKindExecute    ToolKind = "execute"     // runs a command or code
	ToolKindThink      ToolKind = "think"       // reasons or plans
	ToolKindFetch      ToolKind = "fetch"       // gets something from elsewhere
	ToolKindSwitchMode ToolKind = "switch_mode" // changes the session's mode
	ToolKindOther      ToolKind = "other"       // anything else; the default
)

var toolKinds = enum(ToolKindRead, ToolKindEdit, ToolKindDelete, ToolKindMove, ToolKindSearch, ToolKindExecute,
	ToolKindThink, ToolKindFetch, ToolKindSwitchMode, ToolKindOther)

// Known reports whether the protocol defines the kind.
func (k ToolKind) Known() bool { return toolKinds.has(k) }

// A ToolCallStatus says how far a tool call has come.
//
// Spec: tool-calls#status.
type ToolCallStatus string

// The statuses of a tool call, in the order they are passed through.
const (
	ToolCallStatusPending    ToolCallStatus = "pending"     // its input still streams, or it waits for permission; the default
	ToolCallStatusInProgress ToolCallStatus = "in_progress" // it runs
	ToolCallStatusCompleted  ToolCallStatus = "completed"   // it has succeeded
	ToolCallStatusFailed     ToolCallStatus = "failed"      // it has failed
)

var toolCallStatuses = enum(ToolCallStatusPending, ToolCallStatusInProgress, ToolCallStatusCompleted, ToolCallStatusFailed)

// Known reports whether the protocol defines the status.
func (s ToolCallStatus) Known() bool { return toolCallStatuses.has(s) }

// Final reports whether a call with this status is over.
func (s ToolCallStatus) Final() bool {
	return s == ToolCallStatusCompleted || s == ToolCallStatusFailed
}
