package model

import (
	"fmt"
	"strings"
	"time"
)

// An Error is the failure of a provider.
type Error struct {
	// Provider is who failed: "anthropic", "openai".
	Provider string

	// Status is the HTTP status, or 0 if there was no answer.
	Status int

	// RetryAfter is how long to wait before trying again, as the provider asks; 0 if it doesn't say.
	RetryAfter time.Duration

	// Final is set if the same request would fail again, whatever Status says: an answer that is no answer, a prompt that
	// is too long.
	Final bool

	// TooLong is set, with Final, if the conversation is too long for the model: a shorter one may succeed.
	TooLong bool

	// Message says what happened, for people. It has no key in it.
	Message string

	// Cause is the error of whoever noticed it, or nil.
	Cause error
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

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
	if e.Final {
		return false
	}
	return e.Status == 0 || e.Status == 408 || e.Status == 409 || e.Status == 429 || e.Status >= 500
}
