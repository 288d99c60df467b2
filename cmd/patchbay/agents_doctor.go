package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

type agentsDoctorCmd struct {
	Name      string        `arg:"" optional:"" help:"Its name. Default: the agent that is driven if none is named."`
	Words     []string      `kong:"-"` // what stands after --
	Cwd       string        `placeholder:"DIR" help:"The folder for the session. Default: this one."`
	EnvAllow  []string      `placeholder:"NAME" help:"A variable of the environment that the agent gets in addition, as for patchbay run."`
	NoSession bool          `help:"Start no session: only shake hands."`
	Timeout   time.Duration `default:"60s" help:"How long all of it may take."`
	Format    string        `default:"text" enum:"text,json" help:"What to print: text or json."`
	Verbose   bool          `short:"v" help:"Show what the agent writes to standard error."`
}

// Help is what `patchbay agents doctor --help` adds.
func (*agentsDoctorCmd) Help() string {
	return `The agent is started and greeted, and a session is started and ended; no prompt is given. Afterwards nothing of it is left.

  patchbay agents doctor claude
  patchbay agents doctor -- some-agent --acp

The exit status is 0 if the agent can be used, 3 if it isn't here or does not start, 5 if you have to sign in first, and 1 if something else fails.`
}

func (c *agentsDoctorCmd) take(words []string) error {
	c.Words = words
	return nil
}

// A diagnosis is what the doctor has found.
type diagnosis struct {
	Agent    string   `json:"agent"` // its name, or the command
	Works    bool     `json:"works"`
	ExitCode int      `json:"exitCode"`
	Problem  string   `json:"problem,omitempty"` // why it does not work
	Notes    []string `json:"notes"`             // what would not work, or not as one expects

	Found   *foundAgent  `json:"found,omitempty"`
	Looked  []lookedInto `json:"looked,omitempty"` // where it is not
	Hello   *hello       `json:"handshake,omitempty"`
	Session *newSession  `json:"session,omitempty"`

	known *registry.Agent // nil if it isn't
}

// A foundAgent is what is started.
type foundAgent struct {
	Path    string          `json:"path"`
	Args    []string        `json:"args"`
	Source  registry.Source `json:"source,omitempty"`
	Place   string          `json:"place,omitempty"`
	Version string          `json:"version,omitempty"` // of the package or the program
	Hash    string          `json:"hash,omitempty"`    // if it was installed here
}

type lookedInto struct {
	Dir string `json:"dir"`
	Why string `json:"why"`
}

// A hello is what the agent says of itself.
type hello struct {
	Milliseconds    int64        `json:"milliseconds"` // from the start to its answer
	ProtocolVersion int          `json:"protocolVersion"`
	Name            string       `json:"name,omitempty"`
	Title           string       `json:"title,omitempty"`
	Version         string       `json:"version,omitempty"`
	Has             []string     `json:"has"`   // methods beyond those of every agent
	Lacks           []string     `json:"lacks"` // methods of the specification that it has not
	Prompt          []string     `json:"prompt"`
	MCP             []string     `json:"mcp"`
	SignIns         []signInKind `json:"authMethods"`
}

type signInKind struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	Type string `json:"type"`
}

// A newSession is what session/new has answered.
type newSession struct {
	Milliseconds int64    `json:"milliseconds"`
	SignedIn     bool     `json:"signedIn"` // nothing more is needed to start one
	Mode         string   `json:"mode,omitempty"`
	Modes        []string `json:"modes"`
	Model        string   `json:"model,omitempty"`
	Models       []string `json:"models"`
	Options      []option `json:"options"`
	Error        string   `json:"error,omitempty"`
	ErrorCode    int      `json:"errorCode,omitzero"`
}

type option struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Value string   `json:"value"`
	Of    []string `json:"of"`
}

// Run examines the agent.
func (c *agentsDoctorCmd) Run() error {
	if c.Timeout <= 0 {
		return &exitError{exitUsage, fmt.Errorf("--timeout: %v is no time", c.Timeout)}
	}
	dir, err := folder(c.Cwd)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	ctx, stop := untilSignal()
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, errTimeout)
	defer cancel()
	d := &diagnosis{}
	start, err := c.find(ctx, dir, d)
	if exit, ok := errors.AsType[*exitError](err); ok && exit.code == exitUsage {
		return err
	}
	if err == nil {
		err = c.examine(ctx, dir, start, d)
	}
	return c.conclude(d, unlessSignalled(ctx, err))
}

// conclude says what came of it.
func (c *agentsDoctorCmd) conclude(d *diagnosis, err error) error {
	d.Works = err == nil
	if err != nil {
		d.ExitCode, d.Problem = exitFailure, err.Error()
		if exit, ok := errors.AsType[*exitError](err); ok {
			d.ExitCode = exit.code
		}
	}
	if c.Format == "json" {
		if err := printJSON(os.Stdout, d); err != nil {
			return err
		}
	} else if err := d.print(os.Stdout); err != nil {
		return err
	}
	if err == nil {
		return nil
	}
	return &exitError{d.ExitCode, err}
}
