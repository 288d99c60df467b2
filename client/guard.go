package client

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
)

// An Access is something that the agent has the client do for it: read a file, write one, or run a command. One of the
// requests is set.
type Access struct {
	Read    *acp.ReadTextFileRequest
	Write   *acp.WriteTextFileRequest
	Command *acp.CreateTerminalRequest

	// Allowed are the permission requests of the session that were answered with a yes and whose tool calls have not ended.
	// An access that is what one of them was about need not be asked about again.
	Allowed []*acp.RequestPermissionRequest
}

// guarded has Options.Guard decide before a request is served. When the turn is cancelled while it decides, the request is
// refused at once (T4).
func guarded[P, R any](c *Client, access func(*P) Access, serve func(context.Context, *Session, *P) (*R, error)) func(context.Context, *Session, *P) (*R, error) {
	if c.opts.Guard == nil {
		return serve
	}
	return func(ctx context.Context, s *Session, p *P) (*R, error) {
		a := access(p)
		a.Allowed = s.allowed()
		cancelled, err := askUser(ctx, s, new(true), func(ctx context.Context) (*bool, error) {
			return new(false), c.opts.Guard(ctx, s, &a)
		})
		switch {
		case err != nil:
			return nil, err
		case *cancelled:
			return nil, errTurnCancelled
		}
		return serve(ctx, s, p)
	}
}

func readAccess(p *acp.ReadTextFileRequest) Access      { return Access{Read: p} }
func writeAccess(p *acp.WriteTextFileRequest) Access    { return Access{Write: p} }
func commandAccess(p *acp.CreateTerminalRequest) Access { return Access{Command: p} }

// maxAllowed bounds how many answers a session remembers: the newest.
const maxAllowed = 256

// allow remembers a permission request that was answered with a yes.
func (s *Session) allow(req *acp.RequestPermissionRequest) {
	if s.client.opts.Guard == nil || req.SessionID != s.id { // nobody says when a subagent's call has ended
		return
	}
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	if len(s.allowances) == maxAllowed {
		s.allowances = s.allowances[1:]
	}
	s.allowances = append(s.allowances, req)
}

// allowed returns the permission requests that were answered with a yes and whose calls go on, and forgets the others.
func (s *Session) allowed() []*acp.RequestPermissionRequest {
	s.client.mu.Lock()
	all := s.allowances
	s.client.mu.Unlock()
	var open []*acp.RequestPermissionRequest
	for _, req := range all {
		if call := s.state.ToolCall(req.ToolCall.ToolCallID); call == nil || !call.Status.Final() {
			open = append(open, req)
		}
	}
	return open
}
