package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// What may wait for the answer that names a session (W12).
const (
	maxHeld      = 4096
	maxHeldBytes = 64 << 20
)

// hold makes updates wait until release: the client would not know what session they are about.
func (s *Session) hold() {
	s.released = make(chan struct{})
	s.holding.Store(true)
}

// post sends an update that the client understands, or keeps it for release.
func (s *Session) post(ctx context.Context, u acp.SessionUpdate) error {
	if s.child != nil && s.child.hidden {
		return nil
	}
	if s.holding.Load() {
		if held, err := s.tryHold(u); held {
			return err
		}
	}
	return s.conn.rpc.Notify(ctx, acp.MethodSessionUpdate, &acp.SessionNotification{SessionID: s.id, Update: u})
}

// unsent reports whether an update is as good as never made: it was too large, or there was no room for it. One that comes
// when the client has gone counts, since what it tells of has happened all the same.
func unsent(err error) bool { return err != nil && !errors.Is(err, jsonrpc.ErrClosed) }

// tryHold keeps an update, unless updates don't wait any more.
func (s *Session) tryHold(u acp.SessionUpdate) (held bool, err error) {
	size, err := sizeOf(u)
	if err != nil {
		return true, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return true, ErrSessionClosed
	case !s.holding.Load():
		return false, nil
	case len(s.held) >= maxHeld || s.heldBytes+size > maxHeldBytes:
		return true, ErrTooManyUpdates
	}
	s.held = append(s.held, u)
	s.heldBytes += size
	return true, nil
}

// release sends what was held. It is called when the answer has been handed to the writer, and updates that come
// meanwhile line up behind those that wait.
func (s *Session) release(ctx context.Context) {
	for {
		s.mu.Lock()
		batch := s.held
		s.held, s.heldBytes = nil, 0
		if len(batch) == 0 {
			s.endHoldLocked()
			s.mu.Unlock()
			return
		}
		id := s.id
		s.mu.Unlock()
		for _, u := range batch {
			n := &acp.SessionNotification{SessionID: id, Update: u}
			if err := s.conn.rpc.Notify(ctx, acp.MethodSessionUpdate, n); err != nil {
				if !errors.Is(err, jsonrpc.ErrClosed) { // nobody is left to miss it otherwise
					s.conn.opts.Logger.Warn("an update that was held is lost", "session", id, "error", err)
				}
			}
		}
	}
}

func (s *Session) endHoldLocked() {
	if s.holding.Load() {
		s.holding.Store(false)
		close(s.released)
	}
}

// waitReleased waits until held updates have been sent: a client that is quick may ask something about the session
// before. That happens right after the answer, or when the connection ends.
func (s *Session) waitReleased() {
	if s.released == nil {
		return
	}
	select {
	case <-s.released:
	case <-s.conn.rpc.Done():
	}
}

// sizeOf returns about the size of an update in JSON, in bytes: that of its notification without a session.
func sizeOf(u acp.SessionUpdate) (int, error) {
	room := sizing.Get().(*[]byte)
	defer sizing.Put(room)
	text, err := acp.SessionNotification{Update: u}.AppendJSON((*room)[:0])
	if cap(text) <= maxSizing {
		*room = text[:0]
	}
	return len(text), err
}

// sizing has memory to encode updates in that are only counted, of at most maxSizing bytes each.
var sizing = sync.Pool{New: func() any { return new([]byte) }}

const maxSizing = 64 << 10
