package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// terminalAuthMember is a member of _meta. In the client's capabilities, true says that there is a terminal to sign in on. In a
// method of an agent that takes no note of the official type, it is the command to run there.
const terminalAuthMember = "terminal-auth"

// A login is a command that signs the user in.
type login struct {
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
}

// loginOf returns the command that a method carries in its _meta, if the agent was told that it may do that, and nil
// otherwise. What is not as it should be is no command.
func (c *Client) loginOf(m *acp.AuthMethodAgent) *login {
	raw := m.Meta[terminalAuthMember]
	if c.opts.TerminalAuth == nil || raw.Kind() != '{' {
		return nil
	}
	l := new(login)
	if err := json.Unmarshal(raw, l); err != nil || l.Command == "" {
		return nil
	}
	return l
}

// AuthenticateTerminal signs the user in with a method of type acp.AuthMethodTerminal: Options.TerminalAuth runs the
// agent's own command with the method's arguments and environment, and exit status 0 means that the user is signed in.
// Older agents have a method whose _meta.terminal-auth is another command, which is run instead, with the agent's
// environment. Both need a client made by Spawn, which knows the command: nothing is run here for an agent elsewhere.
func (c *Client) AuthenticateTerminal(ctx context.Context, id acp.AuthMethodID) error {
	for _, method := range c.AuthMethods() {
		switch m := method.(type) {
		case *acp.AuthMethodTerminal:
			if m.ID == id {
				return c.authenticateTerminal(ctx, m)
			}
		case *acp.AuthMethodAgent:
			if login := c.loginOf(m); login != nil && m.ID == id {
				return c.runLogin(ctx, m.Name, login)
			}
		}
	}
	return fmt.Errorf("the agent offers no way %q to sign in on a terminal, but %s", id, c.methodNames())
}

func (c *Client) authenticateTerminal(ctx context.Context, m *acp.AuthMethodTerminal) error {
	if c.opts.TerminalAuth == nil {
		return &acp.UnsupportedError{Method: "sign-in " + string(m.ID), Capability: "clientCapabilities.auth.terminal"}
	}
	l := &login{Args: m.Args, Env: m.Env}
	if c.command != nil {
		l.Command, l.Args = c.command.Path, append(append([]string(nil), c.command.Args...), m.Args...)
	}
	return c.runLogin(ctx, m.Name, l)
}

// loginGrace is how long what a sign-in has started may keep its output open when it has ended or been killed.
const loginGrace = 2 * time.Second

// runLogin has a command run on the user's terminal, where the agent itself would run.
func (c *Client) runLogin(ctx context.Context, name string, l *login) error {
	if c.command == nil {
		return errors.New("signing in on a terminal needs the agent's command, which only Spawn knows")
	}
	cmd := exec.CommandContext(ctx, l.Command, l.Args...)
	cmd.Dir, cmd.WaitDelay = c.command.Dir, loginGrace
	if cmd.Env = c.command.Env; cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append([]string(nil), cmd.Env...)
	for name, value := range l.Env {
		cmd.Env = append(cmd.Env, name+"="+value) // the last one of a name counts
	}
	if err := c.opts.TerminalAuth(ctx, cmd); err != nil {
		return fmt.Errorf("sign in on a terminal with %s: %w", name, err)
	}
	c.auth.done.Add(1)
	return nil
}

// RunOnTerminal runs a command on this process's standard input, output and error. It is an Options.TerminalAuth.
func RunOnTerminal(_ context.Context, cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
