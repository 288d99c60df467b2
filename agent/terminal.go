package agent

import (
	"context"
	"fmt"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Terminal is a command that the client runs and whose output it keeps and shows. Release it when it is not needed any
// more. One that was made through a turn is killed and released when the turn is cancelled or fails (T4); otherwise it
// may outlive the turn, and is killed and released at the latest when its session is closed. The turn's answer, and that of
// session/close, wait for the client to do so, but no longer than a quarter of a second (F44).
//
// Spec: terminals.
type Terminal struct {
	session *Session
	turn    *Turn // that it was made through; nil if it was made through the session
	id      acp.TerminalID

	killing   errand // of what is not the author's wish
	releasing errand
}

// CreateTerminal has the client run a command. The session's id is filled in, and a relative CWD is meant from the
// session's working directory. A client without the capability is an *acp.UnsupportedError.
//
// It returns as soon as ctx or the turn ends, however long the client takes; a terminal that the client makes then all the
// same is killed and released when it is there (T4).
func (t *Turn) CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (*Terminal, error) {
	ctx, stop := t.join(ctx)
	defer stop()
	if !t.running() {
		return nil, ErrTurnEnded
	}
	term, err := awaitTerminal(ctx, t.session, t, req)
	return term, t.asCancelled(err)
}

// CreateTerminal is like Turn.CreateTerminal, and the terminal has nothing to do with a turn: it returns as soon as ctx ends
// or the session is closed.
func (s *Session) CreateTerminal(ctx context.Context, req acp.CreateTerminalRequest) (*Terminal, error) {
	ctx, stop, err := s.join(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	term, err := awaitTerminal(ctx, s, nil, req)
	return term, asClosed(ctx, err)
}

// awaitTerminal has the client make a terminal and waits for it no longer than ctx.
func awaitTerminal(ctx context.Context, s *Session, t *Turn, req acp.CreateTerminalRequest) (*Terminal, error) {
	type outcome struct {
		term *Terminal
		err  error
	}
	stopped := func() error { return fmt.Errorf("create a terminal: %w (%w)", ctx.Err(), context.Cause(ctx)) }
	if ctx.Err() != nil {
		return nil, stopped()
	}
	done := make(chan outcome) // unbuffered: the outcome is handed over, or the terminal is nobody's
	go func() {                // ends with the client's answers, or with the connection
		late := context.WithoutCancel(ctx)
		term, err := createTerminal(late, s, t, req)
		select {
		case done <- outcome{term, err}:
		case <-ctx.Done():
			if term != nil {
				term.discard(late)
			}
		}
	}()
	select {
	case o := <-done:
		return o.term, o.err
	case <-ctx.Done():
		return nil, stopped()
	}
}

func createTerminal(ctx context.Context, s *Session, t *Turn, req acp.CreateTerminalRequest) (*Terminal, error) {
	req.SessionID = s.address()
	req.CWD = s.resolve(req.CWD)
	if err := s.usable(); err != nil {
		return nil, err
	}
	var answer acp.CreateTerminalResponse
	if err := s.conn.Call(ctx, acp.MethodTerminalCreate, &req, &answer); err != nil {
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
		SessionID: term.session.address(), TerminalID: term.id,
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
		SessionID: term.session.address(), TerminalID: term.id,
	}, &answer)
	if err != nil {
		return nil, err
	}
	return &acp.TerminalExitStatus{ExitCode: answer.ExitCode, Signal: answer.Signal, Meta: answer.Meta}, nil
}

// Kill ends the command and keeps the terminal, so that its output can still be read. The client is told in any case; ctx
// is for how long to wait for its answer, which is given up after ten seconds.
func (term *Terminal) Kill(ctx context.Context) error {
	if err := term.session.usable(); err != nil {
		return err
	}
	return new(errand).run(ctx, term.kill)
}

func (term *Terminal) kill(ctx context.Context) error {
	var answer acp.KillTerminalResponse
	return term.session.conn.Call(ctx, acp.MethodTerminalKill, &acp.KillTerminalRequest{
		SessionID: term.session.address(), TerminalID: term.id,
	}, &answer)
}

// Release ends the command, if it still runs, and frees the terminal. The client is told once, and in any case; ctx is for
// how long to wait for its answer, as with Kill. Whoever calls it later gets the same answer.
func (term *Terminal) Release(ctx context.Context) error {
	if t := term.turn; t != nil && t.wasCancelled() {
		term.killFirst(ctx)
	}
	return term.releasing.run(ctx, term.release)
}

func (term *Terminal) release(ctx context.Context) error {
	defer term.session.forget(term)
	var answer acp.ReleaseTerminalResponse
	return term.session.conn.Call(ctx, acp.MethodTerminalRelease, &acp.ReleaseTerminalRequest{
		SessionID: term.session.address(), TerminalID: term.id,
	}, &answer)
}

func (s *Session) forget(term *Terminal) {
	s.mu.Lock()
	delete(s.terminals, term)
	s.mu.Unlock()
}

// wasCancelled reports whether the turn was cancelled, in whatever way, rather than having ended by itself.
func (t *Turn) wasCancelled() bool {
	if t.ctx.Err() != nil && t.running() {
		return true
	}
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.cancelled != nil
}

// running reports whether the turn has not ended.
func (t *Turn) running() bool {
	t.gate.RLock()
	defer t.gate.RUnlock()
	return !t.ended
}

// killWithTurn kills the terminal's command as soon as its turn is cancelled.
func (term *Terminal) killWithTurn() {
	if term.turn.wasCancelled() { // otherwise the turn has ended by itself
		term.killFirst(term.turn.sending)
	}
}

// killFirst kills the command before the terminal is released, once. That it fails, or takes long, does not matter:
// releasing the terminal, which follows, ends the command too.
func (term *Terminal) killFirst(ctx context.Context) {
	if !term.releasing.begun() {
		term.killing.runBriefly(ctx, killWait, term.kill)
	}
}

// discard kills and releases the terminal, and returns when the client has done so or has had its time. It does so too when
// the session is being closed or is closed already: what the client has made late it has to be told.
func (term *Terminal) discard(ctx context.Context) {
	term.killFirst(ctx)
	term.releasing.runBriefly(ctx, tidyWait-killWait, term.release)
}

// tidy takes away the terminals that were made through a turn that was cut short (T4). It waits for none that the client
// is still making, since a client may never answer: CreateTerminal sees to those.
func (t *Turn) tidy() { t.session.releaseTerminals(t.sending, t) }

// releaseTerminals kills and releases the terminals that were made through a turn, all of them if t is nil.
func (s *Session) releaseTerminals(ctx context.Context, t *Turn) {
	var all sync.WaitGroup
	s.mu.Lock()
	for term := range s.terminals {
		if t == nil || term.turn == t {
			all.Go(func() { term.discard(ctx) })
		}
	}
	s.mu.Unlock()
	all.Wait()
}
