package client

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// sessionFor returns the session that a request is served in: its own or, since a subagent's session need not be open here,
// the one that the subagent works for, whose user can answer in its place (F51). It is nil if there is neither.
func (c *Client) sessionFor(ctx context.Context, id acp.SessionID, req *jsonrpc.Request) *Session {
	if s := c.Session(id); s == nil {
		if parent := c.parentOf(id, req); parent != nil {
			return parent
		}
	}
	if s := c.awaitSession(ctx, id); s != nil {
		return s
	}
	caughtUp := c.catchUp(ctx)
	if parent := c.parentOf(id, req); parent != nil {
		return parent
	}
	asks := req.Method == acp.MethodSessionRequestPermission || req.Method == acp.MethodElicitationCreate
	if !caughtUp || !asks {
		return nil
	}
	return c.silentParent()
}

// catchUp waits, for a while, until the updates that have been read so far have been handled: the subagent may be named in
// one of them, since sessions don't wait for each other (W5). It reports whether they all have been.
func (c *Client) catchUp(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, unknownPatience)
	defer cancel()
	all := true
	for _, s := range c.Sessions() {
		all = c.conn.Handled(outsider{ctx}, string(s.id)) == nil && all
	}
	return all
}

// parentOf returns the open session that a subagent's session belongs to, nil if nobody has said so: in the request itself,
// in an update, or in a tool call.
func (c *Client) parentOf(id acp.SessionID, req *jsonrpc.Request) *Session {
	if s := c.Session(parentInMeta(req)); s != nil {
		return s
	}
	if id == "" { // as are those of subagents whose session is not known
		return nil
	}
	for _, s := range c.Sessions() {
		for _, b := range s.state.Subagents() {
			if b.SessionID == id {
				return s
			}
		}
	}
	return nil
}

// silentParent returns the session whose subagent works under an id that it has not said, nil if there is none or more than
// one. Some agents say the id when the subagent has done. To guess is for questions to the user only, and only when all
// updates have been handled: one of the rest could tell of a second such session.
func (c *Client) silentParent() *Session {
	var silent *Session
	for _, s := range c.Sessions() {
		if s.Turn() == nil || !s.state.hasUnnamed() {
			continue
		}
		if silent != nil {
			return nil
		}
		silent = s
	}
	return silent
}

// Asked returns the tool call that a permission request of the session is about, as the updates have described it so far. It
// is nil if they have not, and if it is a subagent's call: that has ids of its own, which may be those of other calls here.
func (s *Session) Asked(req *acp.RequestPermissionRequest) *ToolCall {
	if req.SessionID != s.id {
		return nil
	}
	return s.state.ToolCall(req.ToolCall.ToolCallID)
}

// parentInMeta returns the parentSessionId that stands in the _meta of a request, or in that of the tool call that it is
// about: at top level, or in an extension's own object.
func parentInMeta(req *jsonrpc.Request) acp.SessionID {
	for _, meta := range []acp.Raw{member(req.Params, "_meta"), member(req.Params, "toolCall", "_meta")} {
		if meta.Kind() != '{' {
			continue
		}
		if id := stringIn(meta, parentSession); id != "" {
			return acp.SessionID(id)
		}
		for w := rawjson.Walk(meta); w.Next(); {
			if id := stringIn(w.Value(), parentSession); id != "" {
				return acp.SessionID(id)
			}
		}
	}
	return ""
}

const parentSession = "parentSessionId"
