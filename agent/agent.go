package agent

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
)

// An Agent is what every agent has to do. That is all that must be written: cancelling comes for free, and the name and
// version are in Options.Info. What else an agent can do it says by implementing more of the interfaces of this
// package, each of which is named for what it does; what is advertised to the client follows from that.
//
// All methods may be called at the same time, for several sessions and several clients. An error that is or wraps an
// *acp.Error reaches the client as it is, any other one as CodeInternalError with its text, also a *CallError, which is
// what the client itself has sent. A panic does the same and is logged; the connection lives (W9).
type Agent interface {
	// NewSession starts a session, which is s: its working directory, roots and MCP servers have been checked. A nil
	// response stands for the defaults, and an empty SessionID in it for s.ID().
	//
	// What is sent through s meanwhile leaves right after the answer, since the client does not know the session before
	// (W12); requests to the client about the session fail with ErrNotOpen until then.
	//
	// Spec: session-setup#creating-a-session.
	NewSession(ctx context.Context, s *Session) (*acp.NewSessionResponse, error)

	// Prompt runs a turn: it does what the user asked for, streams what it has to say through t, and returns why it
	// stopped. Empty means acp.StopReasonEndTurn.
	//
	// When the client cancels the turn, ctx ends, and whatever Prompt returns the client is told acp.StopReasonCancelled
	// (T1). An error is an error to the client and nothing else (T6): return one when the model can't be reached, and a
	// stop reason when it was. When Prompt has returned, tool calls that are still open are failed with a reason before
	// the answer leaves (T2), and t can't be used any more.
	//
	// Spec: prompt-turn.
	Prompt(ctx context.Context, t *Turn) (acp.StopReason, error)
}

// A PromptFunc is a function that is an Agent by itself: it accepts any session.
type PromptFunc func(ctx context.Context, t *Turn) (acp.StopReason, error)

// NewSession accepts the session.
func (f PromptFunc) NewSession(context.Context, *Session) (*acp.NewSessionResponse, error) {
	return nil, nil
}

// Prompt calls f.
func (f PromptFunc) Prompt(ctx context.Context, t *Turn) (acp.StopReason, error) { return f(ctx, t) }

// A Loader opens saved sessions and sends their history.
type Loader interface {
	// LoadSession opens the session that s.ID() names and replays its history through s before it returns, with
	// Session.Replay or by itself. A nil response stands for the defaults. For a session that does not exist return
	// acp.ErrSessionNotFound, and soon.
	//
	// Spec: session-setup#loading-sessions.
	LoadSession(ctx context.Context, s *Session) (*acp.LoadSessionResponse, error)
}

// A Resumer opens saved sessions without sending their history.
type Resumer interface {
	// ResumeSession opens the session that s.ID() names. What is sent through s meanwhile leaves right after the answer
	// (W12). A nil response stands for the defaults. For a session that does not exist return acp.ErrSessionNotFound.
	ResumeSession(ctx context.Context, s *Session) (*acp.ResumeSessionResponse, error)
}

// A Forker starts sessions that begin with the history of another one.
type Forker interface {
	// ForkSession starts s with the history of the session from, which stays as it is and need not be open. With
	// Options.KeepHistory, s has that history already if from is open on this connection. A nil response stands for the
	// defaults, and an empty SessionID in it for s.ID(). Sending is as in NewSession.
	//
	// Unstable: not part of the specification yet.
	ForkSession(ctx context.Context, from acp.SessionID, s *Session) (*acp.ForkSessionResponse, error)
}

// A Closer frees what a session holds. The client may only close sessions of an agent that is one.
type Closer interface {
	// CloseSession frees what s holds. Its turn has been cancelled and has ended, as a rule: see the package's
	// documentation about ends. It is also called for a session that was made in vain, because the client cancelled
	// session/new before it was answered.
	CloseSession(ctx context.Context, s *Session) error
}

// A Lister lists saved sessions.
type Lister interface {
	// ListSessions returns a page of the saved sessions. req.CWD is empty or absolute. A nil response is an empty list.
	//
	// Spec: session-list.
	ListSessions(ctx context.Context, req *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error)
}

// A Deleter deletes saved sessions.
type Deleter interface {
	// DeleteSession removes a session from what ListSessions returns. If it was open on this connection, its turn has
	// been cancelled. Deleting what does not exist is no error.
	//
	// Spec: session-delete.
	DeleteSession(ctx context.Context, id acp.SessionID) error
}

