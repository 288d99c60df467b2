package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/registry"
	"github.com/patchbay-dev/patchbay/transport"
)

// agentFlags say which agent a subcommand drives: one by its name, or the command after --. With neither it is the one that the
// configuration names, and the built-in one if that names none.
type agentFlags struct {
	Agent string   `placeholder:"NAME" help:"The agent, by its name: patchbay agents lists them. Default: the built-in one, patchbay."`
	Words []string `kong:"-"` // what stands after --

	EnvAllow []string `placeholder:"NAME" help:"A variable of the environment that the agent gets beside what every program needs; AWS_* stands for all that begin so. A known agent has a list of its own and gets this in addition; any other gets everything unless this is given. Can be given several times."`
}

// take takes what stands after --.
func (f *agentFlags) take(words []string) error {
	f.Words = words
	return nil
}

// A launch is what starts an agent.
type launch struct {
	transport.Command
	Name  string          // of the agent, registry.BuiltIn for the built-in one; "" for a command
	Agent *registry.Agent // nil for a command and for the built-in agent
}

// launch finds the agent, for a session in a folder. The settings are those of the built-in agent; no other has a use for any but
// the model and the mode, which its session gets. Its error is an *exitError.
func (f *agentFlags) launch(ctx context.Context, dir string, s startSettings) (*launch, error) {
	name, called, err := f.choose(dir)
	if err != nil {
		return nil, err
	}
	if name == registry.BuiltIn {
		return f.builtIn(s)
	}
	s.Model, s.Mode = "", ""
	if flags := s.args(); len(flags) > 0 {
		return nil, &exitError{exitUsage, fmt.Errorf("%s is for the built-in agent, and the agent is %s", flags[0], called)}
	}
	if name == "" {
		return &launch{Command: transport.Command{Path: f.Words[0], Args: f.Words[1:], Env: f.environment()}}, nil
	}
	return f.named(ctx, name)
}

// environment is what an agent without a list of its own gets: everything, as from a shell, or no more than what is allowed.
func (f *agentFlags) environment() []string {
	if len(f.EnvAllow) == 0 {
		return nil
	}
	return transport.AllowEnv(f.EnvAllow...)
}

// choose returns the agent's name, "" for the command after --, and what to call it in an error.
func (f *agentFlags) choose(dir string) (name, called string, err error) {
	switch {
	case len(f.Words) > 0 && f.Agent != "":
		return "", "", &exitError{exitUsage, errors.New("--agent names an agent, and after -- stands a command: choose one")}
	case len(f.Words) > 0:
		return "", f.Words[0], nil
	case f.Agent != "":
		return f.Agent, f.Agent, nil
	}
	cfg, err := config.Load(config.Options{Dir: dir})
	if err != nil {
		return "", "", &exitError{exitStart, err}
	}
	if cfg.Agent.Value == "" {
		return registry.BuiltIn, registry.BuiltIn, nil
	}
	return cfg.Agent.Value, fmt.Sprintf("%s (%s)", cfg.Agent.Value, cfg.Agent.From), nil
}

// builtIn starts this program itself.
func (f *agentFlags) builtIn(s startSettings) (*launch, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, &exitError{exitStart, fmt.Errorf("find the built-in agent: %w", err)}
	}
	command := transport.Command{Path: path, Args: append([]string{"agent"}, s.args()...), Env: f.environment()}
	return &launch{Command: command, Name: registry.BuiltIn}, nil
}

// named starts an agent by its name, with the part of the environment that is its business (F175).
func (f *agentFlags) named(ctx context.Context, name string) (*launch, error) {
	r, err := registry.Open(registry.Options{})
	if err != nil {
		return nil, &exitError{exitStart, err}
	}
	found, err := r.Find(ctx, name)
	if _, unknown := errors.AsType[*registry.UnknownError](err); unknown {
		return nil, &exitError{exitUsage, err}
	}
	if err != nil {
		return nil, &exitError{exitStart, err}
	}
	return &launch{Command: found.Command(f.EnvAllow...), Name: found.Agent.ID, Agent: found.Agent}, nil
}
