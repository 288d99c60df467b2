package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// Cancel asks the agent to end the turn, and answers everything that it has asked of the user in this session, or asks
// from now on in this turn, with cancelled (T4). It does not wait: Wait returns with the agent's answer, or after
// Options.CancelGrace without. A turn that has ended is left alone, and nothing is sent (F40). The end of ctx only ends
// the wait for the writer.
//
// Spec: prompt-turn#cancellation.
func (t *Turn) Cancel(ctx context.Context) error { return t.cancel(ctx, "", nil) }

// CancelBecause is Cancel with a reason for people and logs, which is sent as _meta.reason and kept in the Result. The
// reason of the first cancel counts.
func (t *Turn) CancelBecause(ctx context.Context, reason string) error {
	return t.cancel(ctx, reason, nil)
}

// Cancel cancels the session's turn. Without one, it cancels what the agent does by itself, if that has asked something
// of the user or the session is a subagent's; otherwise there is nothing to cancel and nothing is sent.
func (s *Session) Cancel(ctx context.Context) error {
	if t := s.Turn(); t != nil {
		return t.Cancel(ctx)
	}
	c := s.client
	c.mu.RLock()
	idle := len(s.asks) == 0 && s.parent == nil
	c.mu.RUnlock()
	if idle {
		return nil
	}
	defer s.cancelAsks()
	if err := s.lockWire(ctx); err != nil {
		return err
	}
	defer s.unlockWire()
	return c.conn.Notify(ctx, acp.MethodSessionCancel, &acp.CancelNotification{SessionID: s.id})
}

// cancel cancels the turn. The cause is nil for the user's own wish.
func (t *Turn) cancel(ctx context.Context, reason string, cause error) error {
	s := t.session
	if !t.markCancelled(reason, cause) {
		return nil
	}
	defer s.cancelAsks() // after the cancel, as the specification has it
	if err := s.lockWire(ctx); err != nil {
		return err
	}
	defer s.unlockWire()
	note, due := t.cancelNote()
	if !due {
		return nil
	}
	if err := s.client.conn.Notify(ctx, acp.MethodSessionCancel, note); err != nil {
		return err
	}
	s.client.mu.Lock()
	t.told = true
	s.client.mu.Unlock()
	return nil
}

// markCancelled notes that the turn is being cancelled and from when on it need not be answered (F44). It returns false
// if the turn has ended.
func (t *Turn) markCancelled(reason string, cause error) bool {
	c := t.session.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.session.turn != t {
		return false
	}
	if t.cancelled {
		return true
	}
	t.cancelled, t.reason, t.cause = true, reason, cause
	if t.leave != nil {
		t.leave(errTurnCancelled)
	}
	if c.opts.CancelGrace > 0 {
		t.grace = time.AfterFunc(c.opts.CancelGrace, t.giveUp)
	}
	return true
}

// cancelNote returns what to send, unless the turn has ended or that has been sent.
func (t *Turn) cancelNote() (*acp.CancelNotification, bool) {
	c := t.session.client
	c.mu.Lock()
	defer c.mu.Unlock()
	note := &acp.CancelNotification{SessionID: t.session.id}
	if t.reason != "" {
		if text, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(t.reason, "\uFFFD")); err == nil {
			note.Meta = acp.Meta{"reason": text}
		}
	}
	return note, t.session.turn == t && !t.told
}

func (t *Turn) isCancelled() bool {
	t.session.client.mu.RLock()
	defer t.session.client.mu.RUnlock()
	return t.cancelled
}

// giveUp ends a cancelled turn that the agent has not answered, unconfirmed (F42). If it was idle before, the agent is
// killed (T5).
func (t *Turn) giveUp() {
	c := t.session.client
	c.mu.Lock()
	if t.session.turn != t { // the answer has come after all, and the agent is well
		c.mu.Unlock()
		return
	}
	if p := t.pending.Load(); p != nil && p.Answered() { // what has come before the answer is still being handled
		t.grace.Reset(c.opts.CancelGrace) // for a prompt that is sent once more after signing in
		c.mu.Unlock()
		return
	}
	t.gaveUp = true
	cause := t.cause
	c.mu.Unlock()
	t.abandon(ErrUnconfirmed)
	if errors.Is(cause, ErrIdle) {
		c.kill()
	}
}

// contextEnded cancels the turn because the prompt's context has ended (W7).
func (t *Turn) contextEnded() {
	err := t.ctx.Err()
	if cause := context.Cause(t.ctx); !errors.Is(err, cause) {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	t.cancelInBackground(err)
}

// cancelInBackground cancels the turn on a goroutine of its own kind, which nobody waits for but the client.
func (t *Turn) cancelInBackground(cause error) {
	c := t.session.client
	if !c.begin() {
		return
	}
	defer c.work.Done()
	ctx := context.Background()
	if c.opts.CancelGrace > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.opts.CancelGrace)
		defer cancel()
	}
	_ = t.cancel(ctx, "", cause) // it fails if the connection has ended, or the agent reads nothing: then grace ends the turn
}
