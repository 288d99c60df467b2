package client

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Handler is the two things that every client does: it looks at what happens in its sessions, and it decides what the
// agent may do. Everything else is optional and has an interface of its own here; what a Handler implements is what the
// agent is told that the client can do (W11).
//
// The contexts end with the connection, and those of requests also when the agent cancels them. Calls to the agent from
// within a method must use the context that the method was given: it tells the connection not to wait for the method.
type Handler interface {
	// Update is called for each update of a session, one after the other in the order they arrived, also between turns.
	// The session's State has the update in it already. While Update runs, later updates of the session wait, within
	// Options.Budget; other sessions don't (W5, W6).
	Update(ctx context.Context, s *Session, u acp.SessionUpdate)

	// RequestPermission decides whether a tool may run: Select makes an answer from the options that the request offers,
	// acp.PermissionCancelled() is none. Several may be asked at once. When the turn is cancelled the agent is answered
	// at once, ctx ends, and what RequestPermission returns is dropped (T4). An error is an error to the agent.
	//
	// A subagent that has no session here asks in the session that it works for, as far as the agent has said whose
	// subagent it is: req.SessionID is the subagent's then, and Session.Asked tells its tool calls apart (F51). All else that names a session which is not open goes to
	// a ConnectionHandler.
	RequestPermission(ctx context.Context, s *Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error)
}

// A NotificationHandler gets the whole of session/update, with the members that an update does not show, in the place of
// Handler.Update.
type NotificationHandler interface {
	SessionNotification(ctx context.Context, s *Session, n *acp.SessionNotification)
}

// A FileReader serves fs/read_text_file. *Files is one.
type FileReader interface {
	ReadTextFile(ctx context.Context, s *Session, req *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error)
}

// A FileWriter serves fs/write_text_file. *Files is one.
type FileWriter interface {
	WriteTextFile(ctx context.Context, s *Session, req *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error)
}

// A TerminalHandler serves terminal/*. *Terminals is one.
type TerminalHandler interface {
	CreateTerminal(ctx context.Context, s *Session, req *acp.CreateTerminalRequest) (*acp.CreateTerminalResponse, error)
	TerminalOutput(ctx context.Context, s *Session, req *acp.TerminalOutputRequest) (*acp.TerminalOutputResponse, error)
	WaitForTerminalExit(ctx context.Context, s *Session, req *acp.WaitForTerminalExitRequest) (*acp.WaitForTerminalExitResponse, error)
	KillTerminal(ctx context.Context, s *Session, req *acp.KillTerminalRequest) (*acp.KillTerminalResponse, error)
	ReleaseTerminal(ctx context.Context, s *Session, req *acp.ReleaseTerminalRequest) (*acp.ReleaseTerminalResponse, error)
}

// A SessionEnder is told that a session has ended on this side: it was closed, or the connection has ended. It is where
// what belongs to the session is freed, and is called once for each session, also of Options.Files and
// Options.Terminals.
type SessionEnder interface {
	SessionEnded(s *Session)
}

// A FormElicitor asks the user for input by a form. The session is nil if the input is for a request outside of all
// sessions, such as authenticate. When the session's turn is cancelled the agent is answered with
// acp.ElicitationCancelAction at once and ctx ends.
type FormElicitor interface {
	ElicitForm(ctx context.Context, s *Session, req *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error)
}

// A URLElicitor asks the user to go to a page, which it opens only if the user agrees. ElicitationComplete says that the
// user is done there. The session is nil as for a FormElicitor.
type URLElicitor interface {
	ElicitURL(ctx context.Context, s *Session, req *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error)
	ElicitationComplete(ctx context.Context, id acp.ElicitationID)
}

// An ExtensionHandler takes the requests and notifications that the protocol does not define. A request that it does not
// know it refuses with acp.ErrMethodNotFound; the result of a notification is dropped. Without an ExtensionHandler such
// requests are refused and such notifications ignored (W10).
type ExtensionHandler interface {
	HandleExtension(ctx context.Context, method string, params acp.Raw) (any, error)
}

// A ConnectionHandler takes what names a session that this client does not have (W12). Without one, updates are logged
// and requests refused with acp.ErrSessionNotFound.
type ConnectionHandler interface {
	UnknownSessionUpdate(ctx context.Context, n *acp.SessionNotification)
	UnknownSessionRequest(ctx context.Context, id acp.SessionID, method string, params acp.Raw) (any, error)
}

// An AuthStatusHandler is told when the agent's state of authentication changes.
//
// Unstable: not part of the specification yet.
type AuthStatusHandler interface {
	AuthStatusUpdate(ctx context.Context, n *acp.AuthStatusUpdateNotification)
}

// An MCPHandler carries requests to the MCP servers that the client keeps itself (acp.MCPServerACP).
//
// Unstable: not part of the specification yet.
type MCPHandler interface {
	MCPMessage(ctx context.Context, req *acp.MessageMCPRequest) (*acp.MessageMCPResponse, error)
}
