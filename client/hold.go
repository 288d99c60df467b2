package client

import (
	"context"
	"fmt"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// hold is what has arrived for sessions whose names are not known yet, because the answer that names them has not come
// (W12, F27). All of it is guarded by Client.mu.
type hold struct {
	openings map[*opening]struct{}
	updates  map[acp.SessionID][]heldUpdate
	bytes    int
	changed  chan struct{} // closed, and replaced, when a session has become known or an opening has ended
}

// An opening is a pending session/new, load, resume or fork.
type opening struct {
	fail context.CancelCauseFunc
}

// A heldUpdate keeps the context that its handler was given, since that is what makes calls from within
// Handler.Update safe.
type heldUpdate struct {
	ctx  context.Context
	note *acp.SessionNotification
	size int
}

func (h *hold) init() {
	h.openings = map[*opening]struct{}{}
	h.updates = map[acp.SessionID][]heldUpdate{}
	h.changed = make(chan struct{})
}

func (h *hold) changeLocked() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// findOrHold returns the session of an update. If there is none and one is being opened, the update is held.
func (c *Client) findOrHold(ctx context.Context, n *acp.SessionNotification, size int) (s *Session, held bool) {
	c.mu.RLock()
	s = c.sessions[n.SessionID]
	c.mu.RUnlock()
	if s != nil {
		return s, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s = c.sessions[n.SessionID]; s != nil || len(c.hold.openings) == 0 || c.named[n.SessionID] != nil {
		return s, false
	}
	c.hold.updates[n.SessionID] = append(c.hold.updates[n.SessionID], heldUpdate{ctx, n, size})
	c.hold.bytes += size + updateCost
	if c.hold.bytes > c.opts.Budget {
		// Nothing may be dropped and reading must go on, or the answers would never be read. So it is the calls that fail.
		for o := range c.hold.openings {
			o.fail(jsonrpc.ErrOverloaded)
		}
	}
	return nil, true
}

// unknownPatience is how long a request for an unknown session waits for one that is being opened. An agent that waits
// for the request's answer before it names the session must not wait for ever.
const unknownPatience = 5 * time.Second

// awaitSession returns the session of a request, nil if there is none. While one is being opened it waits.
func (c *Client) awaitSession(ctx context.Context, id acp.SessionID) *Session {
	var late <-chan time.Time
	for {
		c.mu.RLock()
		s, waits, changed := c.sessions[id], len(c.hold.openings) > 0, c.hold.changed
		c.mu.RUnlock()
		if s == nil && !waits {
			return nil
		}
		if s != nil {
			changed = s.ready
		} else if late == nil {
			timer := time.NewTimer(unknownPatience)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-changed:
		case <-late:
			return nil
		case <-ctx.Done():
			return nil
		}
		if s != nil {
			return s
		}
	}
}

// beginOpening notes that a call is pending that opens a session. If the session's id is known already, s is it, and
// what arrives belongs to it from now on; it is undone by endOpening.
func (c *Client) beginOpening(ctx context.Context, s *Session) (context.Context, *opening, error) {
	ctx, fail := context.WithCancelCause(ctx)
	o := &opening{fail: fail}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s != nil {
		if c.sessions[s.id] != nil {
			fail(nil)
			return nil, nil, fmt.Errorf("session %s is open already", s.id)
		}
		c.sessions[s.id] = s
	}
	c.hold.openings[o] = struct{}{}
	return ctx, o, nil
}

// endOpening notes that the call has returned. The session, if there is one, gets what was held for it, in order and
// before anything else; what belongs to no session goes to the ConnectionHandler once no opening is left.
func (c *Client) endOpening(o *opening, s *Session) error {
	o.fail(nil)
	c.mu.Lock()
	delete(c.hold.openings, o)
	var err error
	var mine []heldUpdate
	switch {
	case s == nil:
	case c.over:
		err = c.conn.Err()
	case s.id == "":
		err = fmt.Errorf("the agent has given the new session no id")
	case c.sessions[s.id] == nil:
		c.sessions[s.id] = s
	case c.sessions[s.id] != s:
		err = fmt.Errorf("the agent has called the new session %s, which is the id of an open one", s.id)
	}
	if s != nil && err == nil {
		mine = c.hold.takeLocked(s.id)
	}
	var strays []heldUpdate
	if len(c.hold.openings) == 0 {
		for id := range c.hold.updates {
			strays = append(strays, c.hold.takeLocked(id)...)
		}
	}
	c.hold.changeLocked()
	c.mu.Unlock()
	if s != nil && err == nil {
		for _, u := range mine {
			c.guard(func() { s.deliver(u.ctx, nil, u.note, u.size) })
		}
		s.release()
	}
	for _, u := range strays {
		c.guard(func() { c.strayUpdate(u.ctx, u.note) })
	}
	return err
}

func (h *hold) takeLocked(id acp.SessionID) []heldUpdate {
	list := h.updates[id]
	delete(h.updates, id)
	for i := range list {
		h.bytes -= list[i].size + updateCost
	}
	return list
}

// guard calls a method of the Handler outside of the connection's care (W9). It has a goroutine of its own, which is all
// that runtime.Goexit ends.
func (c *Client) guard(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				c.opts.Logger.Error("a handler panicked", "panic", p)
			}
		}()
		f()
	}()
	<-done
}

// strayUpdate takes an update of a session that is not open here.
func (c *Client) strayUpdate(ctx context.Context, n *acp.SessionNotification) {
	if h, ok := c.handler.(ConnectionHandler); ok {
		h.UnknownSessionUpdate(ctx, n)
		return
	}
	c.opts.Logger.Warn("update of a session that is not open", "session", n.SessionID, "update", fmt.Sprintf("%T", n.Update))
}
