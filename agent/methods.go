package agent

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// known returns an open session, or an error for the client.
func (c *Conn) known(id acp.SessionID) (*Session, error) {
	if s := c.Session(id); s != nil {
		s.waitReleased()
		return s, nil
	}
	return nil, acp.ErrSessionNotFound(id)
}

func (c *Conn) setMode(ctx context.Context, a ModeSetter, p *acp.SetSessionModeRequest) (*acp.SetSessionModeResponse, error) {
	s, err := c.known(p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := a.SetMode(ctx, s, p.ModeID); err != nil {
		return nil, err
	}
	return &acp.SetSessionModeResponse{}, nil
}

func (c *Conn) setConfigOption(ctx context.Context, a ConfigSetter, p *acp.SetSessionConfigOptionRequest) (*acp.SetSessionConfigOptionResponse, error) {
	s, err := c.known(p.SessionID)
	if err != nil {
		return nil, err
	}
	p.Value = s.meant(p.ConfigID, p.Value)
	options, err := a.SetConfigOption(ctx, s, p)
	if err != nil {
		return nil, err
	}
	return &acp.SetSessionConfigOptionResponse{ConfigOptions: some(s.adaptOptions(options))}, nil
}

// closeSession cancels what the session is doing, has the author free what it holds, and forgets it.
func (c *Conn) closeSession(ctx context.Context, a Closer, p *acp.CloseSessionRequest) (*acp.CloseSessionResponse, error) {
	s, err := c.known(p.SessionID)
	if err != nil {
		return nil, err
	}
	if err := c.end(ctx, s, "the session was closed", a.CloseSession); err != nil {
		return nil, err
	}
	return &acp.CloseSessionResponse{}, nil
}

// end ends a session. If the author fails to, it stays open.
func (c *Conn) end(ctx context.Context, s *Session, reason string, f func(context.Context, *Session) error) error {
	if err := s.quiesce(ctx, reason); err != nil {
		return err
	}
	if err := f(ctx, s); err != nil {
		s.reopen()
		return err
	}
	c.remove(s)
	return nil
}

func (c *Conn) deleteSession(ctx context.Context, a Deleter, p *acp.DeleteSessionRequest) (*acp.DeleteSessionResponse, error) {
	if err := c.isFree(p.SessionID); err != nil {
		return nil, err
	}
	remove := func(ctx context.Context, _ *Session) error { return a.DeleteSession(ctx, p.SessionID) }
	var err error
	if s := c.Session(p.SessionID); s != nil {
		err = c.end(ctx, s, "the session was deleted", remove)
	} else {
		err = remove(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	return &acp.DeleteSessionResponse{}, nil
}

func (c *Conn) archiveSession(ctx context.Context, a Archiver, p *acp.ArchiveSessionRequest) (*acp.ArchiveSessionResponse, error) {
	if err := c.isFree(p.SessionID); err != nil {
		return nil, err
	}
	if s := c.Session(p.SessionID); s != nil {
		if err := s.End(ctx, "the session was archived"); err != nil {
			return nil, err
		}
	}
	if err := a.ArchiveSession(ctx, p.SessionID); err != nil {
		return nil, err
	}
	return &acp.ArchiveSessionResponse{}, nil
}

func (c *Conn) unarchiveSession(ctx context.Context, a Archiver, p *acp.UnarchiveSessionRequest) (*acp.UnarchiveSessionResponse, error) {
	if err := a.UnarchiveSession(ctx, p.SessionID); err != nil {
		return nil, err
	}
	return &acp.UnarchiveSessionResponse{}, nil
}

func (c *Conn) listSessions(ctx context.Context, a Lister, p *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	if p.CWD != "" && !filepath.IsAbs(p.CWD) {
		return nil, acp.ErrInvalidParams("cwd is %q, want an absolute path", p.CWD)
	}
	if p.Archived != "" {
		if c.capabilities.SessionCapabilities.Archive == nil {
			return nil, acp.ErrInvalidParams("archived: this agent does not advertise sessionCapabilities.archive")
		}
		if !p.Archived.Known() {
			return nil, acp.ErrInvalidParams("archived is %q, want exclude, include or only", p.Archived)
		}
	}
	response, err := a.ListSessions(ctx, p)
	if err != nil {
		return nil, err
	}
	answer := valueOf(response)
	answer.Sessions = some(answer.Sessions)
	return &answer, nil
}

func (c *Conn) sessionStatus(ctx context.Context, a StatusReporter, p *acp.SessionStatusRequest) (*acp.SessionStatusResponse, error) {
	status, err := a.SessionStatus(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	return &acp.SessionStatusResponse{Status: status}, nil
}

func (c *Conn) setTitle(ctx context.Context, a TitleSetter, p *acp.SetSessionTitleRequest) (*acp.SetSessionTitleResponse, error) {
	title := strings.TrimSpace(p.Title)
	if title == "" {
		return nil, acp.ErrInvalidParams("title is empty")
	}
	title, err := a.SetTitle(ctx, p.SessionID, title)
	if err != nil {
		return nil, err
	}
	return &acp.SetSessionTitleResponse{Title: title}, nil
}
