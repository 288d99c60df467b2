package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A SupervisedSession is a session that outlives the connection that it was opened on: when a Supervisor starts its agent
// again, the session is opened there as well. All methods are safe for concurrent use.
type SupervisedSession struct {
	supervisor *Supervisor
	opening    chan struct{} // held, by sending to it, by who opens the session again
	chosen     *choice       // what the user had chosen, as long as it is not restored; of who holds opening

	// Guarded by Supervisor.mu.
	request acp.LoadSessionRequest // what opens it again
	session *Session               // that it was last
	err     error                  // why there is none
	waits   bool                   // for the event that tells of it
	closed  bool
}

// NewSession starts a session, as Client.NewSession, and keeps it open from now on. While the agent is being started it
// waits for that.
func (v *Supervisor) NewSession(ctx context.Context, req acp.NewSessionRequest) (*SupervisedSession, error) {
	return v.keep(ctx, acp.LoadSessionRequest{
		CWD:                   req.CWD,
		AdditionalDirectories: req.AdditionalDirectories,
		MCPServers:            req.MCPServers,
		SystemPrompt:          req.SystemPrompt,
		Meta:                  req.Meta,
		Unknown:               req.Unknown,
	}, func(c *Client) (*Session, error) { return c.NewSession(ctx, req) })
}

// LoadSession opens a saved session with its history, as Client.LoadSession, and keeps it open from now on. One that is kept
// open already has to be closed first.
func (v *Supervisor) LoadSession(ctx context.Context, req acp.LoadSessionRequest) (*SupervisedSession, error) {
	return v.keep(ctx, req, func(c *Client) (*Session, error) { return c.LoadSession(ctx, req) })
}

// ResumeSession opens a saved session without its history, as Client.ResumeSession, and keeps it open from now on. One
// that is kept open already has to be closed first.
func (v *Supervisor) ResumeSession(ctx context.Context, req acp.ResumeSessionRequest) (*SupervisedSession, error) {
	return v.keep(ctx, acp.LoadSessionRequest(req), func(c *Client) (*Session, error) { return c.ResumeSession(ctx, req) })
}

// keep opens a session and takes it into care.
func (v *Supervisor) keep(ctx context.Context, req acp.LoadSessionRequest, open func(*Client) (*Session, error)) (*SupervisedSession, error) {
	if req.SessionID != "" && v.Session(req.SessionID) != nil { // also if it is lost, or not yet open again
		return nil, fmt.Errorf("session %s is kept open already", req.SessionID)
	}
	c, err := v.Client(ctx)
	if err != nil {
		return nil, err
	}
	s, err := open(c)
	if err != nil {
		return nil, err
	}
	req.SessionID = s.ID()
	kept := &SupervisedSession{supervisor: v, opening: make(chan struct{}, 1), request: req, session: s}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.client != c { // and whoever opens sessions again does not know of this one
		return nil, cmp.Or[error](c.Err(), &jsonrpc.ClosedError{})
	}
	v.sessions = append(v.sessions, kept)
	return kept, nil
}

// ID returns the session's id, which changes only when a new session takes its place.
func (s *SupervisedSession) ID() acp.SessionID {
	s.supervisor.mu.Lock()
	defer s.supervisor.mu.Unlock()
	return s.request.SessionID
}

// State returns what the session's updates have said so far. It is another one after the session was loaded or replaced.
func (s *SupervisedSession) State() *State {
	s.supervisor.mu.Lock()
	defer s.supervisor.mu.Unlock()
	return s.session.State()
}

// Session returns the session on the present connection. While the agent is being started, it waits until the session is
// open there. If the session is lost it returns why.
func (s *SupervisedSession) Session(ctx context.Context) (*Session, error) {
	return await(ctx, s.supervisor, func() (*Session, error) {
		switch {
		case s.closed:
			return nil, fmt.Errorf("session %s: %w", s.request.SessionID, ErrSessionClosed)
		case s.err != nil:
			return nil, s.err
		case s.waits || s.supervisor.client == nil || s.session.client != s.supervisor.client || s.session.client.Err() != nil:
			return nil, nil
		}
		return s.session, nil
	})
}

// Prompt is Session.Prompt on the present connection.
func (s *SupervisedSession) Prompt(ctx context.Context, blocks ...acp.ContentBlock) (*Turn, error) {
	session, err := s.Session(ctx)
	if err != nil {
		return nil, err
	}
	return session.Prompt(ctx, blocks...)
}

// Run is Session.Run on the present connection. If the agent answers that it does not have the session, and has neither said
// nor asked anything before, so that it has done nothing, the session is opened again, or replaced if
// SupervisorOptions.NewSessions allows that, and the prompt given once more (F73).
func (s *SupervisedSession) Run(ctx context.Context, blocks ...acp.ContentBlock) (*Result, error) {
	session, err := s.Session(ctx)
	if err != nil {
		return nil, err
	}
	turn, err := session.runTurn(ctx, blocks...)
	if err != nil {
		return nil, err
	}
	result, err := turn.Wait()
	if err == nil || !turn.untouched() || !s.supervisor.expired(err) {
		return result, err
	}
	s.revive(session)
	session, again := s.Session(ctx)
	if again != nil {
		return nil, fmt.Errorf("%w; %w", err, again)
	}
	return session.Run(ctx, blocks...)
}

// Close ends the session as Session.Close, and does not open it again.
func (s *SupervisedSession) Close(ctx context.Context) error {
	v := s.supervisor
	v.mu.Lock()
	session := s.session
	s.closed = true
	v.sessions = slices.DeleteFunc(v.sessions, func(other *SupervisedSession) bool { return other == s })
	v.changeLocked()
	v.mu.Unlock()
	if session.client.Err() != nil {
		return nil // it has ended with its connection
	}
	return session.Close(ctx)
}

// Replace begins a new session in the place of this one, of which the agent remembers nothing. SessionReplaced says so.
func (s *SupervisedSession) Replace(ctx context.Context) error {
	c, err := s.supervisor.Client(ctx)
	if err != nil {
		return err
	}
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	s.supervisor.mu.Lock()
	old, closed := s.session, s.closed
	s.supervisor.mu.Unlock()
	if closed {
		return fmt.Errorf("session %s: %w", old.id, ErrSessionClosed)
	}
	if old.client == c {
		_ = old.Close(ctx) // if the agent has it still
	}
	was := choiceOf(old.state)
	if s.chosen != nil {
		was = *s.chosen
	}
	return s.replace(ctx, c, was, nil)
}

func (s *SupervisedSession) lock(ctx context.Context) error {
	select {
	case s.opening <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *SupervisedSession) unlock() { <-s.opening }
