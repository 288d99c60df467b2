package model

import (
	"context"
	"iter"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Model is a language model that can use tools. It keeps nothing between requests and is safe for concurrent use.
type Model interface {
	// Info says what the model is.
	Info() Info

	// Stream has the model go on with a conversation. The events end with a Stop, or with an error in its place: ctx's if
	// that has ended, else an *Error that says what the provider said. A caller that stops early ends the request.
	Stream(ctx context.Context, r *Request) iter.Seq2[Event, error]
}

// An Info says what a model is and takes.
type Info struct {
	// Name is the name by which the user chooses the model.
	Name string

	// Provider is who runs it, as errors and memos name it: "anthropic".
	Provider string

	// Title is a name for people.
	Title string

	// ContextTokens is how many tokens a conversation may have; 0 if nobody knows.
	ContextTokens uint64

	// Prompt are the kinds of content that the model takes besides text and links.
	Prompt acp.PromptCapabilities
}

// A Request is a conversation that a model is to go on with.
type Request struct {
	// System is what the model is told before everything else. It may be empty.
	System string

	// Messages are the conversation so far, oldest first. The last one is the user's: a prompt, or the results of calls.
	Messages []Message

	// Tools are what the model may use.
	Tools []Tool

	// Thinking is how much the model is to reason. A model that can't choose does as it always does.
	Thinking Thinking

	// MaxTokens bounds the answer, reasoning included. 0 is the model's own limit, or 32,000 for a provider that must be
	// given one.
	MaxTokens int
}

// Thinking is how much a model is to reason before it answers.
type Thinking string

// The levels of reasoning.
const (
	ThinkingDefault Thinking = "" // the provider decides
	ThinkingOff     Thinking = "off"
	ThinkingLow     Thinking = "low"
	ThinkingMedium  Thinking = "medium"
	ThinkingHigh    Thinking = "high"
)

// A Role says whose message it is.
type Role string

// The roles.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// A Message is one side's turn to speak.
type Message struct {
	Role Role

	// Content is what is said: the user's prompt, or the model's answer.
	Content []acp.ContentBlock

	// Calls are what the model wants done. Only the assistant has calls, and the message after it is the user's, with a
	// result for each, in the same order.
	Calls []*Call

	// Results are what became of the calls of the message before. A message with results may have content too, which comes
	// after them.
	Results []Result

	// Memo is what the model's provider wants to be told again about this answer, if it has said so.
	Memo *Memo
}

// A Memo is an answer in the words of its provider: signed reasoning, references to what it keeps. The same provider gets
// it back in place of the message's content and calls; for another one it doesn't exist.
type Memo struct {
	Provider string // an Error has the same name
	Model    string // empty if all of the provider's models take it
	Data     acp.Raw
}

// A Tool tells a model about a tool.
type Tool struct {
	Name        string
	Description string  // for the model
	Schema      acp.Raw // JSON Schema of the input, an object
}

// A Call is a model's wish to have a tool run. It is an Event too.
type Call struct {
	ID    string  // names the call within the conversation
	Name  string  // the tool's
	Input acp.Raw // an object

	// Broken is set if the model has written something else than an object for Input, and says why that can't be read, for
	// the model. Input is {} then, so that the conversation stays one that every provider takes; the call can't be made, and
	// its result is a failure that has Broken as its text.
	Broken string
}

// A Result is what became of a call, as the model reads it.
type Result struct {
	CallID string
	Name   string // the tool's
	Text   string
	Images []*acp.ImageContent // what it shows besides Text; only for models that take images
	Failed bool                // Text says why
}
