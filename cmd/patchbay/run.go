package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

// runCmd is `patchbay run`: one prompt to one agent, for people and for scripts. docs/run.md is its guide.
type runCmd struct {
	Prompt     []string `arg:"" optional:"" help:"What to ask the agent for. Several words are joined; - stands for standard input, which is added too where it is a pipe or a file."`
	agentFlags `embed:""`
	File       given   `placeholder:"FILE" help:"Read the prompt from a file, or what follows the words of it."`
	Attach     []given `placeholder:"FILE" sep:"none" help:"Give the agent a file, an image or a sound with the prompt, or a link to any URL. Can be repeated."`
	Cwd        string  `placeholder:"DIR" help:"The folder to work in. Default: this one."`
	Format     string  `default:"text" enum:"text,json,ndjson,quiet" help:"What to print: text as it comes, json at the end, ndjson, an event a line, or quiet, the answer alone."`

	policyFlags `embed:"" group:"What passes"`
	openFlags   `embed:"" group:"Sessions"`
	Set         []string `placeholder:"KEY=VALUE" sep:"none" help:"Give an option of the agent's a value. Can be repeated."`
	limitFlags  `embed:"" group:"Limits"`
	sandboxFlags
	Auth          string `placeholder:"METHOD" help:"Sign in with this method of the agent's when it asks for it."`
	startSettings `embed:"" group:"The model and the mode, of any agent, and settings of the built-in one"`
	Trace         string `placeholder:"FILE" help:"Write every message, in both directions, to a file: one JSON object a line."`
	TraceRaw      bool   `help:"Keep credentials in the trace."`
	Verbose       bool   `short:"v" help:"Show what the agent writes to standard error."`
}

// Help is what `patchbay run --help` adds.
func (*runCmd) Help() string {
	return `The agent is the built-in one, one by its name, or any command after --:

  patchbay run "find TODO"
  patchbay run --agent claude "find TODO"
  patchbay run --permissions acceptEdits "fix the test" -- gemini --acp
  git diff | patchbay run --format quiet "write a commit message"

Where there is no terminal to ask on, questions are answered with no. The exit status says how the turn ended: 0 for a turn that was completed, 6 if something was denied for want of a terminal, 11 for a limit, 124 for a timeout, 130 after Ctrl-C; docs/run.md has them all.`
}

// Run drives the agent. Its error is an *exitError unless all went well.
func (c *runCmd) Run() error {
	cwd, err := c.check()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	agent, err := c.find(cwd)
	if err != nil {
		return c.unstarted(err)
	}
	prompt, err := c.prompt(os.Stdin)
	if err != nil {
		return c.unstarted(err)
	}
	attached, err := attachments(c.Attach)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	rules, err := c.rulebook(cwd, settings{})
	if err != nil {
		return &exitError{exitUsage, err}
	}
	wall, err := c.wall(cwd, agent.Name == registry.BuiltIn)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer wall.close()
	if err := wall.bars(rules); err != nil {
		return &exitError{exitUsage, err}
	}
	tracer, err := c.tracer()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	return newRun(c, cwd, agent, rules, wall).drive(input{prompt, attached}, tracer)
}

// unstarted returns an error of a run that has not come to starting the agent, of the command line unless it has a status. Those
// who wait for a result get one, save for a command line that makes no sense.
func (c *runCmd) unstarted(err error) error {
	exit, ok := errors.AsType[*exitError](err)
	if !ok {
		return &exitError{exitUsage, err}
	}
	if exit.code != exitUsage {
		_ = newView(c.Format, os.Stdout, nil).end(&outcome{end: exit}) // what it is about is worse than an output that can't be written
	}
	return exit
}

// check refuses what makes no sense, before anything is read or started, and returns the folder.
func (c *runCmd) check() (cwd string, err error) {
	if err := c.openFlags.check(); err != nil {
		return "", err
	}
	if err := c.limitFlags.check(); err != nil {
		return "", err
	}
	for _, set := range c.Set {
		if key, _, ok := strings.Cut(set, "="); !ok || key == "" {
			return "", fmt.Errorf("--set: %q is not KEY=VALUE", set)
		}
	}
	return folder(c.Cwd)
}

// find finds the agent. A signal ends what that starts, such as a shell that is asked where programs are.
func (c *runCmd) find(cwd string) (*launch, error) {
	ctx, stop := untilSignal()
	defer stop()
	agent, err := c.launch(ctx, cwd, c.startSettings)
	return agent, unlessSignalled(ctx, cmp.Or(err, ctx.Err()))
}

// folder returns the absolute path of a folder to work in, "" for this one.
func folder(name string) (string, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	switch info, err := os.Stat(dir); {
	case err != nil:
		return "", fmt.Errorf("--cwd: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("--cwd: %s is not a folder", dir)
	}
	return dir, nil
}
