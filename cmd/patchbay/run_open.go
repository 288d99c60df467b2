package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/registry"
)

// openFlags say which session the prompt is for. Without any of them it is a new one.
type openFlags struct {
	Session  string `xor:"session" placeholder:"ID" help:"Go on with a session, and show its history where the agent tells it."`
	Resume   string `xor:"session" placeholder:"ID" help:"Go on with a session, without its history."`
	Continue bool   `xor:"session" short:"c" help:"Go on with the latest session of this folder, without its history."`
	Fork     string `xor:"session" placeholder:"ID" help:"Begin a session with the history of another one, which stays as it is."`
	OrNew    bool   `help:"Begin a new session, and say so, if there is no such session any more. Without it that is an error."`
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
	f, id := r.cmd.openFlags, acp.SessionID(cmp.Or(r.cmd.Session, r.cmd.Resume, r.cmd.Fork))
	if f.Continue {
		latest, err := latest(ctx, c, r.cwd)
		if err != nil {
			return sessionError("find the latest session of "+r.cwd, err)
		}
		id = latest
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
	return r.openKnown(ctx, c, o, id)
}

// openKnown loads a session or resumes it, whichever the agent has. History that nobody wants to see is not asked for where
// that can be helped.
func (r *run) openKnown(ctx context.Context, c *client.Client, o *outcome, id acp.SessionID) error {
	can, show := c.Capabilities(), r.cmd.Session != ""
	if can.SessionCapabilities.Resume != nil && (!show || !can.LoadSession) {
		s, err := c.ResumeSession(ctx, acp.ResumeSessionRequest{SessionID: id, CWD: r.cwd, MCPServers: []acp.MCPServer{}})
		if err != nil {
			return sessionError("resume session "+string(id), err)
		}
		o.begin(s, beginResume)
		return nil
	}
	r.setPast(true, show)
	defer r.setPast(false, false)
	s, err := c.LoadSession(ctx, acp.LoadSessionRequest{SessionID: id, CWD: r.cwd, MCPServers: []acp.MCPServer{}})
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

// maxPages bounds how many pages of a list are read.
const maxPages = 100

var errNoSession = errors.New("there is none")

// latest returns the session of a folder that was used last.
func latest(ctx context.Context, c *client.Client, cwd string) (acp.SessionID, error) {
	var found []acp.SessionInfo
	req := acp.ListSessionsRequest{CWD: cwd}
	for range maxPages {
		page, err := c.ListSessions(ctx, req)
		if err != nil {
			return "", err
		}
		for _, info := range page.Sessions { // an agent may not have looked at the folder
			if filepath.Clean(info.CWD) == cwd && (info.Archived == nil || !*info.Archived) {
				found = append(found, info)
			}
		}
		if page.NextCursor == "" || page.NextCursor == req.Cursor {
			break
		}
		req.Cursor = page.NextCursor
	}
	if len(found) == 0 {
		return "", errNoSession
	}
	// The first of equals: agents that don't say when usually list the latest first.
	slices.SortStableFunc(found, func(a, b acp.SessionInfo) int { return usedAt(b).Compare(usedAt(a)) })
	return found[0].SessionID, nil
}

func usedAt(info acp.SessionInfo) time.Time {
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

// choose sets what the command line says of the model, the mode and options, by whatever the agent offers (F144). A new session
// of the built-in agent has been started with its model and mode.
func (r *run) choose(ctx context.Context, o *outcome) error {
	s := o.session
	if model := r.cmd.Model; model != "" && !r.started(o) {
		err := s.ChooseModel(ctx, model)
		if _, unknown := errors.AsType[*client.ChoiceError](err); unknown && r.builtin() { // which knows more than it lists
			err = s.SetConfigOption(ctx, "model", &acp.SetConfigValueID{Value: acp.SessionConfigValueID(model)})
		}
		if err != nil {
			return choiceError("--model", err)
		}
	}
	if mode := r.cmd.Mode; mode != "" && !r.started(o) {
		if err := s.ChooseMode(ctx, mode); err != nil {
			return choiceError("--mode", err)
		}
	}
	for _, set := range r.cmd.Set {
		key, value, _ := strings.Cut(set, "=")
		if err := s.ChooseOption(ctx, key, value); err != nil {
			return choiceError("--set "+set, err)
		}
	}
	return nil
}

func (r *run) builtin() bool { return r.agent.Name == registry.BuiltIn }

// started reports whether the agent has the model and the mode from its own command line.
func (r *run) started(o *outcome) bool { return r.builtin() && o.beginning == beginNew }

func choiceError(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	_, unknown := errors.AsType[*client.ChoiceError](err)
	sent, answered := errors.AsType[*acp.Error](err)
	if unknown || errors.Is(err, acp.ErrUnsupported) || answered && (sent.Code == acp.CodeInvalidParams || sent.Code == acp.CodeMethodNotFound) {
		return &exitError{exitUnsupported, err}
	}
	return err
}
