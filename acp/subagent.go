package acp

// A SubagentUpdate says that the session has a child session, or what has changed about it. It is sent on the parent,
// before anything of the child. What is absent stays as it is, null clears. It needs ClientCapabilities.Subagents.
//
// Unstable: not part of the specification yet.
type SubagentUpdate struct {
	// SessionID names the child.
	SessionID SessionID `json:"sessionId"`

	// Title is what the parent calls the child, for people.
	Title Optional[string] `json:"title,omitzero" acp:"lenient"`

	// Description says what the child is for, for people.
	Description Optional[string] `json:"description,omitzero" acp:"lenient"`

	// Capabilities say what the client may do to the child. Absent from the start, or null, means nothing.
	Capabilities Optional[SubagentSessionCapabilities] `json:"capabilities,omitzero" acp:"lenient"`

	// State says what the child is doing. Null means that nothing is known about it.
	State Optional[StateUpdate] `json:"state,omitzero" acp:"lenient"`

	// CWD is the child's working directory, an absolute path. Null means the parent's.
	CWD Optional[string] `json:"cwd,omitzero"`

	// AdditionalDirectories are all further absolute paths that the child works in. Null means the parent's.
	AdditionalDirectories Optional[[]string] `json:"additionalDirectories,omitzero"`

	// Meta is part of the patch.
	Meta    Optional[Meta] `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown        `json:"-"`
}

// SubagentSessionCapabilities say what a client may do to a child session, whatever it may do to ordinary sessions.
//
// Unstable: not part of the specification yet.
type SubagentSessionCapabilities struct {
	// Cancel stands for session/cancel.
	Cancel *SessionCancelCapabilities `json:"cancel,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// SessionCancelCapabilities advertise, by being there, that a child's work can be cancelled without ending the child.
//
// Unstable: not part of the specification yet.
type SessionCancelCapabilities struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A StateUpdate says what a child session is doing: *RunningStateUpdate, *IdleStateUpdate, *RequiresActionStateUpdate,
// *UnknownStateUpdate when the agent itself does not know, or *OtherStateUpdate for a state that this package does not
// know. Each one replaces the one before as a whole.
//
// Unstable: not part of the specification yet.
type StateUpdate interface{ stateUpdate() }

func (*RunningStateUpdate) stateUpdate()        {}
func (*IdleStateUpdate) stateUpdate()           {}
func (*RequiresActionStateUpdate) stateUpdate() {}
func (*UnknownStateUpdate) stateUpdate()        {}
func (*OtherStateUpdate) stateUpdate()          {}

var _ = union[StateUpdate]("state").
	variant("running", &RunningStateUpdate{}).
	variant("idle", &IdleStateUpdate{}).
	variant("requires_action", &RequiresActionStateUpdate{}).
	variant("unknown", &UnknownStateUpdate{}).
	unknown(&OtherStateUpdate{})

// A RunningStateUpdate says that the child works in the foreground.
//
// Unstable: not part of the specification yet.
type RunningStateUpdate struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An IdleStateUpdate says that the child waits for its next prompt. Work in the background may go on.
//
// Unstable: not part of the specification yet.
type IdleStateUpdate struct {
	// StopReason says why the work ended. Empty means that the agent does not say.
	StopReason IdleStopReason `json:"stopReason,omitzero" acp:"lenient"`

	// Error says what failed where StopReason is IdleStopReasonError.
	Error *Error `json:"error,omitzero" acp:"lenient"`

	// Usage counts the tokens of the work; nil if that is not reported.
	Usage *Usage `json:"usage,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An IdleStopReason says why the work of a child session ended: a StopReason, or that something failed.
//
// Unstable: not part of the specification yet.
type IdleStopReason string

// The reasons why work in the foreground ends.
const (
	IdleStopReasonEndTurn         IdleStopReason = "end_turn"
	IdleStopReasonMaxTokens       IdleStopReason = "max_tokens"
	IdleStopReasonMaxTurnRequests IdleStopReason = "max_turn_requests"
	IdleStopReasonRefusal         IdleStopReason = "refusal"
	IdleStopReasonCancelled       IdleStopReason = "cancelled"
	IdleStopReasonError           IdleStopReason = "error"
)

var idleStopReasons = enum(IdleStopReasonEndTurn, IdleStopReasonMaxTokens, IdleStopReasonMaxTurnRequests,
	IdleStopReasonRefusal, IdleStopReasonCancelled, IdleStopReasonError)

// Known reports whether the protocol defines the reason.
func (r IdleStopReason) Known() bool { return idleStopReasons.has(r) }

// A RequiresActionStateUpdate says that the child waits for the user.
//
// Unstable: not part of the specification yet.
type RequiresActionStateUpdate struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownStateUpdate says that the agent can't see any more what the child is doing. It ends nothing; a client goes
// on showing the last state, if at all, as no longer confirmed.
//
// Unstable: not part of the specification yet.
type UnknownStateUpdate struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An OtherStateUpdate is a state that this package does not know. It is written as it was read.
//
// Unstable: not part of the specification yet.
type OtherStateUpdate struct {
	State string
	Raw   Raw
}
