package client

import (
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// Errors that arise on this side.
var (
	// ErrTurnRunning refuses a prompt, or the opening of a session anew, while a turn of the session runs.
	ErrTurnRunning = errors.New("a turn is running in this session")

	// ErrSessionClosed fails what is asked of a session that has been closed on this side.
	ErrSessionClosed = errors.New("the session is closed")

	// ErrUnconfirmed says that the agent has not answered a cancelled turn within Options.CancelGrace.
	ErrUnconfirmed = errors.New("the agent did not confirm the cancellation")

	// ErrIdle says that a turn was ended because of Options.IdleTimeout.
	ErrIdle = errors.New("the turn was idle for too long")
)

// A VersionError says that the agent answered initialize with a version of the protocol that this client does not speak
// (F134). The connection has been closed.
type VersionError struct {
	Agent acp.ProtocolVersion // what the agent wants to speak
}

// Error names both versions.
func (e *VersionError) Error() string {
	return fmt.Sprintf("the agent wants to speak version %d of the protocol, this client speaks version %d", e.Agent, acp.Version1)
}
