package client

import (
	"context"
	"log/slog"
	"os/exec"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// Defaults of the Options.
const (
	DefaultCancelGrace = 10 * time.Second
	DefaultInitTimeout = 60 * time.Second
)

// Options adjust a client. The zero value is sensible, but Info should be set.
type Options struct {
	// Info names this program to the agent.
	Info acp.Implementation

	// Files and Terminals serve the agent's file and terminal requests where the Handler does not do so itself. Nil means
	// that the client has no such thing, and says so.
	Files     *Files
	Terminals *Terminals

	// Guard, if set, decides about each file that the agent reads or writes through the client and about each command that it
	// runs, before that is served: an agent which never asks for permission is bound all the same (F55). An error is the
	// agent's answer, and nothing is done. The context ends when the turn is cancelled. Package policy makes a call of each
	// request that its rules can decide about.
	Guard func(ctx context.Context, s *Session, a *Access) error

	// Shows says which updates the client shows to its user beyond those that every client takes.
	Shows Shows

	// Meta is sent with initialize, and CapabilitiesMeta as the _meta of the client's capabilities, where extensions
	// advertise themselves.
	Meta             acp.Meta
	CapabilitiesMeta acp.Meta

	// Codes are what error codes mean to this agent, for Auth and for a Supervisor. Default: what they mean officially.
	Codes Codes

	// Auth chooses one of the agent's ways to sign in when the agent says that the user has to (error -32000, or by Codes) in answer
	// to a request that starts a session or a turn. The method is then carried out and the request sent once more. Nil
	// means that the error is returned.
	Auth func(ctx context.Context, c *Client, methods []acp.AuthMethod) (acp.AuthMethodID, error)

	// TerminalAuth runs a command on the user's terminal and returns nil if its exit status was 0. The agent is told that it
	// may offer methods that need one: acp.AuthMethodTerminal, or a command in _meta.terminal-auth. The latter is of the agent's
	// choice and need not be the agent's own program, which the user should see before it is run. The context ends with the
	// connection. RunOnTerminal is one for programs that run in a terminal themselves. Nil means that there is no terminal to
	// sign in on.
	TerminalAuth func(ctx context.Context, cmd *exec.Cmd) error

	// CancelGrace is how long a turn that was cancelled may take to be answered, after which it ends unconfirmed (W7).
	// Default 10 s; negative means no limit.
	CancelGrace time.Duration

	// InitTimeout is how long the agent may take to answer initialize. Default 60 s, since some agents are installed
	// when they are first started (F94); negative means no limit.
	InitTimeout time.Duration

	// IdleTimeout ends a turn during which nothing at all was sent or received for so long while no tool ran and nothing
	// was asked of the client: it is cancelled, and the agent killed if that is not answered within CancelGrace (T5).
	// Default 0: no limit.
	IdleTimeout time.Duration

	// JoinChunks has pieces of one message that wait for a loop over Updates come as one update, so that a loop with much to
	// do for each, such as drawing a screen, keeps up with an agent that streams word by word (F171). Nothing waits for
	// longer, and nothing is lost: pieces that have more to say than their text stay apart. Handler.Update gets each piece.
	JoinChunks bool

	// Logger gets diagnostics, such as an agent's stray output. Default slog.Default().
	Logger *slog.Logger

	// Diagnose, if set, gets the same diagnostics as values. It must be quick and must not call the client.
	Diagnose func(jsonrpc.Diagnostic)

	// MaxMessageBytes limits a message in either direction. Default 64 MiB.
	MaxMessageBytes int

	// Budget limits, in bytes and each for itself, the messages that wait to be handled, those held for a session that is
	// being opened, and the updates that wait for loops over Updates. Default 64 MiB, and never less than MaxMessageBytes.
	Budget int

	// Observe, if set, sees every frame in both directions, in the order of the wire. It must be quick, must not call the
	// client, and must neither change nor keep the bytes.
	Observe func(jsonrpc.Traffic)
}

// Shows says what a client shows to its user. Agents send something simpler in the place of what is not shown. The State
// understands all of it, so who shows the State sets all.
type Shows struct {
	Notices        bool // notice
	Compactions    bool // compaction_update and compaction_summary_chunk
	BooleanOptions bool // configuration options of type boolean
	Plans          bool // plan_update and plan_removed. Unstable.
	Subagents      bool // child sessions. Unstable.
}
