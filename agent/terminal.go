package agent

import (
	"context"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Terminal is a command that the client runs and whose output it keeps and shows. Release it when it is not needed any
// more. One that was made through a turn is killed and released when the turn is cancelled or fails (T4); otherwise it
// may outlive the turn, and is killed and released at the latest when its session is closed.
//
// Spec: terminals.
type Terminal struct {
	session *Session
	turn    *Turn // that it was made through; nil if it was made through the session
	id      acp.TerminalID

	killing sync.Once // of what is not the author's wish

	mu       sync.Mutex // guards released
	released bool
}

// CreateTerminal has the client run a command. The session's id is filled in, and a relative CWD is meant from the
// session's working directory. A client without the capability is an *acp.UnsupportedError.
func (t *Turn) CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (*Terminal, error) {
	ctx, stop := t.join(ctx)
	defer stop()
	t.gate.RLock()
	if t.ended {
		t.gate.RUnlock()
		return nil, ErrTurnEnded
	}
	t.orphans.Add(1) // before the turn can end, which waits for it
	t.gate.RUnlock()
	if err := t.ctx.Err(); err != nil {
		t.orphans.Done()
		return nil, ErrCancelled
	}
	type outcome struct {
		term *Terminal
		err  error
	}
	done := make(chan outcome, 1) // holds the outcome if nobody waits for it any more
	go func() {                   // ends with the client's answer, or with the connection
		defer t.orphans.Done()
		term, err := createTerminal(t.sending, t.session, t, req)
		done <- outcome{term, err}
	}()
	select {
	case o := <-done:
		return o.term, o.err
	case <-ctx.Done():
		// The client may have made the terminal all the same: it is known to the turn then, and goes with it.
		return nil, t.asCancelled(context.Cause(ctx))
	}
}

// CreateTerminal is like Turn.CreateTerminal, and the terminal has nothing to do with a turn.
func (s *Session) CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (*Terminal, error) {
	return createTerminal(ctx, s, nil, req)
}

func createTerminal(ctx context.Context, s *Session, t *Turn, req acp.CreateTerminalRequest) (*Terminal, error) {
	req.SessionID = s.ID()
	req.CWD = s.resolve(req.CWD)
	var answer acp.CreateTerminalResponse
	if err := s.call(ctx, acp.MethodTerminalCreate, &req, &answer); err != nil {
		return nil, err
	}
	term := &Terminal{session: s, turn: t, id: answer.TerminalID}
	s.mu.Lock()
	if s.terminals == nil {
		s.terminals = map[*Terminal]struct{}{}
	}
	s.terminals[term] = struct{}{}
	s.mu.Unlock()
	if t != nil {
		context.AfterFunc(t.ctx, term.killWithTurn)
	}
	return term, nil
}

// ID names the terminal.
func (term *Terminal) ID() acp.TerminalID { return term.id }

// Output returns what the terminal has shown so far, without waiting.
func (term *Terminal) Output(ctx context.Context) (*acp.TerminalOutputResponse, error) {
	var answer acp.TerminalOutputResponse
	err := term.session.call(ctx, acp.MethodTerminalOutput, &acp.TerminalOutputRequest{
		SessionID: term.session.ID(), TerminalID: term.id,
	}, &answer)
	if err != nil {
		return nil, err
	}
	return &answer, nil
}

// Wait waits until the command has ended and says how.
func (term *Terminal) Wait(ctx context.Context) (*acp.TerminalExitStatus, error) {
	call := term.session.call
	if term.turn != nil && term.turn.running() {
		call = term.turn.call
	}
	var answer acp.WaitForTerminalExitResponse
	err := call(ctx, acp.MethodTerminalWaitForExit, &acp.WaitForTerminalExitRequest{
		SessionID: term.session.ID(), TerminalID: term.id,
	}, &answer)
	if err != nil {
		return nil, err
	}
	return &acp.TerminalExitStatus{ExitCode: answer.ExitCode, Signal: answer.Signal, Meta: answer.Meta}, nil
}

// Kill ends the command and keeps the terminal, so that its output can still be read.
func (term *Terminal) Kill(ctx context.Context) error {
	var answer acp.KillTerminalResponse
	return term.session.call(ctx, acp.MethodTerminalKill, &acp.KillTerminalRequest{
		SessionID: term.session.ID(), TerminalID: term.id,
	}, &answer)
}

// Release ends the command, if it still runs, and frees the terminal. Once it is released, that does nothing.
func (term *Terminal) Release(ctx context.Context) error {
	term.mu.Lock()
	before := term.released
	term.released = true
	term.mu.Unlock()
	if before {
		return nil
	}
	var answer acp.ReleaseTerminalResponse
	err := term.session.call(ctx, acp.MethodTerminalRelease, &acp.ReleaseTerminalRequest{
		SessionID: term.session.ID(), TerminalID: term.id,
	}, &answer)
	if ctx.Err() != nil { // the client may not have heard of it: the turn or the session will try again
		term.mu.Lock()
		term.released = false
		term.mu.Unlock()
		return err
	}
	term.session.forget(term)
	return err
}

func (s *Session) forget(term *Terminal) {
	s.mu.Lock()
	delete(s.terminals, term)
	s.mu.Unlock()
}

// running reports whether the turn has not ended.
func (t *Turn) running() bool {
	t.gate.RLock()
	defer t.gate.RUnlock()
	return !t.ended
}

// tidyTime bounds how long the end of a turn, or of a session, waits for the client to take its terminals away.
const tidyTime = 5 * time.Second

// killWithTurn kills the terminal's command as soon as its turn is cancelled. It runs on a goroutine of its own, which
// ends with the client's answer or after tidyTime.
func (term *Terminal) killWithTurn() {
	t := term.turn
	t.session.mu.Lock()
	cancelled := t.cancelled != nil
	t.session.mu.Unlock()
	if !cancelled { // the turn has ended by itself
		return
	}
	ctx, stop := context.WithTimeout(t.sending, tidyTime)
	defer stop()
	term.killOnce(ctx)
}

// killOnce kills the command unless that was done before or the terminal is gone. That it fails does not matter:
// releasing the terminal, which follows, ends the command too.
func (term *Terminal) killOnce(ctx context.Context) {
	term.killing.Do(func() {
		term.mu.Lock()
		released := term.released
		term.mu.Unlock()
		if !released {
			_ = term.Kill(ctx)
		}
	})
}

// tidy takes away the terminals that were made through a turn that was cut short (T4).
func (t *Turn) tidy() {
	made := make(chan struct{})
	go func() { // ends when the client has answered every terminal/create, or with the connection
		t.orphans.Wait()
		close(made)
	}()
	ctx, stop := context.WithTimeout(t.sending, tidyTime)
	defer stop()
	select {
	case <-made:
	case <-ctx.Done():
	}
	t.session.releaseTerminals(t.sending, t)
}

// releaseTerminals kills and releases the terminals that were made through a turn, all of them if t is nil.
func (s *Session) releaseTerminals(ctx context.Context, t *Turn) {
	ctx, stop := context.WithTimeout(ctx, tidyTime)
	defer stop()
	var all sync.WaitGroup
	s.mu.Lock()
	for term := range s.terminals {
		if t == nil || term.turn == t {
			all.Go(func() {
				term.killOnce(ctx)
				_ = term.Release(ctx) // a client that does not release it has been asked
			})
		}
	}
	s.mu.Unlock()
	all.Wait()
}
