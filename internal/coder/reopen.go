package coder

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// handOverTime bounds how long a session that is opened once more waits for a turn whose client has gone.
const handOverTime = 10 * time.Second

// enter begins a turn. It fails if the session has been opened once more, and is someone else's now.
func (s *session) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved {
		return errMoved()
	}
	s.turn = make(chan struct{})
	return nil
}

// leave ends a turn.
func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.turn)
	s.turn = nil
}

// hasMoved reports whether the session is someone else's now.
func (s *session) hasMoved() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

func errMoved() error {
	return acp.ErrInvalidRequest("the session has been opened on another connection; load or resume it here to go on")
}

// handOver keeps all further turns out, so that the session can go on as another one. A turn that runs elsewhere is not
// disturbed, and the error says so; one whose client has gone is waited for.
func (s *session) handOver(ctx context.Context, open bool) error {
	ctx, stop := context.WithTimeout(ctx, handOverTime)
	defer stop()
	for {
		s.mu.Lock()
		running, moved := s.turn, s.moved
		s.moved = moved || running == nil
		s.mu.Unlock()
		switch {
		case moved:
			return acp.ErrInvalidRequest("the session is being opened by another request")
		case running == nil:
			return nil
		case open:
			return errBusy()
		}
		select {
		case <-running:
		case <-ctx.Done():
			return errBusy()
		}
	}
}

func errBusy() error {
	return acp.ErrInvalidRequest("a turn of the session is running; it can be opened once more when that has ended")
}

// takeBack undoes handOver.
func (s *session) takeBack() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = false
}

// reopen makes s go on where the session with its id is, with the roots that its client wants now (F71), and replays the
// history if that is wanted. A session that is open keeps all that it has; see successor. One that is not comes from the
// store, if there is one.
func (c *Coder) reopen(ctx context.Context, s *agent.Session, replay bool) (options []acp.SessionConfigOption, err error) {
	db, problem := c.cabinet.get(ctx)
	kept, err := c.recent.get(s.ID())
	switch {
	case db != nil && (err != nil || !isOpen(kept.from)):
		return c.reopenStored(ctx, db, s, kept.state, replay)
	case err != nil && problem != nil:
		return nil, acp.ErrInternal("there is no session %s in this process, and others can't be had: %s", s.ID(), problem)
	case err != nil:
		return nil, err
	}
	open := isOpen(kept.from)
	elsewhere := open && kept.from.Conn() != s.Conn() // package agent has ended a turn on this connection
	if err := kept.state.handOver(ctx, elsewhere); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			kept.state.takeBack()
		}
	}()
	state, err := c.successor(s, kept.state, open)
	if err != nil {
		return nil, err
	}
	if err := s.Restore(kept.from.History()); err != nil {
		return nil, err
	}
	err = errors.Join(c.show(ctx, s, kept.state.desk.keep, replay), tellMove(ctx, s, kept.from.CWD()), c.announce(ctx, s, state))
	if err != nil {
		return nil, err
	}
	if open && kept.state.desk.move(s.Conn()) {
		state.desk = kept.state.desk
	} else {
		kept.state.end() // which has happened, or is about to
	}
	if state.desk.keep != nil && !slices.Equal(kept.state.roots, state.roots) {
		if err := state.keepPlace(); err != nil {
			return nil, keptError(s.ID(), err)
		}
	}
	c.open(s, state, kept.title)
	return c.options(state), nil
}

// reopenStored makes s go on with a stored session. If this process has it still, for a client that has gone, that ends.
func (c *Coder) reopenStored(ctx context.Context, db *store.Store, s *agent.Session, before *session, replay bool) ([]acp.SessionConfigOption, error) {
	if before != nil {
		if err := before.handOver(ctx, false); err != nil {
			return nil, err
		}
		before.end()
	}
	state, loaded, err := c.takeUp(ctx, db, s)
	if err != nil {
		return nil, err
	}
	err = errors.Join(c.show(ctx, s, state.desk.keep, replay), tellMove(ctx, s, loaded.CWD), c.announce(ctx, s, state))
	if err != nil {
		state.end()
		return nil, err
	}
	c.open(s, state, loaded.Title)
	return c.options(state), nil
}

// show replays what the client saw of a session, if that is wanted, and says what the user has called it.
func (c *Coder) show(ctx context.Context, s *agent.Session, k *keeper, replay bool) error {
	if !replay {
		return nil
	}
	replayed := s.Replay
	if k != nil {
		replayed = func(ctx context.Context) error { return k.replay(ctx, s) }
	}
	if err := replayed(ctx); err != nil {
		return err
	}
	title, err := c.ownTitle(ctx, s.ID(), k)
	if title != "" {
		tellTitle(ctx, s, title)
	}
	return err
}

// fork makes s begin with what was said in another session, by the same model.
func (c *Coder) fork(ctx context.Context, from acp.SessionID, s *agent.Session) ([]acp.SessionConfigOption, error) {
	if db, _ := c.cabinet.get(ctx); db != nil {
		state, title, err := c.forkStored(ctx, db, from, s)
		if err != nil {
			return nil, err
		}
		if err := c.announce(ctx, s, state); err != nil {
			c.discard(ctx, s, state)
			return nil, err
		}
		c.open(s, state, title)
		return c.options(state), nil
	}
	kept, err := c.recent.get(from)
	if err != nil {
		return nil, err
	}
	state, err := c.successor(s, kept.state, false)
	if err != nil {
		return nil, err
	}
	state.bill = bill{}
	if err := s.Restore(finished(kept.from.History())); err != nil {
		return nil, err
	}
	if err := c.announce(ctx, s, state); err != nil {
		return nil, err
	}
	c.open(s, state, kept.title)
	return c.options(state), nil
}

// successor is a session that goes on where another one is: with its conversation, its bill and what was chosen for it. What
// lets it do things without asking stays only if the session is open, and works in the same folders; the user's answers are
// another matter (see inherit).
func (c *Coder) successor(s *agent.Session, before *session, open bool) (*session, error) {
	cfg, err := c.place(s)
	if err != nil {
		return nil, err
	}
	chosen := before.chosen()
	same := slices.Equal(before.roots, s.Roots())
	if !open || !same {
		chosen.permissions = permissionsAgain(chosen.permissions, cfg, same)
	}
	if !open {
		if chosen.engine, err = c.models.again(cfg, chosen.engine); err != nil {
			return nil, c.refuse(s, err)
		}
	}
	state := newState(s, cfg, chosen)
	before.mu.Lock()
	defer before.mu.Unlock()
	state.conversation, state.counted = slices.Clone(before.conversation), before.counted
	state.brood = before.brood
	state.files, state.bill = maps.Clone(before.files), before.bill
	return state, state.inherit(before.grants.List(), same)
}
