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
	c.catchUp(ctx)
	return c.parentOf(id, req)
}

// catchUp waits, for a while, until the updates that have been read so far have been handled: the subagent may be named in
// one of them, since sessions don't wait for each other (W5).
func (c *Client) catchUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, unknownPatience)
	defer cancel()
	for _, s := range c.Sessions() {
		_ = c.conn.Handled(outsider{ctx}, string(s.id)) // when that takes too long there is what is known by then
	}
}

// parentOf returns the open session that a subagent's session belongs to, nil if that is not known. Agents say so in their
// updates and tool calls, in the request itself, or not before the subagent has done: then it is the session that has one
// whose id it has not said yet, if there is only one such session, and only for questions to the user.
func (c *Client) parentOf(id acp.SessionID, req *jsonrpc.Request) *Session {
	if s := c.Session(parentInMeta(req)); s != nil {
		return s
	}
	var silent []*Session
	for _, s := range c.Sessions() {
		unnamed := false
		for _, b := range s.state.Subagents() {
			if b.SessionID == id {
				return s
			}
			unnamed = unnamed || b.SessionID == "" && b.Status == acp.ToolCallStatusInProgress
		}
		if unnamed && s.Turn() != nil {
			silent = append(silent, s)
		}
	}
	asks := req.Method == acp.MethodSessionRequestPermission || req.Method == acp.MethodElicitationCreate
	if len(silent) == 1 && asks {
		return silent[0]
	}
	return nil
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
