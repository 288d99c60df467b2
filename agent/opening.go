package agent

import (
	"context"
	"path/filepath"

	"github.com/patchbay-dev/patchbay/acp"
)

// An opening is what the requests that open a session have in common.
type opening struct {
	cwd         string
	directories []string
	servers     []acp.MCPServer
	system      *acp.SystemPrompt
	meta        acp.Meta
}

// check refuses what the agent can't do, before it tries. Absent MCP servers are none (F109).
func (c *Conn) check(o *opening) error {
	if !filepath.IsAbs(o.cwd) {
		return acp.ErrInvalidParams("cwd is %q, want an absolute path", o.cwd)
	}
	if len(o.directories) > 0 && c.capabilities.SessionCapabilities.AdditionalDirectories == nil {
		return acp.ErrInvalidParams("additionalDirectories: this agent does not advertise sessionCapabilities.additionalDirectories")
	}
	for i, dir := range o.directories {
		if !filepath.IsAbs(dir) {
			return acp.ErrInvalidParams("additionalDirectories[%d] is %q, want an absolute path", i, dir)
		}
	}
	for i, server := range o.servers {
		if !c.capabilities.MCPCapabilities.Allow(server) {
			kind := serverKind(server)
			return acp.ErrInvalidParams("mcpServers[%d] is of the kind %q, which this agent can't connect to: it does not advertise mcpCapabilities.%s", i, kind, kind)
		}
	}
	if o.system != nil && !c.capabilities.SessionCapabilities.SystemPrompt.Allow(o.system.Mode) {
		return acp.ErrInvalidParams("systemPrompt: this agent does not advertise sessionCapabilities.systemPrompt for the mode %q", o.system.Mode)
	}
	return nil
}

func serverKind(server acp.MCPServer) string {
	switch s := server.(type) {
	case *acp.MCPServerHTTP:
		return "http"
	case *acp.MCPServerSSE:
		return "sse"
	case *acp.MCPServerACP:
		return "acp"
	case *acp.UnknownMCPServer:
		return s.Type
	}
	return ""
}

// newSession starts a session.
func (c *Conn) newSession(ctx context.Context, p *acp.NewSessionRequest) (*acp.NewSessionResponse, error) {
	s, err := c.open("", &opening{p.CWD, p.AdditionalDirectories, p.MCPServers, p.SystemPrompt, p.Meta})
	if err != nil {
		return nil, err
	}
	s.hold()
	response, err := c.agent.NewSession(ctx, s)
	if err != nil {
		s.close()
		return nil, err
	}
	answer := valueOf(response)
	c.opened(ctx, s, &answer.SessionID)
	answer.ConfigOptions = s.adaptOptions(answer.ConfigOptions)
	return &answer, nil
}

// forkSession starts a session from another one.
func (c *Conn) forkSession(ctx context.Context, a Forker, p *acp.ForkSessionRequest) (*acp.ForkSessionResponse, error) {
	s, err := c.open("", &opening{p.CWD, p.AdditionalDirectories, p.MCPServers, p.SystemPrompt, p.Meta})
	if err != nil {
		return nil, err
	}
	c.inherit(s, c.Session(p.SessionID))
	s.hold()
	response, err := a.ForkSession(ctx, p.SessionID, s)
	if err != nil {
		s.close()
		return nil, err
	}
	answer := valueOf(response)
	c.opened(ctx, s, &answer.SessionID)
	answer.ConfigOptions = s.adaptOptions(answer.ConfigOptions)
	return &answer, nil
}

