package client

import (
	"context"
	"maps"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A route serves a method of the agent's.
type route func(ctx context.Context, req *jsonrpc.Request) (any, error)

// serve derives from what is implemented both what is served and what is advertised, so that the two can't differ
// (W11).
func (c *Client) serve() {
	c.routes = map[string]route{
		acp.MethodSessionRequestPermission: inSession(c, func(p *acp.RequestPermissionRequest) acp.SessionID { return p.SessionID }, c.requestPermission),
	}
	c.serveFiles()
	c.serveTerminals()
	c.serveElicitation()
	if h, ok := c.handler.(AuthStatusHandler); ok {
		c.routes[acp.MethodAuthStatusUpdate] = notified(h.AuthStatusUpdate)
	}
	if h, ok := c.handler.(MCPHandler); ok {
		c.routes[acp.MethodMCPMessage] = outside(c, h.MCPMessage)
	}
	c.advertiseAuth()
	c.advertiseShows()
	for _, x := range []any{c.handler, optional(c.opts.Files), optional(c.opts.Terminals)} {
		if e, ok := x.(SessionEnder); ok {
			c.enders = append(c.enders, e)
		}
	}
}

// optional returns a value of a pointer that may be nil, which an interface would hide.
func optional[T any](p *T) any {
	if p == nil {
		return nil
	}
	return p
}

// either returns what serves a group of methods: the Handler if it can, else an option.
func either[T any](h Handler, option any) (served T, ok bool) {
	if served, ok = h.(T); ok {
		return served, true
	}
	served, ok = option.(T)
	return served, ok
}

func (c *Client) serveFiles() {
	if h, ok := either[FileReader](c.handler, optional(c.opts.Files)); ok {
		c.caps.FS.ReadTextFile = true
		c.routes[acp.MethodFSReadTextFile] = inSession(c, func(p *acp.ReadTextFileRequest) acp.SessionID { return p.SessionID }, guarded(c, readAccess, h.ReadTextFile))
	}
	if h, ok := either[FileWriter](c.handler, optional(c.opts.Files)); ok {
		c.caps.FS.WriteTextFile = true
		c.routes[acp.MethodFSWriteTextFile] = inSession(c, func(p *acp.WriteTextFileRequest) acp.SessionID { return p.SessionID }, guarded(c, writeAccess, h.WriteTextFile))
	}
}

func (c *Client) serveTerminals() {
	h, ok := either[TerminalHandler](c.handler, optional(c.opts.Terminals))
	if !ok {
		return
	}
	c.caps.Terminal = true
	c.routes[acp.MethodTerminalCreate] = inSession(c, func(p *acp.CreateTerminalRequest) acp.SessionID { return p.SessionID }, guarded(c, commandAccess, h.CreateTerminal))
	c.routes[acp.MethodTerminalOutput] = inSession(c, func(p *acp.TerminalOutputRequest) acp.SessionID { return p.SessionID }, h.TerminalOutput)
	c.routes[acp.MethodTerminalWaitForExit] = inSession(c, func(p *acp.WaitForTerminalExitRequest) acp.SessionID { return p.SessionID }, h.WaitForTerminalExit)
	c.routes[acp.MethodTerminalKill] = inSession(c, func(p *acp.KillTerminalRequest) acp.SessionID { return p.SessionID }, h.KillTerminal)
	c.routes[acp.MethodTerminalRelease] = inSession(c, func(p *acp.ReleaseTerminalRequest) acp.SessionID { return p.SessionID }, h.ReleaseTerminal)
}

// advertiseAuth says in the official way and in the older one that there is a terminal to sign in on.
func (c *Client) advertiseAuth() {
	c.caps.Meta = c.opts.CapabilitiesMeta
	if c.opts.TerminalAuth == nil {
		return
	}
	c.caps.Auth.Terminal = true
	if c.caps.Meta = maps.Clone(c.caps.Meta); c.caps.Meta == nil {
		c.caps.Meta = acp.Meta{}
	}
	c.caps.Meta[terminalAuthMember] = acp.Raw("true")
}

func (c *Client) advertiseShows() {
	shows := c.opts.Shows
	if shows.Plans {
		c.caps.Plan = &acp.PlanCapabilities{}
	}
	if shows.Subagents {
		c.caps.Subagents = &acp.SubagentCapabilities{}
	}
	if !shows.Notices && !shows.Compactions && !shows.BooleanOptions {
		return
	}
	c.caps.Session = &acp.ClientSessionCapabilities{}
	if shows.Notices {
		c.caps.Session.Notices = &acp.NoticeCapabilities{}
	}
	if shows.Compactions {
		c.caps.Session.Compaction = &acp.CompactionCapabilities{}
	}
	if shows.BooleanOptions {
		c.caps.Session.ConfigOptions = &acp.SessionConfigOptionsCapabilities{Boolean: &acp.BooleanConfigOptionCapabilities{}}
	}
}

// handle takes a message from the agent, after those of its session that came before (W5).
func (c *Client) handle(ctx context.Context, req *jsonrpc.Request) (any, error) {
	if req.Method == acp.MethodSessionUpdate && req.IsNotification() {
		return nil, c.update(ctx, req)
	}
	serve, ok := c.routes[req.Method]
	if ok && (acp.NotificationMethod(acp.ToClient, req.Method) != nil) == req.IsNotification() {
		return serve(ctx, req)
	}
	extension, ok := c.handler.(ExtensionHandler)
	if !ok || len(acp.MethodsNamed(req.Method)) > 0 {
		return nil, jsonrpc.ErrMethodNotFound
	}
	c.asked.Add(1)
	defer c.asked.Add(-1)
	return extension.HandleExtension(ctx, req.Method, req.Params)
}

// update takes a session/update. This is the path that everything that an agent says takes.
func (c *Client) update(ctx context.Context, req *jsonrpc.Request) error {
	n := new(acp.SessionNotification)
	if err := req.Decode(n); err != nil {
		return err
	}
	s, held := c.findOrHold(ctx, n, len(req.Params))
	if s == nil && !held {
		s = c.adoptNamed(n.SessionID)
	}
	switch {
	case held:
	case s == nil:
		c.strayUpdate(ctx, n)
	default:
		s.handle(ctx, req, n)
	}
	return nil
}

// inSession serves a request that belongs to a session.
func inSession[P, R any](c *Client, session func(*P) acp.SessionID, serve func(context.Context, *Session, *P) (*R, error)) route {
	return func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		c.asked.Add(1)
		defer c.asked.Add(-1)
		params := new(P)
		if err := req.Decode(params); err != nil {
			return nil, err
		}
		s := c.sessionFor(ctx, session(params), req)
		if s == nil {
			return c.strayRequest(ctx, session(params), req)
		}
		s.acts()
		return result(serve(ctx, s, params))
	}
}

// outside serves a request that belongs to no session.
func outside[P, R any](c *Client, serve func(context.Context, *P) (*R, error)) route {
	return func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		c.asked.Add(1)
		defer c.asked.Add(-1)
		params := new(P)
		if err := req.Decode(params); err != nil {
			return nil, err
		}
		return result(serve(ctx, params))
	}
}

// notified serves a notification.
func notified[P any](serve func(context.Context, *P)) route {
	return func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		params := new(P)
		if err := req.Decode(params); err != nil {
			return nil, err
		}
		serve(ctx, params)
		return nil, nil
	}
}

// result makes an answer of what a handler returned. Nil is an empty object: all results of the protocol are objects.
func result[R any](r *R, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if r == nil {
		return struct{}{}, nil
	}
	return r, nil
}

// strayRequest takes a request for a session that is not open here. It is never left without an answer (F51).
func (c *Client) strayRequest(ctx context.Context, id acp.SessionID, req *jsonrpc.Request) (any, error) {
	if h, ok := c.handler.(ConnectionHandler); ok {
		return h.UnknownSessionRequest(ctx, id, req.Method, req.Params)
	}
	return nil, acp.ErrSessionNotFound(id)
}
