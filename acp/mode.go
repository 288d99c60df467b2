package acp

// A SessionModeID names a mode of a session.
type SessionModeID string

// A SessionModeState is the modes that a session has and the one that it is in. Options (SessionConfigOption) have taken
// the place of modes: an agent with modes should offer them both ways for now, and a client that knows options should
// ignore the modes of a session that has both.
//
// Spec: session-modes.
type SessionModeState struct {
	CurrentModeID SessionModeID `json:"currentModeId"`

	// AvailableModes are all modes, in the agent's order.
	AvailableModes []SessionMode `json:"availableModes" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionMode is a way for the agent to work, such as asking before each change, or only planning.
type SessionMode struct {
	ID SessionModeID `json:"id"`

	// Name is the label to show.
	Name string `json:"name"`

	// Description says more about the mode, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SetSessionModeRequest puts a session into another mode, at any time, in a turn or between two.
//
// Spec: session-modes#setting-the-current-mode.
type SetSessionModeRequest struct {
	SessionID SessionID `json:"sessionId"`

	// ModeID is one of the session's AvailableModes.
	ModeID SessionModeID `json:"modeId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SetSessionModeResponse says that the session is in the mode.
type SetSessionModeResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A CurrentModeUpdate says that the session is in another mode.
type CurrentModeUpdate struct {
	CurrentModeID SessionModeID `json:"currentModeId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
