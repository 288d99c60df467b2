package agent

import (
	"context"
	"maps"

	"github.com/patchbay-dev/patchbay/acp"
)

// What a child asks of the client, it asks in the name of the session that the client has opened: most clients know no other,
// and would refuse or drop what comes under an id that they have never seen (F51).

// above returns the session that the client has opened: s itself, or the one that s works for.
func (s *Session) above() *Session {
	for s.child != nil {
		s = s.child.of.session
	}
	return s
}

// address is the id that requests to the client have.
func (s *Session) address() acp.SessionID { return s.above().ID() }

// above returns the turn that the client has started.
func (t *Turn) above() *Turn {
	for t.session.child != nil {
		t = t.session.child.of
	}
	return t
}

// named puts the titles of a child and of those that it works for before a text.
func (s *Session) named(text string) string {
	for ; s.child != nil; s = s.child.of.session {
		if s.child.Title != "" {
			text = s.child.Title + ": " + text
		}
	}
	return text
}

// whose says in _meta which child something is about, and which of its tool calls.
func (s *Session) whose(call acp.ToolCallID) acp.Meta {
	raw, err := rawOf(struct {
		SessionID acp.SessionID  `json:"sessionId"`
		Parent    acp.SessionID  `json:"parentSessionId"`
		Call      acp.ToolCallID `json:"toolCallId,omitzero"`
	}{s.ID(), s.Parent().ID(), call})
	if err != nil {
		return nil // there is nothing in it that has no JSON
	}
	return acp.Meta{childMeta: raw}
}

// surface shows a child's call in the session that the client has opened, since the user is about to be asked about it, and
// makes it the call that the question is about. From then on it is shown there until it ends.
func (c *ToolCall) surface(req *acp.RequestPermissionRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, top := c.turn.session, c.turn.above()
	meta := s.whose(c.state.ToolCallID)
	if c.shown == "" {
		call := c.state
		call.ToolCallID = acp.ToolCallID(top.session.next("call"))
		call.Title, call.Meta = s.named(call.Title), meta
		if err := top.Update(&call); err != nil {
			return err
		}
		c.shown = call.ToolCallID
	}
	req.ToolCall.ToolCallID, req.ToolCall.Title = c.shown, acp.Some(s.named(c.state.Title))
	req.ToolCall.Meta, req.Meta = meta, withMeta(req.Meta, meta)
	return nil
}

// withMeta adds members to a _meta.
func withMeta(m, more acp.Meta) acp.Meta {
	all := maps.Clone(m)
	if all == nil {
		return more
	}
	maps.Copy(all, more)
	return all
}

// reflect shows a change to a call where surface has shown it. If that can't be sent, the turn's end closes it (T2).
func (c *ToolCall) reflect(u *acp.ToolCallUpdate) {
	if c.shown == "" {
		return
	}
	same := *u
	same.ToolCallID, same.Meta = c.shown, nil
	if title, ok := u.Title.Get(); ok {
		same.Title = acp.Some(c.turn.session.named(title))
	}
	err := c.turn.above().Update(&same)
	if err != nil && !ended(err) {
		c.turn.session.conn.opts.Logger.Warn("a subagent's tool call can't be shown", "session", c.turn.session.ID(), "error", err)
	}
}

// waits says that the child waits for the user, and returns what says that it doesn't any more. Questions may be open at the
// same time.
func (s *Session) waits() (done func()) {
	if s.child == nil {
		return func() {}
	}
	s.child.asks.Lock()
	defer s.child.asks.Unlock()
	if s.child.open++; s.child.open == 1 {
		_ = s.announceChild(&acp.RequiresActionStateUpdate{}, nil) // the question itself will fail
	}
	return func() {
		s.child.asks.Lock()
		defer s.child.asks.Unlock()
		if s.child.open--; s.child.open == 0 {
			_ = s.announceChild(&acp.RunningStateUpdate{}, nil)
		}
	}
}

// elicitAbove asks on behalf of a child.
func (t *Turn) elicitAbove(ctx context.Context, req acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	s, top := t.session, t.above()
	if in, ok := req.Scope.(*acp.ElicitationSessionScope); req.Scope == nil || ok && in.SessionID == s.ID() {
		req.Scope = &acp.ElicitationSessionScope{SessionID: top.session.ID()} // where there is no such tool call
	}
	req.Message = s.named(req.Message)
	defer s.waits()()
	return elicit(ctx, t.call, s.conn, &req, &asker{session: top.session, turn: top, call: t.call, show: top.showQuestion})
}
