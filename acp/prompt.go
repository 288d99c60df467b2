package acp

// A MessageID names a message within a session: what several chunks together say.
type MessageID string

// A PromptRequest gives the agent the user's message and with it the turn. The answer ends the turn; what happens until
// then comes as session/update.
//
// Spec: prompt-turn#1-user-message.
type PromptRequest struct {
	SessionID SessionID `json:"sessionId"`

	// Prompt is the message. Every agent takes text and resource links, other blocks need PromptCapabilities. Context
	// that the user referred to is best embedded (TextResource) where the agent takes it, else linked (Link).
	Prompt []ContentBlock `json:"prompt"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PromptResponse ends a turn.
//
// Spec: prompt-turn#4-check-for-completion.
type PromptResponse struct {
	StopReason StopReason `json:"stopReason"`

	// Usage counts the tokens of the turn.
	//
	// Unstable: not part of the specification yet.
	Usage *Usage `json:"usage,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A StopReason says why a turn ended.
//
// Spec: prompt-turn#stop-reasons.
type StopReason string

// The reasons why a turn ends.
const (
	StopReasonEndTurn         StopReason = "end_turn"          // the agent has said what it had to say
	StopReasonMaxTokens       StopReason = "max_tokens"        // the model's limit of tokens was reached
	StopReasonMaxTurnRequests StopReason = "max_turn_requests" // the limit of model requests in one turn was reached
	StopReasonRefusal         StopReason = "refusal"           // the agent refused; prompt and answer will not be in its history
	StopReasonCancelled       StopReason = "cancelled"         // the client sent session/cancel
)

var stopReasons = enum(StopReasonEndTurn, StopReasonMaxTokens, StopReasonMaxTurnRequests, StopReasonRefusal, StopReasonCancelled)

// Known reports whether the protocol defines the reason.
func (r StopReason) Known() bool { return stopReasons.has(r) }
