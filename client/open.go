package client

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// NewSession starts a session. The working directory and additional directories must be absolute paths; what the agent
// did not advertise (kinds of MCP servers, additional directories, a system prompt) is an *acp.UnsupportedError. If the
// agent says that the user must sign in, Options.Auth says how, and the session is started then.
//
// Updates that the agent sends before its answer are held and handled before NewSession returns (W12). If they exceed
// Options.Budget, NewSession fails with jsonrpc.ErrOverloaded.
//
// Spec: session-setup#creating-a-session.
func (c *Client) NewSession(ctx context.Context, req acp.NewSessionRequest) (*Session, error) {
	spec := &setup{method: acp.MethodSessionNew, cwd: req.CWD, more: req.AdditionalDirectories, servers: req.MCPServers, system: req.SystemPrompt}
	return c.open(ctx, spec, func(ctx context.Context) (*opened, error) {
		req.MCPServers = spec.servers
		resp, err := request[acp.NewSessionResponse](ctx, c, spec.method, &req)
		if err != nil {
			return nil, err
		}
		return &opened{resp.SessionID, resp.Modes, resp.ConfigOptions, resp.Unknown}, nil
	})
}

// LoadSession opens a saved session. Its history arrives as updates, at the Handler and in the State, before LoadSession
// returns. It is an *acp.UnsupportedError unless the agent advertised it; a session that the agent does not have is an
// *acp.Error with acp.CodeResourceNotFound (F68, F73). Otherwise it is as NewSession.
//
// Spec: session-setup#loading-sessions.
func (c *Client) LoadSession(ctx context.Context, req acp.LoadSessionRequest) (*Session, error) {
	return c.load(ctx, req, false)
}

// load is LoadSession. A history that the Handler has seen, on an earlier connection, is not shown to it again.
func (c *Client) load(ctx context.Context, req acp.LoadSessionRequest, seen bool) (*Session, error) {
	spec := &setup{
		method: acp.MethodSessionLoad, id: req.SessionID,
		cwd: req.CWD, more: req.AdditionalDirectories, servers: req.MCPServers, system: req.SystemPrompt,
	}
	return c.open(ctx, spec, func(ctx context.Context) (*opened, error) {
		req.MCPServers = spec.servers
		pending, err := c.conn.Prepare(spec.method, &req)
		if err != nil {
			return nil, err
		}
		if s := c.Session(spec.id); s != nil && seen {
			s.replay.Store(pending)
		}
		if err := pending.Send(ctx); err != nil {
			return nil, err
		}
		var resp acp.LoadSessionResponse
		if err := pending.Wait(ctx, &resp); err != nil {
			return nil, err
		}
		return &opened{spec.id, resp.Modes, resp.ConfigOptions, resp.Unknown}, nil // the id is the one that was asked for (F67)
	})
}

// ResumeSession opens a saved session without its history. Otherwise it is as LoadSession.
func (c *Client) ResumeSession(ctx context.Context, req acp.ResumeSessionRequest) (*Session, error) {
	return c.resume(ctx, req, nil)
}

// resume is ResumeSession. The State that an earlier connection had of the session goes on, if there is one, since the agent
// says nothing of what was.
func (c *Client) resume(ctx context.Context, req acp.ResumeSessionRequest, state *State) (*Session, error) {
	spec := &setup{
		method: acp.MethodSessionResume, id: req.SessionID, state: state,
		cwd: req.CWD, more: req.AdditionalDirectories, servers: req.MCPServers, system: req.SystemPrompt,
	}
	return c.open(ctx, spec, func(ctx context.Context) (*opened, error) {
		req.MCPServers = spec.servers
		resp, err := request[acp.ResumeSessionResponse](ctx, c, spec.method, &req)
		if err != nil {
			return nil, err
		}
		return &opened{spec.id, resp.Modes, resp.ConfigOptions, resp.Unknown}, nil
	})
}

