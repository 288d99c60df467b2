package client

import (
	"context"
	"os/exec"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/terminal"
)

// Defaults of Terminals.
const (
	DefaultTerminalBytes    = terminal.DefaultLimit
	DefaultMaxTerminalBytes = 8 << 20
	DefaultMaxTerminals     = 64
	DefaultKeptTerminals    = 64
	DefaultKeptBytes        = 16 << 20
)

// Terminals runs commands on this computer, for Options.Terminals or for a Handler to embed. Where they start is confined
// to the roots of the session that asks; what they do is not, so ask the user first. One Terminals serves one client. The
// zero value is ready to use; its fields must not change afterwards.
//
// A command has no standard input (F108) and no terminal to wait for a password on (F102). It ends with all that it has
// started: when it exits, what it left in the background is ended too. A command without arguments that is not the name of
// a program is a line for the shell, sh -c or on Windows cmd /C, since some agents send such.
//
// An agent can use the terminals of the session that it names and no others, until it releases them. What a terminal has
// shown can be displayed for longer: see Output.
//
// Spec: terminals.
type Terminals struct {
	// Env is the environment that commands get, "name=value" each, to which the agent may add. Nil means this process's
	// own. On Linux the variable PATCHBAY_PROCESS_MARK is added, by which escaped descendants are found.
	Env []string

	// Exceptions are absolute paths of further folders, outside of a session's roots, where commands may start.
	Exceptions []string

	// Wrap, if not nil, has the last word on each command before it is started, such as to have it run in a sandbox. If it
	// returns an error, nothing is started, and the agent is told.
	Wrap func(cmd *exec.Cmd) error

	// OutputBytes is how much of the end of a command's output is kept, in bytes, where the agent does not say; zero
	// means 1 MiB. MaxOutputBytes is how much the agent can ask for; zero means 8 MiB. Asking for more is no error.
	OutputBytes    int
	MaxOutputBytes int

	// MaxTerminals is how many terminals there may be that were not released, in all sessions. Zero means 64.
	MaxTerminals int

	// KeptTerminals and KeptBytes limit the output that is kept after release: of how many terminals, and how many bytes
	// of it in all. The oldest goes first. Zero means 64 and 16 MiB; a negative value, none.
	KeptTerminals int
	KeptBytes     int

	// TermGrace is how long a command may take to end after SIGTERM, until it is killed. Zero means a second; a negative
	// value, no time at all.
	TermGrace time.Duration

	mu       sync.Mutex
	starting int                               // commands
	live     map[acp.TerminalID]*ownedTerminal // not released
	ending   map[acp.TerminalID]*ownedTerminal // released, and not known to have ended
	kept     keptOutputs
}

// An ownedTerminal is a terminal that a session made.
type ownedTerminal struct {
	*terminal.Terminal
	session acp.SessionID
}

// TerminalOutput is what a terminal has shown.
type TerminalOutput struct {
	Text      string                  // the end of it, always UTF-8
	Truncated bool                    // there was more before
	Exit      *acp.TerminalExitStatus // nil while the command runs
}

// CreateTerminal starts a command and returns at once. What can't be started is -32602: an empty command, a program that
// does not exist, a working directory that is relative, missing or outside of the roots.
func (t *Terminals) CreateTerminal(ctx context.Context, s *Session, req *acp.CreateTerminalRequest) (*acp.CreateTerminalResponse, error) {
	return t.create(ctx, ownerOf(s), req)
}

// TerminalOutput returns the end of a command's output so far. Bytes that are not UTF-8 become U+FFFD, and it is cut before
// a character (F106).
func (t *Terminals) TerminalOutput(_ context.Context, s *Session, req *acp.TerminalOutputRequest) (*acp.TerminalOutputResponse, error) {
	return t.output(s.ID(), req)
}

// WaitForTerminalExit waits until a command has ended, or was released, or ctx ends. Any number may wait at once.
func (t *Terminals) WaitForTerminalExit(ctx context.Context, s *Session, req *acp.WaitForTerminalExitRequest) (*acp.WaitForTerminalExitResponse, error) {
	return t.wait(ctx, s.ID(), req)
}

// KillTerminal tells a command and all that it started to end, and has them killed after TermGrace (F48). It doesn't wait
// for that. If the command has ended already, nothing happens, and that is no error.
func (t *Terminals) KillTerminal(_ context.Context, s *Session, req *acp.KillTerminalRequest) (*acp.KillTerminalResponse, error) {
	return t.kill(s.ID(), req)
}

// ReleaseTerminal ends a command as KillTerminal does, returns when it has ended, and forgets the terminal.
func (t *Terminals) ReleaseTerminal(_ context.Context, s *Session, req *acp.ReleaseTerminalRequest) (*acp.ReleaseTerminalResponse, error) {
	return t.release(s.ID(), req)
}

// Output returns what a terminal of any session has shown, for display. It is there while the terminal is, and after its
// release until newer ones take its place: see KeptTerminals. It reports false for a terminal that is not known, which is
// nothing unusual: agents show terminals of their own.
func (t *Terminals) Output(id acp.TerminalID) (TerminalOutput, bool) {
	t.mu.Lock()
	term, ok := t.live[id]
	if !ok {
		term, ok = t.ending[id]
	}
	kept, wasKept := t.kept.get(id)
	t.mu.Unlock()
	if ok {
		return shownBy(term.Terminal), true
	}
	return kept, wasKept
}

// SessionEnded is CloseSession, called by the client.
func (t *Terminals) SessionEnded(s *Session) { t.CloseSession(s.ID()) }

// CloseSession releases all terminals of a session and returns when their commands have ended.
func (t *Terminals) CloseSession(id acp.SessionID) {
	t.releaseAll(func(term *ownedTerminal) bool { return term.session == id })
}

// Close releases all terminals and returns when their commands have ended. The Terminals can be used again afterwards.
func (t *Terminals) Close() {
	t.releaseAll(func(*ownedTerminal) bool { return true })
}
