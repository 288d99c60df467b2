package client

import (
	"bytes"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// maxChildren is how many sessions of subagents a client has before it forgets those that have ended. Twice as many are the
// most that there can be.
const maxChildren = 1000

// meetChild looks for the first mention of a subagent's session as soon as it is read, since what the subagent sends
// next is handled in a queue of its own, perhaps before its parent's.
func (c *Client) meetChild(req *jsonrpc.Request) bool {
	if req.Method != acp.MethodSessionUpdate || !mayNameChild(req.Params) {
		return false
	}
	var n acp.SessionNotification
	if req.Decode(&n) != nil {
		return false // the handler will say so
	}
	parent := c.Session(n.SessionID)
	if parent == nil {
		return false
	}
	if child, ok := n.Update.(*acp.SubagentUpdate); ok {
		c.adopt(parent, child)
	} else if id := namedBy(n.Update); id != "" {
		c.noteNamed(id, parent)
	}
	return false
}

// mayNameChild spares most updates the decoding.
func mayNameChild(params []byte) bool {
	if bytes.Contains(params, []byte("subagent_update")) {
		return true
	}
	return bytes.Contains(params, []byte("tool_call")) &&
		(bytes.Count(params, []byte(`sessionId"`)) > 1 || bytes.Contains(params, []byte("session_id")))
}

// namedBy returns the child session that an update of a tool call names, empty if it is no such update or names none.
func namedBy(u acp.SessionUpdate) acp.SessionID {
	var id acp.ToolCallID
	switch u := u.(type) {
	case *acp.ToolCall:
		id = u.ToolCallID
	case *acp.ToolCallUpdate:
		id = u.ToolCallID
	default:
		return ""
	}
	var s State
	s.Apply(u)
	var k task
	k.read(s.ToolCall(id))
	return k.session()
}

// noteNamed notes whose subagent works in a session, in case that the agent sends its updates. A name that is not used may
// be forgotten when there are many.
func (c *Client) noteNamed(id acp.SessionID, parent *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[id] != nil {
		return
	}
	if c.named == nil {
		c.named = map[acp.SessionID]*Session{}
	}
	for other := range c.named {
		if len(c.named) < maxChildren {
			break
		}
		delete(c.named, other)
	}
	c.named[id] = parent
}

// adoptNamed makes a session of a subagent that a tool call has named, when its first update comes. It returns nil if none has.
func (c *Client) adoptNamed(id acp.SessionID) *Session {
	c.mu.Lock()
	parent := c.named[id]
	if parent == nil {
		c.mu.Unlock()
		return nil
	}
	delete(c.named, id)
	c.adoptLocked(parent, id, parent.roots[0], parent.roots[1:])
	child := c.sessions[id]
	if child != nil {
		child.idle = true // as far as its State does not say otherwise
	}
	c.mu.Unlock()
	c.forgetChildren()
	return child
}

// adopt makes a session of a subagent that its parent has named in an update (F51).
func (c *Client) adopt(parent *Session, u *acp.SubagentUpdate) {
	cwd := u.CWD.Or("")
	if cwd == "" {
		cwd = parent.roots[0]
	}
	more, ok := u.AdditionalDirectories.Get()
	if !ok {
		more = parent.roots[1:]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.adoptLocked(parent, u.SessionID, cwd, more) {
		parent.state.foresee(u)
	}
}

// adoptLocked reports whether there is a new session.
func (c *Client) adoptLocked(parent *Session, id acp.SessionID, cwd string, more []string) bool {
	if id == "" || c.sessions[id] != nil || parent.over || len(c.children) >= 2*maxChildren {
		return false
	}
	child := newSession(c, id, cwd, more)
	child.parent = parent
	child.release()
	parent.state.AttachChild(id, child.state)
	c.sessions[id] = child
	c.children = append(c.children, child)
	c.hold.changeLocked()
	return true
}

// heardOfChild notes what an update that its parent's State has says of a child session.
func (c *Client) heardOfChild(u *acp.SubagentUpdate) {
	c.mu.Lock()
	child := c.sessions[u.SessionID]
	if state, ok := u.State.Get(); ok && child != nil {
		_, child.idle = state.(*acp.IdleStateUpdate)
	}
	ended := child != nil && child.idle
	c.mu.Unlock()
	if ended {
		c.forgetChildren()
	}
}

// forgetChildren ends the sessions of subagents that have done their work, the oldest first, if there are too many. Some more
// go than have to, so that it is not done each time.
func (c *Client) forgetChildren() {
	c.mu.RLock()
	var children []*Session
	if len(c.children) > maxChildren {
		children = append(children, c.children...)
	}
	c.mu.RUnlock()
	parents, over := map[*Session]bool{}, map[*Session]map[acp.SessionID]bool{}
	for _, child := range children {
		parents[child.parent] = true
		if over[child.parent] == nil {
			over[child.parent] = child.parent.state.childrenOver()
		}
	}
	spare := len(children) - maxChildren*9/10
	for _, child := range children {
		if spare <= 0 {
			return
		}
		is, known := over[child.parent][child.id]
		if !parents[child] && child.rests(is, known) {
			child.end()
			spare--
		}
	}
}

// below returns the sessions of the subagents that work for a session, and of theirs.
func (c *Client) below(top *Session) []acp.SessionID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var ids []acp.SessionID
	for _, child := range c.children {
		for s := child.parent; s != nil; s = s.parent {
			if s == top {
				ids = append(ids, child.id)
				break
			}
		}
	}
	return ids
}

// rests reports whether a child session has done its work, as its parent's State says if it is known there still, and nothing of
// it waits: no update and no question.
func (s *Session) rests(over, known bool) bool {
	s.client.mu.RLock()
	if !known {
		over = s.idle
	}
	over = over && len(s.asks) == 0 && s.turn == nil
	s.client.mu.RUnlock()
	return over && s.client.conn.Settled(string(s.id))
}

// childrenOver says which child sessions have done their work.
func (s *State) childrenOver() map[acp.SessionID]bool {
	list := s.Subagents()
	over := make(map[acp.SessionID]bool, len(list))
	for _, b := range list {
		if b.SessionID != "" {
			over[b.SessionID] = b.Stage().Over()
		}
	}
	return over
}
