package coder

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// Plan shows a plan to the client.
func (e *env) Plan(entries []acp.PlanEntry) error { return e.turn.Plan(entries...) }

// Show shows a text in the call.
func (e *env) Show(text string) bool { return e.call.SetText(text) == nil }

// Start starts a command: where the session's mode bounds it, as a child of this process, which alone can be bound; else in
// a terminal of the client's, if it has any, which shows the output while it comes.
func (e *env) Start(ctx context.Context, c tool.Command) (tool.Process, error) {
	switch b := e.session.mode().bounds; {
	case b != unbounded:
		return e.startBound(ctx, c, b)
	case e.client().Terminal:
		return e.startRemote(ctx, c)
	}
	return e.startLocal(ctx, c)
}

// startLocal starts a command on this machine. One in the background outlives the turn, so it belongs to the session.
func (e *env) startLocal(ctx context.Context, c tool.Command) (tool.Process, error) {
	if c.Job {
		e.coder.background.endWith(e.turn.Session().Conn(), e.session)
	}
	return e.Local.Start(ctx, c)
}

// startRemote starts a command in a terminal of the client's. One in the background belongs to the session here, too.
func (e *env) startRemote(ctx context.Context, c tool.Command) (tool.Process, error) {
	e.remote = true
	shell, args := tool.ShellCommand(c.Line)
	limit := uint64(c.Keep)
	request := acp.CreateTerminalRequest{
		Command: shell, Args: args, Env: tool.CommandEnv(), CWD: cmp.Or(c.Dir.Abs, e.turn.Session().CWD()), OutputByteLimit: &limit,
	}
	create := e.turn.CreateTerminal
	if c.Job {
		create = e.turn.Session().CreateTerminal
	}
	t, err := create(ctx, request)
	if err != nil {
		return nil, err
	}
	r := newRemote(t, c.Keep)
	if err := e.call.Terminal(t); err != nil { // before it is released, or it will not be shown
		r.Close()
		return nil, err
	}
	return r, nil
}

// A remote is a tool.Process in a terminal of the client's.
type remote struct {
	terminal *agent.Terminal
	keep     int                // how much of the end of the output counts, in bytes, whatever the client keeps
	stop     context.CancelFunc // of the wait
	done     chan struct{}      // the wait closes it
	status   *acp.TerminalExitStatus
	failed   error // of the wait; both are set before done is closed

	mu   sync.Mutex // held while output is read
	seen string     // the output that was returned
}

// newRemote begins to wait for the end of a terminal's command. The wait ends with the client's answer, or with Close.
func newRemote(t *agent.Terminal, keep int) *remote {
	ctx, stop := context.WithCancel(context.Background())
	r := &remote{terminal: t, keep: keep, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		r.status, r.failed = t.Wait(ctx)
	}()
	return r
}

func (r *remote) Done() <-chan struct{} { return r.done }

// Grown returns nil: the client shows what there is.
func (r *remote) Grown() <-chan struct{} { return nil }

func (r *remote) Output(ctx context.Context) (*tool.Output, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, _, err := r.read(ctx)
	return out, err
}

func (r *remote) Next(ctx context.Context) (*tool.Output, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out, before, err := r.read(ctx)
	if err != nil {
		return nil, err
	}
	var missed bool
	out.Text, missed = since(before, out.Text, out.Truncated)
	out.Truncated = missed
	return out, nil
}

// read returns the output, and what it was when it was read before.
func (r *remote) read(ctx context.Context) (out *tool.Output, before string, err error) {
	ended := false
	select {
	case <-r.done:
		if ended = true; r.failed != nil {
			return nil, "", r.failed
		}
	default:
	}
	answer, err := r.terminal.Output(ctx)
	if err != nil {
		return nil, "", err
	}
	if n := len(answer.Output) - r.keep; n > 0 {
		answer.Output, answer.Truncated = strings.ToValidUTF8(answer.Output[n:], ""), true
	}
	out = &tool.Output{Text: answer.Output, Truncated: answer.Truncated, Ended: ended, Shown: true}
	if ended {
		out.Signal = r.status.Signal
		if r.status.ExitCode != nil {
			code := int(*r.status.ExitCode)
			out.ExitCode = &code
		}
	}
	before, r.seen = r.seen, answer.Output
	return out, before, nil
}

// overlap is how much of the end of earlier output has to be found again in later output, in bytes, to know where that goes
// on.
const overlap = 1 << 10

// since returns what output has that an earlier state of it had not. Clients tell only the end of it all, so that where it
// was cut the old has to be found in the new; if it can't be, something may have been missed.
func since(before, now string, cut bool) (fresh string, missed bool) {
	if !cut || before == "" {
		return strings.TrimPrefix(now, before), cut
	}
	end := before[max(len(before)-overlap, 0):]
	if i := strings.LastIndex(now, end); i >= 0 {
		return now[i+len(end):], false
	}
	return now, true
}

// terminalWait is how long a command in the client's terminal is waited for when it is told to end, or the terminal to go:
// the client is told at once, and one that never answers must hold up neither a cancel nor the model (F44).
const terminalWait = 250 * time.Millisecond

// Kill has the client end the command.
func (r *remote) Kill() {
	ctx, stop := context.WithTimeout(context.Background(), terminalWait)
	defer stop()
	_ = r.terminal.Kill(ctx) // Close, which follows, ends it too
}

// Close releases the terminal, also when the turn has been cancelled.
func (r *remote) Close() {
	ctx, stop := context.WithTimeout(context.Background(), terminalWait)
	defer stop()
	_ = r.terminal.Release(ctx) // the command is done with; nothing is lost but memory of the client's
	r.stop()
	<-r.done
}
