package model

import (
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// An Event is a piece of a model's answer: Text, Thought, *Call, *Memo, Usage, Alive, Waiting or Stop.
type Event interface{ event() }

// Text is a piece of what the model says to the user.
type Text string

// Thought is a piece of the model's reasoning.
type Thought string

// Usage counts the tokens of one request. It comes once, before Stop.
type Usage struct {
	InputTokens      uint64 // the conversation and the tools, those of the cache included
	OutputTokens     uint64 // the answer, reasoning included
	ThoughtTokens    uint64 // of OutputTokens, the reasoning; 0 if nobody says
	CachedReadTokens uint64 // of InputTokens, those that were read from the provider's cache

	// CachedWriteTokens are those of InputTokens that were written to the provider's cache.
	CachedWriteTokens uint64

	Estimate string // how the numbers were found, if they were not counted; for people
}

// Alive says that the provider is sending something that is no other event yet, such as the input of a call. WithRetry keeps
// it to itself.
type Alive struct{}

// Waiting says that the provider has failed and will be asked again. It comes before everything else of an answer.
type Waiting struct {
	For     time.Duration
	Attempt int // that has failed, from 1
	Err     *Error
}

// Stop ends the answer.
type Stop struct {
	Reason StopReason

	// Why is what the provider says about the reason besides the answer's text, in a few words for people: the category of a
	// refusal, the filter that has stepped in. It is empty if there is nothing to say, as in most answers.
	Why string
}

func (Text) event()    {}
func (Thought) event() {}
func (*Call) event()   {}
func (*Memo) event()   {}
func (Alive) event()   {}
func (Waiting) event() {}
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
