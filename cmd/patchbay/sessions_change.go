package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// A change is what can be done to sessions: in the store of the built-in agent, and by any other agent. Methods of theirs fit.
type change struct {
	stored func(db *store.Store, ctx context.Context, id acp.SessionID) error
	asked  func(c *client.Client, ctx context.Context, id acp.SessionID) error
}

// to makes the change to sessions.
func (ch change) to(ids []acp.SessionID, f *sessionFlags) error {
	stored, err := f.stored()
	switch {
	case err != nil:
		return err
	case stored:
		return eachStored(ids, func(ctx context.Context, db *store.Store, id acp.SessionID) error { return ch.stored(db, ctx, id) })
	}
	return f.eachOf(ids, func(ctx context.Context, c *client.Client, id acp.SessionID) error { return ch.asked(c, ctx, id) })
}

type sessionsRenameCmd struct {
	sessionFlags `embed:""`
	sessionID    `embed:""`
	Title        string `arg:"" help:"The title. An empty one leaves it to the agent again."`
}

// Run gives a session the user's title.
func (c *sessionsRenameCmd) Run() error {
	return change{
		func(db *store.Store, ctx context.Context, id acp.SessionID) error {
			_, err := db.SetTitle(ctx, id, coder.UserTitle(c.Title), true)
			return err
		},
		func(agent *client.Client, ctx context.Context, id acp.SessionID) error {
			_, err := agent.SetSessionTitle(ctx, id, c.Title)
			return err
		},
	}.to(c.ids(), &c.sessionFlags)
}

// sessionsFlags are those of what is done to several sessions.
type sessionsFlags struct {
	sessionFlags `embed:""`
	sessionIDs   `embed:""`
}

type (
	sessionsArchiveCmd   struct{ sessionsFlags }
	sessionsUnarchiveCmd struct{ sessionsFlags }
	sessionsDeleteCmd    struct{ sessionsFlags }
)

// Run archives sessions.
func (c *sessionsArchiveCmd) Run() error {
	return change{archived(true), (*client.Client).ArchiveSession}.to(c.ids(), &c.sessionFlags)
}

// Run takes sessions out of the archive.
func (c *sessionsUnarchiveCmd) Run() error {
	return change{archived(false), (*client.Client).UnarchiveSession}.to(c.ids(), &c.sessionFlags)
}

// Run deletes sessions.
func (c *sessionsDeleteCmd) Run() error {
	return change{(*store.Store).Delete, (*client.Client).DeleteSession}.to(c.ids(), &c.sessionFlags)
}

func archived(archived bool) func(*store.Store, context.Context, acp.SessionID) error {
	return func(db *store.Store, ctx context.Context, id acp.SessionID) error {
		return db.Archive(ctx, id, archived)
	}
}

type sessionsCloseCmd struct{ sessionsFlags }

// Run closes sessions.
func (c *sessionsCloseCmd) Run() error { return c.eachOf(c.ids(), closeSession) }

// closeSession tells the agent to let go of a session. Most agents have to have it in memory first, which they have not when they
// have just been started.
func closeSession(ctx context.Context, c *client.Client, id acp.SessionID) error {
	err := c.Call(ctx, acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: id}, nil)
	sent, ok := errors.AsType[*acp.Error](err)
	if !ok || sent.Code == acp.CodeAuthRequired || sent.Code == acp.CodeMethodNotFound {
		return err
	}
	s, _, failed := resumeSession(ctx, c, id, "")
	if errors.Is(failed, acp.ErrUnsupported) {
		return err
	}
	if failed != nil {
		return failed
	}
	return s.Close(ctx)
}

// resumeSession opens a session without its history if the agent can, else with it.
func resumeSession(ctx context.Context, c *client.Client, id acp.SessionID, cwd string) (*client.Session, *acp.SessionInfo, error) {
	if c.Capabilities().SessionCapabilities.Resume == nil {
		return openSession(ctx, c, id, cwd)
	}
	info, cwd, err := placeOfSession(ctx, c, id, cwd)
	if err != nil {
		return nil, nil, err
	}
	s, err := c.ResumeSession(ctx, acp.ResumeSessionRequest{SessionID: id, CWD: cwd, MCPServers: []acp.MCPServer{}})
	return s, info, err
}

type sessionsForkCmd struct {
	sessionFlags `embed:""`
	sessionID    `embed:""`
	Cwd          string `placeholder:"DIR" help:"The folder that the new session works in. Default: that of the old one."`
	Format       string `default:"text" enum:"text,json" help:"What to print: the id as text, or an object as json."`
}

// Run forks a session, and prints the id of the new one.
func (c *sessionsForkCmd) Run() error {
	return c.eachOf(c.ids(), func(ctx context.Context, agent *client.Client, id acp.SessionID) error {
		_, cwd, err := placeOfSession(ctx, agent, id, c.Cwd)
		if err != nil {
			return err
		}
		s, err := agent.ForkSession(ctx, acp.ForkSessionRequest{SessionID: id, CWD: cwd, MCPServers: []acp.MCPServer{}})
		if err != nil {
			return err
		}
		if c.Format == "json" {
			return printJSON(os.Stdout, map[string]string{"sessionId": string(s.ID()), "cwd": cwd})
		}
		_, err = fmt.Println(cleanLine(string(s.ID())))
		return err
	})
}
