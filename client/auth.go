package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/acp"
)

// signIn keeps those apart who find at the same time that the user has to sign in: one does it for all.
type signIn struct {
	lock chan struct{} // held by sending to it
	done atomic.Int64  // how often the user has signed in
}

func (a *signIn) init() { a.lock = make(chan struct{}, 1) }

// era tells what was before a sign-in from what comes after.
func (a *signIn) era() int { return int(a.done.Load()) }

// authenticated makes a call, and if the agent answers that the user has to sign in, sees to that and makes the call
// once more (F116, F120).
func (c *Client) authenticated(ctx context.Context, call func() error) error {
	era := c.auth.era()
	err := call()
	if !c.mustSignIn(err) {
		return err
	}
	return c.signedIn(ctx, era, err, call)
}

// mustSignIn reports whether that is what an error says, and something can be done about it. No other error is taken for
// it (F118).
func (c *Client) mustSignIn(err error) bool {
	return err != nil && c.opts.Auth != nil && codeOf(err) == acp.CodeAuthRequired
}

// errSignIn says that what the agent asked for was tried.
var errSignIn = errors.New("signing in failed")

// signedIn has the user sign in, unless somebody has done so since era, and makes a call again that failed for it.
func (c *Client) signedIn(ctx context.Context, era int, failed error, call func() error) error {
	if err := c.signIn(ctx, era); err != nil {
		return fmt.Errorf("%w; %w: %w", failed, errSignIn, err)
	}
	return call()
}

func (c *Client) signIn(ctx context.Context, era int) error {
	select {
	case c.auth.lock <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-c.auth.lock }()
	if c.auth.era() != era {
		return nil
	}
	id, err := c.opts.Auth(ctx, c, c.AuthMethods())
	if err != nil {
		return err
	}
	return c.Authenticate(ctx, id)
}

// Authenticate signs the user in with one of the agent's methods: by the agent itself, however long the user takes, or
// for an acp.AuthMethodTerminal as AuthenticateTerminal does.
//
// Spec: authentication.
func (c *Client) Authenticate(ctx context.Context, id acp.AuthMethodID) error {
	for _, method := range c.AuthMethods() {
		switch m := method.(type) {
		case *acp.AuthMethodAgent:
			if m.ID == id {
				return c.authenticateAgent(ctx, id)
			}
		case *acp.AuthMethodTerminal:
			if m.ID == id {
				return c.authenticateTerminal(ctx, m)
			}
		}
	}
	return fmt.Errorf("%s: the agent offers no method %q that this client can use, but %s", acp.MethodAuthenticate, id, c.methodNames())
}

func (c *Client) authenticateAgent(ctx context.Context, id acp.AuthMethodID) error {
	_, err := request[acp.AuthenticateResponse](ctx, c, acp.MethodAuthenticate, &acp.AuthenticateRequest{MethodID: id})
	if err != nil {
		return err
	}
	c.auth.done.Add(1)
	return nil
}

// AuthenticateTerminal signs the user in with a method of type acp.AuthMethodTerminal: Options.TerminalAuth runs the
// agent's own command with the method's arguments and environment, and exit status 0 means that the user is signed in.
// It needs a client made by Spawn, which knows the command.
func (c *Client) AuthenticateTerminal(ctx context.Context, id acp.AuthMethodID) error {
	for _, method := range c.AuthMethods() {
		if m, ok := method.(*acp.AuthMethodTerminal); ok && m.ID == id {
			return c.authenticateTerminal(ctx, m)
		}
	}
	return fmt.Errorf("the agent offers no way %q to sign in on a terminal, but %s", id, c.methodNames())
}

func (c *Client) authenticateTerminal(ctx context.Context, m *acp.AuthMethodTerminal) error {
	switch {
	case c.opts.TerminalAuth == nil:
		return &acp.UnsupportedError{Method: "sign-in " + string(m.ID), Capability: "clientCapabilities.auth.terminal"}
	case c.command == nil:
		return errors.New("signing in on a terminal needs the agent's command, which only Spawn knows")
	}
	args := append(append([]string(nil), c.command.Args...), m.Args...)
	cmd := exec.CommandContext(ctx, c.command.Path, args...)
	cmd.Dir = c.command.Dir
	if cmd.Env = c.command.Env; cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append([]string(nil), cmd.Env...)
	for name, value := range m.Env {
		cmd.Env = append(cmd.Env, name+"="+value) // the last one of a name counts
	}
	if err := c.opts.TerminalAuth(ctx, cmd); err != nil {
		return fmt.Errorf("sign in on a terminal with %s: %w", m.Name, err)
	}
	c.auth.done.Add(1)
	return nil
}

// methodNames lists the agent's ways to sign in.
func (c *Client) methodNames() string {
	names := ""
	for _, method := range c.AuthMethods() {
		name := ""
		switch m := method.(type) {
		case *acp.AuthMethodAgent:
			name = string(m.ID)
		case *acp.AuthMethodTerminal:
			name = string(m.ID)
		case *acp.UnknownAuthMethod:
			name = "one of type " + m.Type
		}
		if names != "" {
			names += ", "
		}
		names += name
	}
	if names == "" {
		return "none at all"
	}
	return names
}

// RunOnTerminal runs a command on this process's standard input, output and error. It is an Options.TerminalAuth.
func RunOnTerminal(_ context.Context, cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
