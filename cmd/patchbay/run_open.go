package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// openFlags say which session the prompt is for. Without any of them it is a new one.
type openFlags struct {
	Session  given `xor:"session" placeholder:"ID" help:"Go on with a session, and show its history where the agent tells it."`
	Resume   given `xor:"session" placeholder:"ID" help:"Go on with a session, without its history."`
	Continue bool  `xor:"session" short:"c" help:"Go on with the latest session of this folder, without its history."`
	Fork     given `xor:"session" placeholder:"ID" help:"Begin a session with the history of another one, which stays as it is."`
	OrNew    bool  `help:"Begin a new session, and say so, if there is no such session any more. Without it that is an error."`
}

func (f *openFlags) check() error {
	if f.OrNew && !f.old() {
		return errors.New("--or-new goes with --session, --resume, --continue or --fork")
	}
	return nil
}

// old reports whether the prompt is for a session that is there already.
func (f *openFlags) old() bool {
	return f.Session != "" || f.Resume != "" || f.Continue || f.Fork != ""
}

// A beginning says how a session was opened.
type beginning string

const (
	beginNew    beginning = "new"
	beginLoad   beginning = "loaded"
	beginResume beginning = "resumed"
	beginFork   beginning = "forked"
)

// open opens the session that the prompt is for.
func (r *run) open(ctx context.Context, c *client.Client, o *outcome) error {
	if !r.cmd.openFlags.old() {
		return r.openNew(ctx, c, o)
	}
	err := r.openOld(ctx, c, o)
	if err == nil || !r.cmd.OrNew || !gone(err) {
		return err
	}
	return r.replace(ctx, c, o, err)
}

// replace begins a new session in the place of one that is gone, and says so (F72, F73).
func (r *run) replace(ctx context.Context, c *client.Client, o *outcome, why error) error {
	o.replaced = o.wanted
	r.show(func(v view) { v.note(fmt.Sprintf("this is a new session, without a memory of the old one: %v", why)) })
	return r.openNew(ctx, c, o)
}

func (r *run) openNew(ctx context.Context, c *client.Client, o *outcome) error {
	s, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: r.cwd, MCPServers: []acp.MCPServer{}})
	if err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	o.begin(s, beginNew)
	return nil
}

// openOld opens a session that is there already.
func (r *run) openOld(ctx context.Context, c *client.Client, o *outcome) error {
	f, id, cwd := r.cmd.openFlags, acp.SessionID(cmp.Or(r.cmd.Session, r.cmd.Resume, r.cmd.Fork)), r.cwd
	if f.Continue {
		latest, err := latest(ctx, c, r.cwd)
		if err != nil {
			return sessionError("find the latest session of "+r.cwd, err)
		}
		id, cwd = latest.SessionID, latest.CWD // the same folder, as the agent calls it
	}
	o.wanted = id
	if f.Fork != "" {
		s, err := c.ForkSession(ctx, acp.ForkSessionRequest{SessionID: id, CWD: r.cwd, MCPServers: []acp.MCPServer{}})
		if err != nil {
			return sessionError("fork session "+string(id), err)
		}
		o.begin(s, beginFork)
		return nil
	}
	return r.openKnown(ctx, c, o, id, cwd)
}

// openKnown loads a session or resumes it, whichever the agent has. History that nobody wants to see is not asked for where
// that can be helped.
func (r *run) openKnown(ctx context.Context, c *client.Client, o *outcome, id acp.SessionID, cwd string) error {
	can, show := c.Capabilities(), r.cmd.Session != ""
	if can.SessionCapabilities.Resume != nil && (!show || !can.LoadSession) {
		s, err := c.ResumeSession(ctx, acp.ResumeSessionRequest{SessionID: id, CWD: cwd, MCPServers: []acp.MCPServer{}})
		if err != nil {
			return sessionError("resume session "+string(id), err)
		}
		o.begin(s, beginResume)
		return nil
	}
	r.setPast(true, show)
	defer r.setPast(false, false)
	s, err := c.LoadSession(ctx, acp.LoadSessionRequest{SessionID: id, CWD: cwd, MCPServers: []acp.MCPServer{}})
	if err != nil {
		return sessionError("load session "+string(id), err)
	}
	o.begin(s, beginLoad)
	return nil
}

// setPast says whether the updates that come are history, and whether anybody wants to see it.
func (r *run) setPast(past, show bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.past, r.showPast = past, show
}

var errNoSession = errors.New("there is none")

// latest returns the session of a folder that was used last.
func latest(ctx context.Context, c *client.Client, cwd string) (*acp.SessionInfo, error) {
	var found []*acp.SessionInfo
	for info, err := range sessionsIn(ctx, c, acp.ListSessionsRequest{}, cwd) {
		if err == errEndlessList && len(found) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		if info.Archived == nil || !*info.Archived {
			found = append(found, info)
		}
	}
	if len(found) == 0 {
		return nil, errNoSession
	}
	// The first of equals: agents that don't say when usually list the latest first.
	slices.SortStableFunc(found, func(a, b *acp.SessionInfo) int { return usedAt(b).Compare(usedAt(a)) })
	return found[0], nil
}

func usedAt(info *acp.SessionInfo) time.Time {
	at, _ := time.Parse(time.RFC3339, info.UpdatedAt)
	return at
}

// sessionError gives an error about a session its status. What is no matter of the session (signing in, an agent that went
// away) keeps its own.
func sessionError(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	sent, answered := errors.AsType[*acp.Error](err)
	switch {
	case errors.Is(err, acp.ErrUnsupported):
		return &exitError{exitUnsupported, err}
	case errors.Is(err, errNoSession), answered && sent.Code != acp.CodeAuthRequired:
		return &exitError{exitSession, err}
	}
	return err
}

// gone reports whether an error means that a session can't be opened any more. Agents have many codes for that.
func gone(err error) bool {
	exit, ok := errors.AsType[*exitError](err)
	return ok && exit.code == exitSession
}
