package coder

import (
	"context"
	"errors"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// NewSession gives the session an empty conversation, and tells the client which commands there are (F161).
func (c *Coder) NewSession(ctx context.Context, s *agent.Session) (response *acp.NewSessionResponse, err error) {
	state, note, err := c.newSession(s)
	if err != nil {
		return nil, err
	}
	if err := c.create(ctx, s, state); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			c.discard(ctx, s, state)
		}
	}()
	if err := c.announce(ctx, s, state); err != nil {
		return nil, err
	}
	if note != "" {
		if err := state.inform(ctx, s, acp.Notice{Severity: acp.NoticeSeverityInfo, Title: "The offline interpreter is used", Description: note}); err != nil {
			return nil, err
		}
	}
	c.open(s, state, "")
	return &acp.NewSessionResponse{ConfigOptions: c.options(state), Modes: c.modeState(s), Unknown: c.modelState(s)}, nil
}

// LoadSession goes on with a session, and repeats its history first.
func (c *Coder) LoadSession(ctx context.Context, s *agent.Session) (*acp.LoadSessionResponse, error) {
	options, err := c.reopen(ctx, s, true)
	return &acp.LoadSessionResponse{ConfigOptions: options, Modes: c.modeState(s), Unknown: c.modelState(s)}, err
}

// ResumeSession goes on with a session.
func (c *Coder) ResumeSession(ctx context.Context, s *agent.Session) (*acp.ResumeSessionResponse, error) {
	options, err := c.reopen(ctx, s, false)
	return &acp.ResumeSessionResponse{ConfigOptions: options, Modes: c.modeState(s), Unknown: c.modelState(s)}, err
}

// ForkSession begins with what was said in another session.
func (c *Coder) ForkSession(ctx context.Context, from acp.SessionID, s *agent.Session) (*acp.ForkSessionResponse, error) {
	options, err := c.fork(ctx, from, s)
	return &acp.ForkSessionResponse{ConfigOptions: options, Modes: c.modeState(s), Unknown: c.modelState(s)}, err
}

// CloseSession ends what the session has in the background. It can be loaded again.
func (c *Coder) CloseSession(_ context.Context, s *agent.Session) error {
	if state, ok := s.Value().(*session); ok && !state.hasMoved() {
		state.end()
		if state.desk.keep != nil {
			c.recent.remove(s.ID())
		}
	}
	return nil
}

// DeleteSession forgets a session and its subagents, and ends what they have in the background.
func (c *Coder) DeleteSession(ctx context.Context, id acp.SessionID) error {
	if err := c.evict(ctx, id); err != nil {
		return err
	}
	open := c.recent.remove(id)
	db, _ := c.cabinet.get(ctx) // the user has been told why there is none
	if db == nil {
		c.endWith(ctx, id, open)
		return nil
	}
	if err := db.Delete(ctx, id); err != nil && !errors.Is(err, store.ErrUnknown) && !errors.Is(err, store.ErrExpired) {
		return keptError(id, err)
	}
	c.endWith(ctx, id, c.gone(ctx, db))
	return nil
}

// gone returns the sessions that are open although they are in the store no more.
func (c *Coder) gone(ctx context.Context, db *store.Store) (gone []*agent.Session) {
	for _, s := range c.recent.open() {
		if _, err := db.Load(ctx, s.ID()); errors.Is(err, store.ErrUnknown) {
			gone = append(gone, s)
		}
	}
	return gone
}

// endWith closes the subagents' sessions that a client has opened to look at, when the one that they worked for is deleted.
func (c *Coder) endWith(ctx context.Context, id acp.SessionID, open []*agent.Session) {
	for _, s := range open {
		if s.ID() != id { // package agent does that
			_ = s.End(ctx, "the session that it worked for was deleted") // fails if it is ending already
			c.recent.remove(s.ID())
		}
	}
}

// ListSessions lists the sessions that are stored, or those of this process, all on one page.
func (c *Coder) ListSessions(ctx context.Context, req *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	if db, _ := c.cabinet.get(ctx); db != nil {
		return listStored(ctx, db, req)
	}
	if req.Cursor != "" {
		return nil, acp.ErrInvalidParams("the cursor %q is unknown: there is only one page", req.Cursor)
	}
	return &acp.ListSessionsResponse{Sessions: c.recent.list(req)}, nil
}

// announce tells the client what a session can do. What its MCP servers have to offer comes when they are ready.
func (c *Coder) announce(ctx context.Context, s *agent.Session, state *session) error {
	if warning := c.cabinet.warning(); warning != nil {
		if err := state.inform(ctx, s, *warning); err != nil {
			return err
		}
	}
	return c.refreshCommands(ctx, s, state, true)
}

// discard removes a session that could not be opened.
func (c *Coder) discard(ctx context.Context, s *agent.Session, state *session) {
	if k := state.desk.keep; k != nil {
		_ = k.store.Delete(context.WithoutCancel(ctx), s.ID()) // an empty session is left otherwise
	}
}

// open makes a session ready for prompts. Nothing that comes after it may fail: its MCP servers run from now on.
func (c *Coder) open(s *agent.Session, state *session, title string) {
	s.SetValue(state)
	if state.desk.keep != nil {
		s.SetRecorder(recorder{state.desk.keep, state})
		s.ForgetHistory()
	}
	c.recent.put(s, state, title)
	c.watch(s.Conn())
	c.startServers(s, state)
}
