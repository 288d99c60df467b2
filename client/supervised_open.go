package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// errCannotReopen says that an agent has no way to open any session again.
var errCannotReopen = errors.New("the agent can neither resume nor load sessions")

// revive opens a session again that its agent, which is well, does not have any more. Whoever wants the session waits for
// that. It is the Supervisor's work and not its caller's, who may leave meanwhile.
func (s *SupervisedSession) revive(dead *Session) {
	v := s.supervisor
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.session != dead || s.waits || s.closed || v.err != nil {
		return
	}
	s.waits = true
	v.work.Add(1)
	go func() {
		defer v.work.Done()
		if s.lock(v.ctx) != nil {
			s.settle()
			return
		}
		defer s.unlock()
		defer s.settle()
		v.mu.Lock()
		done := s.session != dead
		v.mu.Unlock()
		if done {
			return
		}
		dead.end()
		if why := s.reopenLocked(dead.client); why != nil {
			s.giveNew(dead.client, why)
		}
	}()
}

// settle lets those go on who wait for the session.
func (s *SupervisedSession) settle() {
	v := s.supervisor
	v.mu.Lock()
	defer v.mu.Unlock()
	s.waits = false
	v.changeLocked()
}

// onConnection does something with the session, of which c has none yet, in the care of nobody else. It may be there since its
// user, who was quicker, has replaced it.
func (s *SupervisedSession) onConnection(c *Client, do func()) {
	v := s.supervisor
	if s.lock(v.ctx) != nil {
		return
	}
	defer s.unlock()
	v.mu.Lock()
	there := s.session.client == c && s.err == nil
	v.mu.Unlock()
	if !there {
		do()
	}
}

// reopenLocked opens the session on a connection, and says by an event what comes of it, if nothing is left to be done. It
// returns why a new session has to take its place, nil if none has to. When the connection or the Supervisor ends meanwhile
// nothing is said and nothing is lost: the next agent gets the session as it was.
func (s *SupervisedSession) reopenLocked(c *Client) (why error) {
	v := s.supervisor
	ctx, cancel := context.WithTimeout(v.ctx, v.opts.ReopenTimeout)
	defer cancel()
	v.mu.Lock()
	request, old := s.request, s.session
	v.mu.Unlock()
	old.state.abandonCalls()
	if s.chosen == nil {
		s.chosen = new(choiceOf(old.state))
	}
	session, method, err := v.openAgain(ctx, c, request, old.state)
	var unrestored error
	if err == nil {
		unrestored = session.choose(ctx, *s.chosen)
	}
	switch {
	case c.Err() != nil, v.ctx.Err() != nil:
	case err == nil:
		s.chosen = nil
		s.become(session, nil, &SessionResumed{s, method, unrestored})
	case v.opts.NewSessions && v.hopeless(err):
		return err
	default:
		s.lose(err)
	}
	return nil
}

// giveNew begins a new session in the place of one that can't be opened. Its caller holds the lock.
func (s *SupervisedSession) giveNew(c *Client, why error) {
	ctx, cancel := context.WithTimeout(s.supervisor.ctx, s.supervisor.opts.ReopenTimeout)
	defer cancel()
	_ = s.replace(ctx, c, *s.chosen, why)
}

// openAgain opens a session on a connection, and tries again what may pass.
func (v *Supervisor) openAgain(ctx context.Context, c *Client, req acp.LoadSessionRequest, state *State) (s *Session, method string, err error) {
	ctx, leave := c.whileConnected(ctx)
	defer leave()
	retry := v.opts.Restart
	retry.Repair, retry.Waiting = nil, nil
	err = retry.Do(ctx, func(ctx context.Context) (err error) {
		s, method, err = c.openAgain(ctx, req, state)
		return err
	})
	return s, method, err
}

// openAgain opens a session in the best way that the agent has.
func (c *Client) openAgain(ctx context.Context, req acp.LoadSessionRequest, state *State) (s *Session, method string, err error) {
	caps := c.Capabilities()
	if caps.SessionCapabilities.Resume != nil {
		if s, err = c.resume(ctx, acp.ResumeSessionRequest(req), state); err == nil {
			return s, acp.MethodSessionResume, nil
		}
	}
	if caps.LoadSession {
		resumed := err
		if s, err = c.load(ctx, req, true); err != nil && resumed != nil {
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
		if c.Err() == nil && v.ctx.Err() == nil {
			s.lose(failed)
		}
		return failed
	}
	unrestored := session.choose(ctx, was)
	if c.Err() != nil {
		return c.Err()
	}
	s.chosen = nil
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
	s.settle()
	v.mu.Lock()
	closed := s.closed
	v.mu.Unlock()
	if closed && err == nil {
		ctx, cancel := context.WithTimeout(v.ctx, v.opts.ReopenTimeout)
		defer cancel()
		_ = session.Close(ctx)
	}
}
