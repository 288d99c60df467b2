package coder

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// Options are choices for a Coder.
type Options struct {
	// Model names the language model. Only "offline" exists, and is the default.
	Model string

	// Version is the program's version. Default "dev".
	Version string

	// Hooks are what the demonstrations of misbehaviour need.
	Hooks Hooks
}

// Hooks let "/demo" do what no well-kept agent does. A nil hook means that its demonstration says it is not available,
// which is right wherever other agents or clients live in the same process.
type Hooks struct {
	// Stray writes a line that is no message to where the messages go.
	Stray func(line string) error

	// Crash ends the process. It doesn't return.
	Crash func()
}

// A Coder is the built-in coding agent. It is safe for concurrent use, by any number of connections.
type Coder struct {
	model   model.Model
	tools   map[string]*tool.Tool
	offered []model.Tool
	version string
	hooks   Hooks
	store   store
}

var _ interface {
	agent.Agent
	agent.Loader
	agent.Resumer
	agent.Forker
	agent.Lister
	agent.Closer
	agent.Deleter
} = (*Coder)(nil)

// New returns an agent. It fails if there is no such model.
func New(o Options) (*Coder, error) {
	m, err := chooseModel(o.Model)
	if err != nil {
		return nil, err
	}
	c := &Coder{model: m, tools: map[string]*tool.Tool{}, version: o.Version, hooks: o.Hooks}
	if c.version == "" {
		c.version = "dev"
	}
	for _, t := range tool.All() {
		c.tools[t.Name] = t
		c.offered = append(c.offered, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return c, nil
}

func chooseModel(name string) (model.Model, error) {
	switch name {
	case "", "offline":
		return model.Offline{}, nil
	}
	return nil, fmt.Errorf("there is no model %q; the only one so far is \"offline\", which needs no network and no key", name)
}

// AgentOptions are the options to serve the agent with. What is not the agent's own business, such as the logger, is left
// to the caller.
func (c *Coder) AgentOptions() agent.Options {
	info := c.model.Info()
	return agent.Options{
		Info:        acp.Implementation{Name: "patchbay", Title: "Patchbay (" + info.Title + ")", Version: c.version},
		Prompt:      info.Prompt,
		KeepHistory: true,

		AdditionalDirectories: true,
	}
}

// Prompt takes a turn.
func (c *Coder) Prompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	s, ok := t.Session().Value().(*session)
	if !ok {
		return "", acp.ErrInternal("the session %s has no conversation", t.Session().ID())
	}
	if title := c.store.touch(t.Session().ID(), t.PromptText()); title != "" {
		if err := t.Title(title); err != nil {
			return "", err
		}
	}
	if name, input, ok := t.Command(); ok && isCommandName(name) {
		return c.command(ctx, t, s, name, input)
	}
	return c.exchange(ctx, t, s)
}
