package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/policy"
)

// runCmd is `patchbay run`: one prompt to one agent, for people and for scripts. docs/run.md is its guide.
type runCmd struct {
	Prompt      []string      `arg:"" help:"What to ask the agent for. Several words are joined; - reads standard input."`
	Agent       []string      `kong:"-"` // what stands after --
	Cwd         string        `placeholder:"DIR" help:"The folder to work in. Default: this one."`
	Format      string        `default:"text" enum:"text,json,ndjson" help:"What to print: text as it comes, json at the end, or ndjson, an event a line."`
	Permissions policy.Mode   `default:"default" enum:"default,acceptEdits,bypassPermissions,plan" help:"What passes without a question beside reading in the folder: default (nothing), acceptEdits, bypassPermissions (everything), or plan (nothing, and nobody is asked)."`
	Trace       string        `placeholder:"FILE" help:"Write every message, in both directions, to a file: one JSON object a line."`
	TraceRaw    bool          `help:"Keep credentials in the trace."`
	Timeout     time.Duration `placeholder:"30s" help:"Cancel after so long. Default: never."`
	Auth        string        `placeholder:"METHOD" help:"Sign in with this method of the agent's when it asks for it."`
	sandboxFlags
	settings `embed:"" group:"Settings of the built-in agent"`
	Verbose  bool `short:"v" help:"Show what the agent writes to standard error."`
}

// Help is what `patchbay run --help` adds.
func (*runCmd) Help() string {
	return `The agent is the built-in one, or any command after --:

  patchbay run "find TODO"
  patchbay run --permissions acceptEdits "fix the test" -- gemini --acp

Where there is no terminal to ask on, questions are answered with no. The exit status says how the turn ended: 0 for a turn that was completed, 6 if something was denied for want of a terminal, 130 after Ctrl-C; docs/run.md has them all.`
}

// Run drives the agent. Its error is an *exitError unless all went well.
func (c *runCmd) Run() error {
	prompt, err := c.prompt()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	cwd, err := c.folder()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	if len(c.Agent) > 0 && len(c.settings.args()) > 0 {
		return &exitError{exitUsage, fmt.Errorf("%s is for the built-in agent, and the agent is %s", c.settings.args()[0], c.Agent[0])}
	}
	if c.Timeout < 0 {
		return &exitError{exitUsage, fmt.Errorf("--timeout: %v is less than nothing", c.Timeout)}
	}
	wall, err := c.wall(cwd, len(c.Agent) == 0)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer wall.close()
	tracer, err := c.tracer()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	end := newRun(c, cwd, wall).drive(prompt, tracer.observe())
	if err := tracer.close(); err != nil && end == nil {
		return &exitError{exitFailure, err}
	}
	return end
}

func (c *runCmd) prompt() (string, error) {
	prompt := strings.Join(c.Prompt, " ")
	if prompt == "-" {
		text, err := io.ReadAll(os.Stdin)
		if err != nil {
			return "", fmt.Errorf("read the prompt: %w", err)
		}
		prompt = string(text)
	}
	if strings.TrimSpace(prompt) == "" {
		return "", errors.New("the prompt is empty")
	}
	return prompt, nil
}

// folder returns the absolute path of the folder to work in.
func (c *runCmd) folder() (string, error) {
	dir, err := filepath.Abs(c.Cwd) // "" is this one
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

// command returns what starts the agent.
func (c *runCmd) command() (path string, args []string, err error) {
	if len(c.Agent) > 0 {
		return c.Agent[0], c.Agent[1:], nil
	}
	if path, err = os.Executable(); err != nil {
		return "", nil, fmt.Errorf("find the built-in agent: %w", err)
	}
	return path, append([]string{"agent"}, c.settings.args()...), nil
}
