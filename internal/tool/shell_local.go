package tool

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/terminal"
)

// local is what a Local has for Outside.
type local struct {
	// Network says how pages are fetched.
	Network Web

	// Withhold names the variables of this process's environment that commands don't get (F175).
	Withhold []string

	background Background
}

// Web returns l.Network.
func (l *local) Web() Web { return l.Network }

// Background has the session's commands in the background.
func (l *local) Background() *Background { return &l.background }

// Bind keeps from a program what is withheld from commands, and lets it touch what it likes.
func (l *local) Bind(cmd *exec.Cmd) error {
	cmd.Env = l.environ()
	return nil
}

// Sandbox fails: there is nothing that keeps commands inside the roots.
func (l *local) Sandbox() (Env, error) { return nil, errors.New("there is no sandbox here") }

// Close ends the commands in the background, with all that they started, and waits for that. None can be started any more.
func (l *local) Close() { l.background.Close() }

// Show shows nothing: there is nobody to show it to.
func (l *local) Show(string) bool { return false }

// Plan shows nothing either.
func (l *local) Plan([]acp.PlanEntry) error { return nil }

// Ask fails: there is nobody to ask.
func (l *local) Ask(context.Context, *Question) (*Answer, error) { return nil, ErrCannotAsk }

// Task fails: there is no agent that could have another one.
func (l *local) Task(context.Context, Subtask) (*Result, error) { return nil, ErrNoSubagents }

// Propose returns ErrCannotAsk.
func (l *local) Propose(context.Context) (string, error) { return "", ErrCannotAsk }

// Start starts a command as a child of this process, in a group of its own and without input (F108). On top of this
// process's environment, save what is withheld, it has what keeps it from waiting for a key or drawing on a screen.
func (l *Local) Start(ctx context.Context, c Command) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t, err := terminal.Start(terminal.Command{
		Line: c.Line, Dir: cmp.Or(c.Dir.Abs, l.space.Cwd), Limit: c.Keep,
		Base: l.environ(), Env: append([]string{"TERM=dumb"}, pagers...), Wrap: c.Wrap,
	})
	if err != nil {
		return nil, err
	}
	return &child{t: t}, nil
}

// environ is this process's environment, save what is withheld.
func (l *local) environ() []string { return without(os.Environ(), l.Withhold) }

// without returns an environment without some variables.
func without(environ, names []string) []string {
	same := func(a, b string) bool { return a == b }
	if runtime.GOOS == "windows" {
		same = strings.EqualFold
	}
	return slices.DeleteFunc(environ, func(pair string) bool {
		variable, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(names, func(name string) bool { return same(name, variable) })
	})
}

// A child is a Process on this machine.
type child struct {
	t    *terminal.Terminal
	seen atomic.Int64 // bytes of the output that were returned
}

func (c *child) Done() <-chan struct{}  { return c.t.Done() }
func (c *child) Grown() <-chan struct{} { return c.t.Grown(c.seen.Load()) }
func (c *child) Kill()                  { c.t.Kill() }

func (c *child) Output(context.Context) (*Output, error) {
	c.seen.Store(c.t.Since(c.seen.Load()).Next)
	return output(c.t.Output()), nil
}

func (c *child) Next(context.Context) (*Output, error) {
	ended := c.t.Output().Exit
	span := c.t.Since(c.seen.Load())
	c.seen.Store(span.Next)
	return output(terminal.Output{Text: span.Text, Truncated: span.Missed, Exit: ended}), nil
}

// Close ends the command without any grace (F48): what is cancelled is over at once.
func (c *child) Close() {
	c.t.Abort()
	c.t.Close()
}

func output(o terminal.Output) *Output {
	result := &Output{Text: o.Text, Truncated: o.Truncated}
	if o.Exit == nil {
		return result
	}
	result.Ended, result.Signal = true, o.Exit.Signal
	if o.Exit.Code != nil {
		code := int(*o.Exit.Code)
		result.ExitCode = &code
	}
	return result
}
