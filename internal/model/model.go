package model

import (
	"context"
	"fmt"
	"iter"
	"strings"

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

	// Title is a name for people.
	Title string

	// ContextTokens is how many tokens a conversation may have.
	ContextTokens uint64

	// Prompt are the kinds of content that the model takes besides text and links.
	Prompt acp.PromptCapabilities
}

// A Request is a conversation that a model is to go on with.
type Request struct {
	// Messages are the conversation so far, oldest first. The last one is the user's: a prompt, or the results of calls.
	Messages []Message

	// Tools are what the model may use.
	Tools []Tool
}

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

	// Results are what became of the calls of the message before.
	Results []Result
}

// A Tool tells a model about a tool.
type Tool struct {
	Name        string
	Description string  // for the model
	Schema      acp.Raw // JSON Schema of the input, an object
}

// A Call is a model's wish to have a tool run. It is an Event too.
type Call struct {
	ID    string // names the call within the conversation
	Name  string // the tool's
	Input acp.Raw
}

// A Result is what became of a call, as the model reads it.
type Result struct {
	CallID string
	Text   string
	Failed bool // Text says why
}

// An Error is the failure of a provider.
type Error struct {
	// Provider is who failed: "offline", "anthropic".
	Provider string

	// Status is the HTTP status, or 0 if there was no answer.
	Status int

	// RetryAfter is how long to wait before trying again, in seconds, as the provider asks; 0 if it doesn't say.
	RetryAfter int

	// Message says what happened, for people.
	Message string
}

// Error says who failed, how and why.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the model's provider %s failed", e.Provider)
	if e.Status != 0 {
		fmt.Fprintf(&b, " with status %d", e.Status)
	}
	return b.String() + ": " + e.Message
}

// Retryable reports whether the same request may succeed later.
func (e *Error) Retryable() bool {
	return e.Status == 0 || e.Status == 408 || e.Status == 429 || e.Status >= 500
}
