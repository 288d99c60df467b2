package client

import (
	"cmp"
	"context"
	"errors"
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

	// Guarded by Supervisor.mu.
	request acp.LoadSessionRequest // what opens it again
	session *Session               // that it was last
	err     error                  // why there is none
	waits   bool                   // for the event that tells of it
	closed  bool
}

// errCannotReopen says that an agent has no way to open any session again.
var errCannotReopen = errors.New("the agent can neither resume nor load sessions")

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

// LoadSession opens a saved session with its history, as Client.LoadSession, and keeps it open from now on.
func (v *Supervisor) LoadSession(ctx context.Context, req acp.LoadSessionRequest) (*SupervisedSession, error) {
	return v.keep(ctx, req, func(c *Client) (*Session, error) { return c.LoadSession(ctx, req) })
}

// ResumeSession opens a saved session without its history, as Client.ResumeSession, and keeps it open from now on.
func (v *Supervisor) ResumeSession(ctx context.Context, req acp.ResumeSessionRequest) (*SupervisedSession, error) {
	return v.keep(ctx, acp.LoadSessionRequest(req), func(c *Client) (*Session, error) { return c.ResumeSession(ctx, req) })
}

// keep opens a session and takes it into care.
func (v *Supervisor) keep(ctx context.Context, req acp.LoadSessionRequest, open func(*Client) (*Session, error)) (*SupervisedSession, error) {
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

// Run is Session.Run on the present connection. If the agent answers that it does not have the session, which means that it
// has not done anything, the session is opened again, or replaced if SupervisorOptions.NewSessions allows that, and the
// prompt given once more (F73).
func (s *SupervisedSession) Run(ctx context.Context, blocks ...acp.ContentBlock) (*Result, error) {
	session, err := s.Session(ctx)
	if err != nil {
		return nil, err
	}
	result, err := session.Run(ctx, blocks...)
	if err == nil || !s.supervisor.expired(err) {
		return result, err
	}
	if again := s.revive(ctx, session); again != nil {
		return nil, fmt.Errorf("%w; %w", err, again)
	}
	if session, again := s.Session(ctx); again == nil {
		return session.Run(ctx, blocks...)
	}
	return nil, err
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
	old := s.session
	s.supervisor.mu.Unlock()
	if old.client == c {
		_ = old.Close(ctx) // if the agent has it still
	}
	return s.replace(ctx, c, choiceOf(old.state), nil)
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

// revive opens a session again that its agent, which is well, does not have any more.
func (s *SupervisedSession) revive(ctx context.Context, dead *Session) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	v := s.supervisor
	v.mu.Lock()
	done := s.session != dead
	v.mu.Unlock()
	if done {
		return nil
	}
	dead.end()
	return s.reopenLocked(ctx, dead.client)
}

// reopen opens the session on another connection. What comes of it is said by an event, unless that connection has ended
// too.
func (s *SupervisedSession) reopen(ctx context.Context, c *Client) {
	if s.lock(ctx) != nil {
		return
	}
	defer s.unlock()
	_ = s.reopenLocked(ctx, c)
}

// reopenLocked is reopen for who holds the lock.
func (s *SupervisedSession) reopenLocked(ctx context.Context, c *Client) error {
	v := s.supervisor
	ctx, cancel := context.WithTimeout(ctx, v.opts.ReopenTimeout)
	defer cancel()
	v.mu.Lock()
	request, old := s.request, s.session
	v.mu.Unlock()
	old.state.abandonCalls()
	was := choiceOf(old.state)
	session, method, err := c.openAgain(ctx, request, old.state)
	switch {
	case err == nil:
		unrestored := session.choose(ctx, was)
		s.become(session, nil, &SessionResumed{s, method, unrestored})
		return nil
	case c.Err() != nil:
		return err
	case v.opts.NewSessions && v.hopeless(err):
		return s.replace(ctx, c, was, err)
	}
	s.lose(err)
	return err
}

// openAgain opens a session in the best way that the agent has.
func (c *Client) openAgain(ctx context.Context, req acp.LoadSessionRequest, state *State) (s *Session, method string, err error) {
	caps := c.Capabilities()
	if caps.SessionCapabilities.Resume != nil {
		if s, err = c.resumeAgain(ctx, acp.ResumeSessionRequest(req), state); err == nil {
			return s, acp.MethodSessionResume, nil
		}
	}
	if caps.LoadSession {
		resumed := err
		if s, err = c.loadAgain(ctx, req); err != nil && resumed != nil {
			err = fmt.Errorf("%w; before that: %w", err, resumed)
		}
		return s, acp.MethodSessionLoad, err
	}
	if err == nil {
		err = errCannotReopen
	}
	return nil, "", err
}

// replace begins a new session in the place of one that can't be opened because of err.
func (s *SupervisedSession) replace(ctx context.Context, c *Client, was choice, err error) error {
	v := s.supervisor
	v.mu.Lock()
	request := s.request
	v.mu.Unlock()
	session, failed := c.NewSession(ctx, acp.NewSessionRequest{
		CWD:                   request.CWD,
		AdditionalDirectories: request.AdditionalDirectories,
		MCPServers:            request.MCPServers,
		SystemPrompt:          request.SystemPrompt,
		Meta:                  request.Meta,
		Unknown:               request.Unknown,
	})
	if failed != nil {
		if err != nil {
			failed = fmt.Errorf("%w; a new session in its place: %w", err, failed)
		}
		if c.Err() == nil {
			s.lose(failed)
		}
		return failed
	}
	unrestored := session.choose(ctx, was)
	s.become(session, nil, &SessionReplaced{s, request.SessionID, err, unrestored})
	return nil
}

// lose notes that the session could not be opened.
func (s *SupervisedSession) lose(err error) {
	s.supervisor.mu.Lock()
	id, last := s.request.SessionID, s.session
	s.supervisor.mu.Unlock()
	err = fmt.Errorf("session %s is lost: %w", id, err)
	s.become(last, err, &SessionLost{s, err})
}

// become notes which session this is now, or why it is none, and tells. Nobody uses it before that is told. One that was
// closed meanwhile is closed again.
func (s *SupervisedSession) become(session *Session, err error, e SupervisorEvent) {
	v := s.supervisor
	v.mu.Lock()
	s.session, s.err, s.waits = session, err, true
	s.request.SessionID = session.id
	v.mu.Unlock()
	v.tell(e)
	v.mu.Lock()
	s.waits = false
	closed := s.closed
	v.changeLocked()
	v.mu.Unlock()
	if closed && err == nil {
		_ = session.Close(v.ctx)
	}
}
