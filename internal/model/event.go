package model

import "github.com/patchbay-dev/patchbay/acp"

// An Event is a piece of a model's answer: Text, Thought, *Call, Usage or Stop.
type Event interface{ event() }

// Text is a piece of what the model says to the user.
type Text string

// Thought is a piece of the model's reasoning.
type Thought string

// Usage counts the tokens of one request. It comes once, before Stop.
type Usage struct {
	InputTokens  uint64 // the conversation and the tools
	OutputTokens uint64 // the answer
	Estimate     string // how the numbers were found, if they were not counted; for people
}

// Stop ends the answer.
type Stop struct{ Reason StopReason }

func (Text) event()    {}
func (Thought) event() {}
func (*Call) event()   {}
func (Usage) event()   {}
func (Stop) event()    {}

// A StopReason says why a model stopped.
type StopReason string

// The reasons why a model stops.
const (
	StopEnd       StopReason = "end"        // it has said what it had to say
	StopCalls     StopReason = "calls"      // it waits for the results of its calls
	StopMaxTokens StopReason = "max_tokens" // its answer or the conversation got too long
	StopRefusal   StopReason = "refusal"    // it will not answer
)

// ACP returns the stop reason of a turn that ends so.
func (r StopReason) ACP() acp.StopReason {
	switch r {
	case StopMaxTokens:
		return acp.StopReasonMaxTokens
	case StopRefusal:
		return acp.StopReasonRefusal
	}
	return acp.StopReasonEndTurn
}