// ForkSession starts a session that begins with the history of another one. Otherwise it is as NewSession.
//
// Unstable: not part of the specification yet.
func (c *Client) ForkSession(ctx context.Context, req acp.ForkSessionRequest) (*Session, error) {
	spec := &setup{method: acp.MethodSessionFork, cwd: req.CWD, more: req.AdditionalDirectories, servers: req.MCPServers, system: req.SystemPrompt}
	return c.open(ctx, spec, func(ctx context.Context) (*opened, error) {
		req.MCPServers = spec.servers
		resp, err := request[acp.ForkSessionResponse](ctx, c, spec.method, &req)
		if err != nil {
			return nil, err
		}
		return &opened{resp.SessionID, resp.Modes, resp.ConfigOptions, resp.Unknown}, nil
	})
}

// A setup is what the requests that open a session have in common.
type setup struct {
	method  string
	id      acp.SessionID // of a saved session
	cwd     string
	more    []string
	servers []acp.MCPServer
	system  *acp.SystemPrompt
	state   *State // of the same session on an earlier connection, to go on with; nil for a new one
}

// opened is what their answers have in common.
type opened struct {
	id      acp.SessionID
	modes   *acp.SessionModeState
	options []acp.SessionConfigOption
	unknown acp.Unknown
}

// check refuses what can't work, and sees to it that there is a list of servers (F109).
func (c *Client) check(s *setup) error {
	if err := c.gate(acp.RequestMethod(acp.ToAgent, s.method)); err != nil {
		return err
	}
	if err := checkPaths(s.method, s.cwd, s.more); err != nil {
		return err
	}
	caps := &c.init.AgentCapabilities
	if len(s.more) > 0 && caps.SessionCapabilities.AdditionalDirectories == nil {
		return &acp.UnsupportedError{Method: s.method, Capability: "agentCapabilities.sessionCapabilities.additionalDirectories"}
	}
	if s.system != nil && !caps.SessionCapabilities.SystemPrompt.Allow(s.system.Mode) {
		return &acp.UnsupportedError{Method: s.method, Capability: "agentCapabilities.sessionCapabilities.systemPrompt"}
	}
	for i, server := range s.servers {
		if server == nil {
			return fmt.Errorf("%s: MCP server %d is nil", s.method, i)
		}
		if !caps.MCPCapabilities.Allow(server) {
			return &acp.UnsupportedError{Method: s.method, Capability: "agentCapabilities.mcpCapabilities" + serverKind(server)}
		}
	}
	if s.servers == nil {
		s.servers = []acp.MCPServer{}
	}
	return nil
}

func serverKind(server acp.MCPServer) string {
	switch server.(type) {
	case *acp.MCPServerHTTP:
		return ".http"
	case *acp.MCPServerSSE:
		return ".sse"
	case *acp.MCPServerACP:
		return ".acp"
	}
	return ""
}

// open makes a call that opens a session, signing in between if need be. If the session's id is known, what arrives
// before the answer belongs to the session already.
func (c *Client) open(ctx context.Context, spec *setup, call func(context.Context) (*opened, error)) (*Session, error) {
	if err := c.check(spec); err != nil {
		return nil, err
	}
	var s *Session
	err := c.authenticated(ctx, func() (err error) {
		s, err = c.openOnce(ctx, spec, call)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Client) openOnce(ctx context.Context, spec *setup, call func(context.Context) (*opened, error)) (*Session, error) {
	var s *Session
	if spec.id != "" {
		s = newSession(c, spec.id, spec.cwd, spec.more)
		if spec.state != nil {
			s.state = spec.state
		}
		s.release() // nothing is held for it
	}
	ctx, o, err := c.beginOpening(ctx, s)
	if err != nil {
		return nil, err
	}
	resp, err := call(ctx)
	if err != nil {
		_ = c.endOpening(o, nil)
		if s != nil {
			s.end()
		}
		return nil, err
	}
	if s == nil {
		s = newSession(c, resp.id, spec.cwd, spec.more)
		_ = c.conn.Handled(ctx, string(resp.id)) // or ctx has ended: then what came before the answer follows it
	}
	s.said = resp
	s.state.Begin(resp.modes, resp.options, resp.unknown)
	if err := c.endOpening(o, s); err != nil {
		return nil, err
	}
	return s, nil
}
