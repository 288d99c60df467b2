package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/transport"
)

// A run is one prompt on its way.
type run struct {
	cmd       *runCmd
	cwd       string
	files     *client.Files
	terminals *client.Terminals
	asker     *asker
	policy    *policy.Policy
	wall      *wall
	signals   *signals

	mu     sync.Mutex // guards what follows
	view   view
	noise  int // stray lines so far
	denied []denial
}

// A denial is something that the agent was not allowed to do.
type denial struct {
	ToolCallID acp.ToolCallID `json:"toolCallId"`
	Title      string         `json:"title"`
	Kind       acp.ToolKind   `json:"kind,omitzero"`
	Reason     denialReason   `json:"reason"`
}

// A denialReason says who decided so.
type denialReason string

const (
	deniedByUser     denialReason = "user"
	deniedByMode     denialReason = "mode"
	deniedUnattended denialReason = "no_terminal"
	deniedNoOption   denialReason = "no_option" // the agent offered no way to allow it
)

func newRun(c *runCmd, cwd string, w *wall) *run {
	r := &run{cmd: c, cwd: cwd, wall: w, files: &client.Files{}, terminals: &client.Terminals{Wrap: w.wrap()}, asker: newAsker()}
	r.policy = &policy.Policy{Mode: c.Permissions, Real: confine.Real}
	r.view = newView(c.Format, os.Stdout, r.terminals)
	return r
}

// An outcome is how a run ended.
type outcome struct {
	agent   *acp.Implementation
	session *client.Session // nil if there was none
	result  *client.Result  // nil if the turn did not end
	denied  []denial
	signIns []string   // the agent's ways to sign in
	stopped bool       // whether the turn, or what came before it, is over
	cause   error      // what had ended the context by then
	end     *exitError // nil if all went well
}

// stop keeps why the context has ended, if it has. What comes after the first call, while the agent is being ended, doesn't
// count.
func (o *outcome) stop(ctx context.Context) {
	if !o.stopped {
		o.stopped, o.cause = true, context.Cause(ctx)
	}
}

// drive does everything, and prints it. Its error is an *exitError.
func (r *run) drive(prompt string, observe func(jsonrpc.Traffic)) error {
	r.signals = watchSignals()
	defer r.signals.stop()
	ctx := r.signals.ctx
	if r.cmd.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, r.cmd.Timeout, errTimeout)
		defer stop()
	}
	var o outcome
	err := r.converse(ctx, &o, prompt, observe)
	r.mu.Lock()
	defer r.mu.Unlock()
	if more := r.noise - maxNoise; more > 0 && !r.cmd.Verbose {
		r.view.note(fmt.Sprintf("the agent printed %d more such lines; --verbose shows them", more))
	}
	o.denied = r.denied
	o.end = exitOf(&o, err)
	if err := r.view.end(&o); err != nil && o.end == nil {
		o.end = &exitError{exitFailure, fmt.Errorf("write the output: %w", err)}
	}
	if o.end == nil {
		return nil // and not a nil *exitError
	}
	return o.end
}

// converse starts the agent, gives it the prompt, and ends it.
func (r *run) converse(ctx context.Context, o *outcome, prompt string, observe func(jsonrpc.Traffic)) error {
	defer o.stop(ctx)
	path, args, err := r.cmd.command()
	if err != nil {
		return err
	}
	command := transport.Command{Path: path, Args: args, Dir: r.cwd, OnStderr: r.stderr, Wrap: r.wall.wrap()}
	c, err := client.Spawn(ctx, command, r.handler(), r.options(observe))
	if err != nil {
		return &exitError{exitStart, err}
	}
	defer r.close(c)
	defer o.stop(ctx)
	r.signals.onSecond(c.Process().Kill)
	o.agent, o.signIns = c.AgentInfo(), methodNames(c.AuthMethods())
	s, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: r.cwd, MCPServers: []acp.MCPServer{}})
	if err != nil {
		return fmt.Errorf("start a session: %w", err)
	}
	o.session = s
	r.show(func(v view) { v.begin(c.AgentInfo(), s) })
	o.result, err = s.Run(ctx, acp.Text(prompt))
	return err
}

// close ends the agent, and waits until nothing of it is left.
func (r *run) close(c *client.Client) {
	r.terminals.Close()
	_ = c.Close()
	_ = c.Wait()
}

func (r *run) options(observe func(jsonrpc.Traffic)) client.Options {
	o := client.Options{
		Info:      acp.Implementation{Name: "patchbay", Title: "Patchbay", Version: version()},
		Files:     r.files,
		Terminals: r.terminals,
		Guard:     r.guard,
		Shows:     client.Shows{Notices: true, Compactions: true, Plans: true},
		Logger:    slog.New(slog.DiscardHandler),
		Diagnose:  r.diagnose,
		Observe:   observe,
	}
	if r.looksOnly() {
		o.Files, o.Terminals = nil, nil
	}
	if r.cmd.Auth != "" {
		o.Auth = func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) {
			return acp.AuthMethodID(r.cmd.Auth), nil
		}
		if r.asker.terminal {
			o.TerminalAuth = client.RunOnTerminal
		}
	}
	return o
}

// handler returns what handles the agent's requests. In mode plan, and in a sandbox that lets nothing be changed, it reads files and does no more.
func (r *run) handler() client.Handler {
	if r.looksOnly() {
		return reader{r}
	}
	return r
}

// looksOnly reports whether nothing is written or executed here, whether the agent asks or not.
func (r *run) looksOnly() bool {
	return r.cmd.Permissions == policy.ModePlan || r.wall != nil && r.wall.looks
}

// A reader is a run that lets the agent read.
type reader struct{ *run }

// ReadTextFile reads a file in the session's roots.
func (r reader) ReadTextFile(ctx context.Context, s *client.Session, req *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	return r.files.ReadTextFile(ctx, s, req)
}

// Update prints what has happened.
func (r *run) Update(_ context.Context, s *client.Session, u acp.SessionUpdate) {
	r.asker.mu.Lock() // what comes while a question is open waits, so that the question stays to be read
	defer r.asker.mu.Unlock()
	r.show(func(v view) { v.update(s, u) })
}

// show prints something. If that fails nobody is listening any more, so that the turn is cancelled.
func (r *run) show(f func(view)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(r.view)
	if err := r.view.failed(); err != nil {
		r.signals.cancel(fmt.Errorf("write the output: %w", err))
	}
}

// maxNoise is how many stray lines are shown, not to drown everything else.
const maxNoise = 5

// diagnose reports what the agent prints in the place of messages, and the like.
func (r *run) diagnose(d jsonrpc.Diagnostic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.noise++; r.noise > maxNoise && !r.cmd.Verbose {
		return
	}
	text := d.String()
	if d.Kind == jsonrpc.Noise {
		text = "the agent printed what is no message: " + strings.TrimSpace(d.Text)
	}
	r.view.note(text)
}

// stderr shows a line of the agent's standard error.
func (r *run) stderr(line string) {
	if r.cmd.Verbose {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.view.note(line)
	}
}
