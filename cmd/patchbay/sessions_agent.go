package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/registry"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// sessionFlags say whose sessions a subcommand is about.
type sessionFlags struct {
	agentFlags `embed:""`
	Auth       string        `placeholder:"METHOD" help:"Sign in with this method of the agent's when it asks for it."`
	Timeout    time.Duration `placeholder:"5m" help:"How long the agent may take for all of it. Default: 5m, and for ever for what is asked by resume."`
}

// agentPatience is how long an agent may take that is asked about its sessions. Loading a long one takes a while.
const agentPatience = 5 * time.Minute

// sessionID is the argument of what is done to one session.
type sessionID struct {
	Session given `arg:"" help:"Its id, as the list has it."`
}

// sessionIDs is the argument of what is done to several.
type sessionIDs struct {
	Sessions []given `arg:"" help:"Their ids, as the list has them."`
}

// ids are the sessions of those arguments.
func (s sessionID) ids() []acp.SessionID { return []acp.SessionID{acp.SessionID(s.Session)} }

func (s sessionIDs) ids() (list []acp.SessionID) {
	for _, id := range s.Sessions {
		list = append(list, acp.SessionID(id))
	}
	return list
}

// stored reports whether the sessions are those of the built-in agent, whose store is read without starting it.
func (f *sessionFlags) stored() (bool, error) {
	name, _, err := f.choose("")
	return name == registry.BuiltIn, err
}

// A librarian is a client that only looks after sessions: it gives the agent nothing to do and permits nothing.
type librarian struct{}

func (librarian) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (librarian) RequestPermission(context.Context, *client.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return acp.PermissionCancelled(), nil
}

// withAgent starts the agent for as long as f runs. Its error is an *exitError. A signal ends both, and so does the end of the time.
func (f *sessionFlags) withAgent(do func(ctx context.Context, c *client.Client) error) error {
	if f.Timeout < 0 {
		return &exitError{exitUsage, fmt.Errorf("--timeout: %v is less than nothing", f.Timeout)}
	}
	signals := watchSignals()
	defer signals.stop()
	ctx, stop := context.WithTimeoutCause(signals.ctx, cmp.Or(f.Timeout, agentPatience), errTimeout)
	defer stop()
	agent, err := f.launch(ctx, "", startSettings{})
	if err != nil {
		return err
	}
	agent.OnStderr = func(string) {} // what it last said is in the errors
	c, err := client.Spawn(ctx, agent.Command, librarian{}, f.options())
	if err != nil {
		return unlessStopped(ctx, &exitError{exitStart, err})
	}
	signals.onSecond(c.Process().Kill)
	if err = do(ctx, c); err != nil {
		err = unlessStopped(ctx, agentError(c, err))
	}
	_ = c.Close()
	_ = c.Wait()
	return err
}

// unlessStopped returns an error, or the signal that has caused it.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return exitOfCause(context.Cause(ctx))
	}
	return err
}

func (f *sessionFlags) options() client.Options {
	o := client.Options{
		Info:     acp.Implementation{Name: "patchbay", Title: "Patchbay", Version: version()},
		Shows:    client.Shows{Notices: true, Compactions: true, Plans: true},
		Logger:   slog.New(slog.DiscardHandler),
		Diagnose: func(jsonrpc.Diagnostic) {},
	}
	if f.Auth != "" {
		o.Auth = func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) {
			return acp.AuthMethodID(f.Auth), nil
		}
	}
	return o
}

// eachOf does something to sessions, as many of them as it can be done to.
func (f *sessionFlags) eachOf(ids []acp.SessionID, do func(ctx context.Context, c *client.Client, id acp.SessionID) error) error {
	return f.withAgent(func(ctx context.Context, c *client.Client) error {
		var errs []error
		for _, id := range ids {
			if err := f.signedIn(ctx, c, func() error { return do(ctx, c, id) }); err != nil {
				errs = append(errs, fmt.Errorf("session %q: %w", id, err))
			}
		}
		return errors.Join(errs...)
	})
}

