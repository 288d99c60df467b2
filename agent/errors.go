package agent

import (
	"context"
	"errors"
	"fmt"
)

// Errors that arise on this side.
var (
	// ErrCancelled is in the error of everything that ended because the client cancelled the turn, and is the cause of
	// the turn's context. It matches context.Canceled too.
	ErrCancelled error = cancelled{}

	// ErrTurnEnded is returned by the methods of a Turn, and of its tool calls, once Prompt has returned (T2).
	ErrTurnEnded = errors.New("the turn has ended")

	// ErrSessionClosed is returned by the methods of a Session that was closed, or whose making failed.
	ErrSessionClosed = errors.New("the session is closed")

	// ErrNotOpen is returned by requests to the client about a session that the client does not know yet, because the
	// answer which names it has not left.
	ErrNotOpen = errors.New("the client does not know the session yet")

	// ErrTooManyUpdates is returned for an update that can't be held until the answer that names the session has left,
	// because 4,096 updates or 64 MiB are held already (W12).
	ErrTooManyUpdates = errors.New("too many updates wait for the session's answer")

	// ErrToolCallStatus is in the error of moving a tool call backwards, or of changing one that is over.
	ErrToolCallStatus = errors.New("a tool call only moves forward")
)

type cancelled struct{}

func (cancelled) Error() string { return "the client cancelled the turn" }

func (cancelled) Is(target error) bool { return target == context.Canceled }

// cancelledFor returns ErrCancelled with the reason that the client gave, if any.
func cancelledFor(reason string) error {
	if reason == "" {
		return ErrCancelled
	}
	return fmt.Errorf("%w: %s", ErrCancelled, reason)
}

var (
	errConnectionEnded = errors.New("the client has gone")
	errPanicked        = errors.New("the agent failed")
)
