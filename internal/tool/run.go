package tool

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// MaxOutput is how much of a command's output is kept, in bytes. The end is what counts.
const MaxOutput = 64 << 10

// Shell returns the program and arguments that run a command line where a client has none but programs to offer. The
// client is taken to be on a system like this one.
func Shell(line string) (program string, args []string) {
	if runtime.GOOS == "windows" {
		return "cmd.exe", []string{"/D", "/C", line}
	}
	return "sh", []string{"-c", line}
}

// Run returns the tool that runs a command.
func Run() *Tool {
	return define(Tool{
		Name:        "run",
		Description: fmt.Sprintf("Runs a command by the shell, in the working directory, without input. The result has the last %d bytes of its output.", MaxOutput),
		Kind:        acp.ToolKindExecute,
		Asks:        true,
		Schema: acp.Raw(`{"type":"object","required":["command"],"properties":{` +
			`"command":{"type":"string","minLength":1,"description":"The command line."}}}`),
	}, prepareRun)
}

type runInput struct {
	Command string `json:"command"`
}

func prepareRun(env Env, in runInput) (*Job, error) {
	if strings.TrimSpace(in.Command) == "" {
		return nil, errors.New("the input of run has no command")
	}
	title := oneLine(in.Command, 200)
	return &Job{
		Title: "Run `" + title + "`",
		preview: func(context.Context) ([]acp.ToolCallContent, error) {
			if title == in.Command {
				return nil, nil
			}
			return shown(fenced(in.Command)), nil // nobody should allow what the title has no room for
		},
		run: func(ctx context.Context) (*Result, error) {
			out, err := env.Run(ctx, in.Command)
			if err != nil {
				return nil, fmt.Errorf("running the command: %w", err)
			}
			return runResult(out), nil
		},
	}, nil
}

func runResult(out *Output) *Result {
	summary := out.status()
	if out.Truncated {
		summary += "; this is the end of its output"
	} else if out.Text == "" {
		summary += " and wrote nothing" // a command without output is not a command without an answer (F160)
	}
	r := textResult(summary, out.Text)
	r.Failed = out.ExitCode == nil || *out.ExitCode != 0
	if out.Shown {
		r.Content = nil
	}
	return r
}

func (o *Output) status() string {
	switch {
	case o.ExitCode != nil:
		return fmt.Sprintf("The command ended with status %d", *o.ExitCode)
	case o.Signal != "":
		return "The command was ended by " + o.Signal
	}
	return "The command ended, the client doesn't say how"
}