// signedIn makes a call, and makes it once more if the user has to sign in first and has said how. Calls that open a session
// do so by themselves.
func (f *sessionFlags) signedIn(ctx context.Context, c *client.Client, call func() error) error {
	err := call()
	sent, ok := errors.AsType[*acp.Error](err)
	if !ok || sent.Code != acp.CodeAuthRequired || f.Auth == "" {
		return err
	}
	if err := c.Authenticate(ctx, acp.AuthMethodID(f.Auth)); err != nil {
		return err
	}
	return call()
}

// agentError gives an error of an agent's its exit status. What an agent lacks, it says in words.
func agentError(c *client.Client, err error) error {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit
	}
	if lacks, ok := errors.AsType[*acp.UnsupportedError](err); ok {
		return &exitError{exitUnsupported, fmt.Errorf("%s has no %s, so that this can't be done with its sessions: %w", nameOf(c), lacks.Method, err)}
	}
	sent, ok := errors.AsType[*acp.Error](err)
	switch {
	case ok && sent.Code == acp.CodeMethodNotFound:
		return &exitError{exitUnsupported, fmt.Errorf("%s does not do what it has advertised: %w", nameOf(c), err)}
	case ok && sent.Code == acp.CodeResourceNotFound:
		return &exitError{exitSession, err}
	}
	o := outcome{signIns: methodNames(c.AuthMethods())}
	return exitOfError(&o, err)
}

// nameOf returns what to call the agent.
func nameOf(c *client.Client) string {
	if info := c.AgentInfo(); info != nil && info.Name != "" {
		return info.Name
	}
	return "the agent"
}

// storeError gives an error of the built-in agent's store the status that another agent's would have.
func storeError(err error) error {
	if errors.Is(err, store.ErrUnknown) || errors.Is(err, store.ErrExpired) || errors.Is(err, store.ErrDamaged) {
		return &exitError{exitSession, err}
	}
	return err
}

// placeOfSession returns what the agent lists of a session, and the folder to open it in: the given one, or the one that it is listed
// with, or else this one.
func placeOfSession(ctx context.Context, c *client.Client, id acp.SessionID, cwd string) (*acp.SessionInfo, string, error) {
	info, err := findSession(ctx, c, id)
	if err != nil {
		return nil, "", err
	}
	cwd, err = filepath.Abs(cmp.Or(cwd, info.CWD)) // "" is this one
	return info, cwd, err
}

// openSession loads a session with its history, in its place.
func openSession(ctx context.Context, c *client.Client, id acp.SessionID, cwd string) (*client.Session, *acp.SessionInfo, error) {
	info, cwd, err := placeOfSession(ctx, c, id, cwd)
	if err != nil {
		return nil, nil, err
	}
	s, err := c.LoadSession(ctx, acp.LoadSessionRequest{SessionID: id, CWD: cwd, MCPServers: []acp.MCPServer{}})
	if sent, ok := errors.AsType[*acp.Error](err); ok && sent.Code != acp.CodeAuthRequired && sent.Code != acp.CodeMethodNotFound {
		err = &exitError{exitSession, fmt.Errorf("session %q: %w", id, err)}
	}
	return s, info, err
}

// findSession returns what the agent lists of a session, nothing but its id if it does not list it.
func findSession(ctx context.Context, c *client.Client, id acp.SessionID) (*acp.SessionInfo, error) {
	info := &acp.SessionInfo{SessionID: id}
	can := c.Capabilities().SessionCapabilities
	if can.List == nil {
		return info, nil
	}
	req := acp.ListSessionsRequest{}
	if can.Archive != nil {
		req.Archived = acp.SessionArchiveFilterInclude
	}
	for listed, err := range listSessions(ctx, c, req) {
		if err != nil {
			return nil, fmt.Errorf("look for session %q: %w", id, err)
		}
		if listed.SessionID == id {
			return listed, nil
		}
	}
	return info, nil
}
