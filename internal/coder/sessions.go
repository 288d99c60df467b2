package coder

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// NewSession gives the session an empty conversation, and tells the client which commands there are (F161).
func (c *Coder) NewSession(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
	return nil, c.open(ctx, s, newSession(s), "")
}

// LoadSession goes on with a session of this process, and repeats its history first.
func (c *Coder) LoadSession(ctx context.Context, s *agent.Session) (*acp.LoadSessionResponse, error) {
	return nil, c.reopen(ctx, s.ID(), s, s.Replay)
}

// ResumeSession goes on with a session of this process.
func (c *Coder) ResumeSession(ctx context.Context, s *agent.Session) (*acp.ResumeSessionResponse, error) {
	return nil, c.reopen(ctx, s.ID(), s, nil)
}

// ForkSession begins with what was said in another session of this process.
func (c *Coder) ForkSession(ctx context.Context, from acp.SessionID, s *agent.Session) (*acp.ForkSessionResponse, error) {
	return nil, c.reopen(ctx, from, s, nil)
}

// CloseSession has nothing to free: the session can be loaded again.
func (c *Coder) CloseSession(context.Context, *agent.Session) error { return nil }

// DeleteSession forgets a session.
func (c *Coder) DeleteSession(_ context.Context, id acp.SessionID) error {
	c.store.remove(id)
	return nil
}

// ListSessions lists the sessions of this process, all on one page.
func (c *Coder) ListSessions(_ context.Context, req *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	if req.Cursor != "" {
		return nil, acp.ErrInvalidParams("the cursor %q is unknown: there is only one page", req.Cursor)
	}
	return &acp.ListSessionsResponse{Sessions: c.store.list(req.CWD)}, nil
}

// reopen makes s go on where the session id is, with the roots that its client wants now (F71), and replays the history
// if replay is not nil. What the user has decided about tools does not come along, since it was decided for another span
// of work (F59).
func (c *Coder) reopen(ctx context.Context, id acp.SessionID, s *agent.Session, replay func(context.Context) error) error {
	kept, err := c.store.get(id)
	if err != nil {
		return err
	}
	if err := s.Restore(kept.from.History()); err != nil {
		return err
	}
	if replay != nil {
		if err := replay(ctx); err != nil {
			return err
		}
	}
	state := newSession(s)
	state.conversation = kept.state.messages()
	return c.open(ctx, s, state, kept.title)
}

// open makes a session ready. MCP servers are not used yet, which the user is told rather than left to find out (F110).
func (c *Coder) open(ctx context.Context, s *agent.Session, state *session, title string) error {
	s.SetValue(state)
	c.store.put(s, state, title)
	if n := len(s.MCPServers()); n > 0 {
		notice := acp.Notice{
			Severity:    acp.NoticeSeverityWarning,
			Title:       fmt.Sprintf("MCP servers are not used: %d", n),
			Description: "This agent has no support for MCP servers yet. The session goes on without them.",
		}
		if err := s.Notice(ctx, notice); err != nil {
			return err
		}
	}
	return s.Commands(ctx, commandList()...)
}