// An Archiver hides sessions from the list and brings them back. It has to be a Lister too.
//
// Unstable: not part of the specification yet.
type Archiver interface {
	// ArchiveSession hides a session. If it was open on this connection, it has been closed, which calls CloseSession of
	// a Closer. Archiving twice is no error.
	ArchiveSession(ctx context.Context, id acp.SessionID) error

	// UnarchiveSession brings a session back to the list, without opening it.
	UnarchiveSession(ctx context.Context, id acp.SessionID) error
}

// A StatusReporter says whether a session is in memory.
//
// Unstable: not part of the specification yet.
type StatusReporter interface {
	// SessionStatus says whether a session is in memory. For one that does not exist return acp.ErrSessionNotFound.
	SessionStatus(ctx context.Context, id acp.SessionID) (acp.SessionStatus, error)
}

// A TitleSetter gives sessions the titles that the user chose.
//
// Unstable: not part of the specification yet.
type TitleSetter interface {
	// SetTitle stores a title, which has been trimmed and is not empty, and returns it as it was stored.
	SetTitle(ctx context.Context, id acp.SessionID, title string) (string, error)
}

// A ModeSetter puts sessions into other modes. Its sessions have acp.SessionModeState in their responses.
type ModeSetter interface {
	// SetMode puts s into a mode, in a turn or between two. For a mode that does not exist return acp.ErrInvalidParams.
	//
	// Spec: session-modes#setting-the-current-mode.
	SetMode(ctx context.Context, s *Session, mode acp.SessionModeID) error
}

// A ConfigSetter gives options of a session other values. Its sessions have options in their responses.
type ConfigSetter interface {
	// SetConfigOption gives an option another value and returns all options as they are then, since one may change
	// others. For an option or value that does not exist return acp.ErrInvalidParams.
	//
	// A client that does not know boolean options gets them as selects with the values "on" and "off"; here they arrive
	// as booleans all the same.
	//
	// Spec: session-config-options#setting-a-config-option.
	SetConfigOption(ctx context.Context, s *Session, req *acp.SetSessionConfigOptionRequest) ([]acp.SessionConfigOption, error)
}

// An Authenticator signs the user in. It has to be there if Options.AuthMethods has an acp.AuthMethodAgent.
type Authenticator interface {
	// Authenticate signs the user in with a method, which is one of Options.AuthMethods.
	//
	// Spec: authentication.
	Authenticate(ctx context.Context, req *acp.AuthenticateRequest) error
}

// A LogoutHandler signs the user out.
type LogoutHandler interface {
	// Logout forgets the user's credentials.
	//
	// Spec: authentication#logging-out.
	Logout(ctx context.Context) error
}

// An AuthStatusReporter says how things stand with authentication. Conn.AuthStatusChanged tells the client later.
//
// Unstable: not part of the specification yet.
type AuthStatusReporter interface {
	// AuthStatus says how things stand and changes nothing.
	AuthStatus(ctx context.Context) (*acp.AuthStatusResponse, error)
}

// A ProviderManager lets the client configure providers of models.
//
// Unstable: not part of the specification yet.
type ProviderManager interface {
	// ListProviders returns the providers that can be configured.
	ListProviders(ctx context.Context) ([]acp.ProviderInfo, error)

	// SetProvider replaces all that is configured about a provider.
	SetProvider(ctx context.Context, req *acp.SetProviderRequest) error

	// DisableProvider switches a provider off. One that is required is acp.ErrInvalidParams.
	DisableProvider(ctx context.Context, id acp.ProviderID) error
}

// An MCPMessageHandler takes the notifications of MCP servers that the client keeps (Options.MCP.ACP); Conn.CallMCP is
// for the other direction.
//
// Unstable: not part of the specification yet.
type MCPMessageHandler interface {
	// HandleMCPMessage takes a notification.
	HandleMCPMessage(ctx context.Context, n *acp.MessageMCPNotification)
}

// An ExtensionHandler answers requests and takes notifications whose methods the protocol does not define. The names of
// such methods begin with an underscore.
type ExtensionHandler interface {
	// HandleExtension returns the result of a request: anything that can be written as JSON, nil for null. What it
	// returns for a notification is dropped. For a method that it does not know it returns
	// acp.ErrMethodNotFound(method).
	//
	// Spec: extensibility.
	HandleExtension(ctx context.Context, method string, params acp.Raw) (any, error)
}
