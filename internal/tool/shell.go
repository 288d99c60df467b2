package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// MaxOutput is how much of a command's output is kept, in bytes. The end is what counts.
const MaxOutput = 64 << 10

// defaultTimeout is how long a command may take where the model doesn't say, in seconds.
const defaultTimeout = 120

// shellName is the name of the tool that runs commands.
const shellName = "shell"

// Shell returns the tool that runs a command.
func Shell() *Tool {
	return define(Tool{
		Name: shellName,
		Description: fmt.Sprintf("Runs a command by the shell and returns its exit status and the last %d KiB of its output. "+
			"There is no input and no terminal. A command that is still running after timeout_seconds is ended. "+
			"With background set, it goes on while you do other things: use the tool job to read what it writes and to stop it.", MaxOutput>>10),
		Kind: acp.ToolKindExecute,
	}, prepareShell)
}

type shellInput struct {
	Command     string `json:"command" minLength:"1" jsonschema:"The command line."`
	CWD         string `json:"cwd,omitzero" jsonschema:"The folder to run it in; the default is the working directory."`
	Timeout     int    `json:"timeout_seconds,omitzero" minimum:"1" maximum:"600" jsonschema:"The default is 120. It does not count in the background."`
	Background  bool   `json:"background,omitzero" jsonschema:"Return as soon as the command has started."`
	Description string `json:"description,omitzero" jsonschema:"What the command is for, in a few words for the user."`
}

// A shellCall is a call of the tool that has been understood.
type shellCall struct {
	env     Env
	command Command
	timeout time.Duration
	title   string // the command on one line
	where   string // " in sub", or nothing
	about   string // the model's description
}

func prepareShell(env Env, in shellInput) (*Job, error) {
	c, err := newShellCall(env, in)
	if err != nil {
		return nil, err
	}
	job := &Job{Title: "Run `" + c.title + "`" + c.where, Call: c.wants(), preview: c.preview, run: c.run}
	if in.Background {
		job.Title += " in the background"
		job.run = c.start
	}
	return job, nil
}

// wants is the command as a policy knows it.
func (c *shellCall) wants() policy.Call {
	wants := policy.Call{Tool: policy.Bash, Command: c.command.Line, Dir: c.command.Dir.Abs}
	if runtime.GOOS == "windows" {
		wants.Foreign = "cmd"
	}
	return wants
}

func newShellCall(env Env, in shellInput) (*shellCall, error) {
	if strings.TrimSpace(in.Command) == "" {
		return nil, errors.New("the input has no command")
	}
	if strings.Contains(in.Command, "\x00") {
		return nil, errors.New("the command has a zero byte, which no shell takes")
	}
	c := &shellCall{
		env: env, timeout: time.Duration(cmp.Or(in.Timeout, defaultTimeout)) * time.Second, title: OneLine(in.Command, 200), about: OneLine(in.Description, 200),
		command: Command{Line: in.Command, Keep: MaxOutput},
	}
	if in.CWD == "" {
		return c, nil
	}
	dir, err := env.Resolve(in.CWD)
	if err != nil {
		return nil, err
	}
	c.command.Dir = dir
	if dir.Short != "." {
		c.where = " in " + dir.title()
	}
	return c, nil
}

// preview shows what the title has no room for: nobody should allow half a command.
func (c *shellCall) preview(context.Context) ([]acp.ToolCallContent, error) {
	var parts []string
	if c.about != "" {
		parts = append(parts, c.about)
	}
	if c.title != c.command.Line {
		parts = append(parts, fenced(Visible(c.command.Line)))
	}
	if len(parts) == 0 {
		return nil, nil
	}
	return shown(strings.Join(parts, "\n\n")), nil
}

// start starts the command in the background.
func (c *shellCall) start(ctx context.Context) (*Result, error) {
	c.command.Job, c.command.Keep = true, maxJobOutput
	id, err := c.env.Background().start(c.title, func() (Process, error) { return c.env.Start(ctx, c.command) })
	if err != nil {
		return nil, fmt.Errorf("starting the command: %w", err)
	}
	return textResult(fmt.Sprintf("The command runs in the background as %s", id), ""), nil
}

// run runs the command to its end.
func (c *shellCall) run(ctx context.Context) (*Result, error) {
	p, err := c.env.Start(ctx, c.command)
	if err != nil {
		return nil, fmt.Errorf("running the command: %w", err)
	}
	defer p.Close()
	w := &watch{env: c.env, process: p}
	if err := w.wait(ctx, c.timeout); err != nil {
		return nil, err
	}
	reading, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	out, err := p.Output(reading)
	if err != nil {
		return nil, fmt.Errorf("reading the command's output: %w", err)
	}
	r := c.result(out, w.overtime)
	if w.shown && c.env.Show(contentText(r)) {
		r.Content = nil // in the place of what was shown while it ran
	}
	return r, nil
}

func (c *shellCall) result(out *Output, overtime bool) *Result {
	summary, body := out.status(), plainText(out.Text)
	if overtime {
		summary = fmt.Sprintf("The command was still running after %.0f seconds and was ended", c.timeout.Seconds())
	}
	switch {
	case out.Truncated:
		summary += "; this is the end of its output"
	case body == "":
		summary += " and wrote nothing" // a command without output is not a command without an answer (F160)
	case overtime:
		summary += "; this is its output so far"
	}
	r := textResult(summary, body)
	r.Failed = overtime || out.ExitCode == nil || *out.ExitCode != 0
	if out.Shown {
		r.Content = nil
	}
	return r
}

func (o *Output) status() string {
	switch {
	case !o.Ended:
		return "The command is still running"
	case o.ExitCode != nil:
		return fmt.Sprintf("The command ended with status %d", *o.ExitCode)
	case o.Signal != "":
		return "The command was ended by " + o.Signal
	}
	return "The command ended, the client doesn't say how"
}

// contentText returns the text of a result that textResult has made.
func contentText(r *Result) string {
	return r.Content[0].(*acp.Content).Content.(*acp.TextContent).Text
}