// loadSession opens a saved session. What is sent meanwhile is its replay, and leaves before the answer.
func (c *Conn) loadSession(ctx context.Context, a Loader, p *acp.LoadSessionRequest) (*acp.LoadSessionResponse, error) {
	s, before, err := c.reopen(ctx, p.SessionID, &opening{p.CWD, p.AdditionalDirectories, p.MCPServers, p.SystemPrompt, p.Meta})
	if err != nil {
		return nil, err
	}
	response, err := a.LoadSession(ctx, s)
	if err != nil {
		c.failed(s, before)
		return nil, err
	}
	c.opened(ctx, s, nil)
	answer := valueOf(response)
	answer.ConfigOptions = s.adaptOptions(answer.ConfigOptions)
	return &answer, nil
}

// resumeSession opens a saved session without a replay.
func (c *Conn) resumeSession(ctx context.Context, a Resumer, p *acp.ResumeSessionRequest) (*acp.ResumeSessionResponse, error) {
	s, before, err := c.reopen(ctx, p.SessionID, &opening{p.CWD, p.AdditionalDirectories, p.MCPServers, p.SystemPrompt, p.Meta})
	if err != nil {
		return nil, err
	}
	s.hold()
	response, err := a.ResumeSession(ctx, s)
	if err != nil {
		c.failed(s, before)
		return nil, err
	}
	c.opened(ctx, s, nil)
	answer := valueOf(response)
	answer.ConfigOptions = s.adaptOptions(answer.ConfigOptions)
	return &answer, nil
}

// open makes the session of a request.
func (c *Conn) open(id acp.SessionID, o *opening) (*Session, error) {
	if err := c.check(o); err != nil {
		return nil, err
	}
	return newSession(c, id, o), nil
}

// reopen makes the session of a request that names one. If it is open already, its turn ends first.
func (c *Conn) reopen(ctx context.Context, id acp.SessionID, o *opening) (s, before *Session, err error) {
	if err := c.isFree(id); err != nil {
		return nil, nil, err
	}
	if s, err = c.open(id, o); err != nil {
		return nil, nil, err
	}
	if before = c.Session(id); before != nil {
		if err := before.quiesce(ctx, "the session was opened once more"); err != nil {
			return nil, nil, err
		}
		c.inherit(s, before)
	}
	return s, before, nil
}

// inherit gives a session the history of another one.
func (c *Conn) inherit(s, from *Session) {
	if from != nil && c.opts.KeepHistory {
		_ = s.Restore(from.History()) // fails only without KeepHistory
	}
}

// failed undoes reopen.
func (c *Conn) failed(s, before *Session) {
	s.close()
	if before != nil {
		before.reopen()
	}
}

// opened makes the session known before the answer leaves, since a prompt may follow at once, and has what was held sent
// right after it (W12). The id is the one in the answer, which the author may have chosen; nil if the client has.
func (c *Conn) opened(ctx context.Context, s *Session, id *acp.SessionID) {
	if id != nil {
		s.mu.Lock()
		if *id != "" {
			s.id = *id
		}
		*id = s.id
		s.mu.Unlock()
	}
	before := c.add(s)
	if before != nil {
		before.close()
	}
	req := requestOf(ctx)
	req.OnCancelled(func(any, error) (any, error) {
		if before == nil {
			c.abandon(ctx, s)
		} // else it was open, and nobody has asked for its end: it goes on as the author has opened it now
		return nil, acp.ErrRequestCancelled()
	})
	req.AfterAnswer(func() { s.release(context.WithoutCancel(ctx)) })
}

// abandon takes back a session that was made in vain: the client has cancelled the request that was to open it.
func (c *Conn) abandon(ctx context.Context, s *Session) {
	c.remove(s)
	if a, ok := c.agent.(Closer); ok {
		requestOf(ctx).AfterAnswer(func() {
			if err := a.CloseSession(context.WithoutCancel(ctx), s); err != nil {
				c.opts.Logger.Warn("a session that was made in vain can't be closed", "session", s.ID(), "error", err)
			}
		})
	}
}

// valueOf is a copy of what an author returned, so that it can be completed, or the defaults.
func valueOf[T any](response *T) T {
	if response == nil {
		var zero T
		return zero
	}
	return *response
}
