package tool

import (
	"context"
	"os/exec"
	"runtime"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// Outside is the part of an Env beyond files: commands, the web and people.
type Outside interface {
	// Start starts a command. If ctx ends before it has, it is not started.
	Start(ctx context.Context, c Command) (Process, error)

	// Bind prepares a program that a tool starts for its own work and that only looks, so that it can touch no more than the
	// session may. If it returns an error, the program is not to be started.
	Bind(cmd *exec.Cmd) error

	// Sandbox returns where the sandboxed tools of the session work: with the files of this machine, and commands that the
	// kernel keeps inside the roots.
	Sandbox() (Env, error)

	// Background has the session's commands in the background.
	Background() *Background

	// Web says how pages are fetched.
	Web() Web

	// Show shows people Markdown text of the call that is carried out, in the place of what it has shown before. It
	// reports whether there is anyone to show it to; if not, the text belongs in the call's result.
	Show(text string) bool

	// Plan shows a plan.
	Plan(entries []acp.PlanEntry) error

	// Ask asks the user, and returns when they have answered. The error is ErrCannotAsk if they can't be asked so.
	Ask(ctx context.Context, q *Question) (*Answer, error)

	// Task has a subagent do something, and returns when it has. The error is ErrNoSubagents if there can't be any.
	Task(ctx context.Context, t Subtask) (*Result, error)

	// Propose asks the user whether the plan that the call shows is to be carried out, and sees to it that it can be. It
	// returns what the model is to know then, or "" if they don't agree.
	Propose(ctx context.Context) (agreed string, err error)
}

// A Command is what to start.
type Command struct {
	Line string // for the shell
	Dir  Path   // working directory; the zero Path is the session's
	Keep int    // how much of the end of the output is kept, in bytes

	// Job is set for a command that goes on after the call that starts it.
	Job bool

	// Wrap, if not nil, binds the process of a command on this machine before it is started. If it returns an error, nothing
	// is started.
	Wrap func(cmd *exec.Cmd) error
}

// A Process is a command that runs or has run. Its methods may be called at any time, and after each other in any order.
// Whoever has started it has to close it.
type Process interface {
	// Done returns a channel that is closed when the command has ended.
	Done() <-chan struct{}

	// Grown returns a channel that is closed when there is output that Output and Next have not returned; nil if the
	// client shows the output by itself.
	Grown() <-chan struct{}

	// Output returns the end of the output.
	Output(ctx context.Context) (*Output, error)

	// Next returns the output that neither it nor Output has returned before.
	Next(ctx context.Context) (*Output, error)

	// Kill has the command end, with all that it has started, and does not wait for that.
	Kill()

	// Close ends the command at once, if it still runs, and frees what it holds.
	Close()
}

// An Output is what a command has written, and how it ended.
type Output struct {
	Text      string // standard output and standard error; the end of it if it was too long
	Truncated bool   // something before the text is missing

	Ended    bool
	ExitCode *int   // nil if a signal ended it
	Signal   string // the signal's name

	// Shown is set if the client shows the output by itself.
	Shown bool
}

// pagers keep commands from waiting for someone who presses a key.
var pagers = []string{"PAGER=cat", "GIT_PAGER=cat", "MANPAGER=cat", "GIT_TERMINAL_PROMPT=0"}

// CommandEnv returns the variables that a command needs in a terminal of the client's, beyond those that the client gives
// it. TERM is not among them: the client knows what it can draw.
func CommandEnv() []acp.EnvVariable {
	var list []acp.EnvVariable
	for _, pair := range pagers {
		name, value, _ := strings.Cut(pair, "=")
		list = append(list, acp.EnvVariable{Name: name, Value: value})
	}
	return list
}

// ShellCommand returns the program and arguments that run a command line where a client has none but programs to offer. The
// client is taken to be on a system like this one.
func ShellCommand(line string) (program string, args []string) {
	if runtime.GOOS == "windows" {
		return "cmd.exe", []string{"/D", "/C", line}
	}
	return "sh", []string{"-c", line}
}
