package acp

// A CancelNotification asks the agent to end the turn of a session soon. The agent stops its model requests and tools,
// sends the updates that are still due and answers the prompt with StopReasonCancelled; the client answers every
// permission request that is still open with CancelledPermissionOutcome.
//
// Spec: prompt-turn#cancellation.
type CancelNotification struct {
	SessionID SessionID `json:"sessionId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A CancelRequestNotification asks whoever received it to end the work on one request, in either direction. The
// request is still answered: with CodeRequestCancelled, or with what was done by then.
//
// Spec: cancellation.
type CancelRequestNotification struct {
	// RequestID is the id of the request, as its sender wrote it.
	RequestID RequestID `json:"requestId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
