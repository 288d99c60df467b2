package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/policy"
)

// A run is one prompt on its way.
type run struct {
	cmd       *runCmd
	cwd       string
	agent     *launch
	files     *client.Files
	terminals *client.Terminals
	asker     *asker
	rules     *rulebook
	wall      *wall
	signals   *signals

	mu       sync.Mutex // guards what follows
	view     view
	noise    int // stray lines so far
	denied   []denial
	past     bool // what comes is the history of a session that is being loaded
	showPast bool
	meter    *meter
	trail    *trail
}

// A denial is something that the agent was not allowed to do.
type denial struct {
	ToolCallID acp.ToolCallID `json:"toolCallId"`
	Title      string         `json:"title"`
	Kind       acp.ToolKind   `json:"kind,omitzero"`
	Reason     denialReason   `json:"reason"`
	Rule       string         `json:"rule,omitzero"` // that decided, if one did
}

// A denialReason says who decided so.
type denialReason string

const (
	deniedByUser     denialReason = "user"
	deniedByMode     denialReason = "mode"
	deniedByRule     denialReason = "rule"
	deniedByGrant    denialReason = "grant" // an answer that was kept, or answers that can't be read
	deniedUnattended denialReason = "no_terminal"
	deniedTooLate    denialReason = "no_answer" // in time
	deniedNoOption   denialReason = "no_option" // the agent offered no way to allow it, or none but for ever
	deniedUnrecorded denialReason = "audit"     // the log could not be written
)

// unattended reports whether nobody has wanted this.
func (d denialReason) unattended() bool {
	return d == deniedUnattended || d == deniedTooLate || d == deniedNoOption || d == deniedUnrecorded
}

func newRun(c *runCmd, cwd string, agent *launch, rules *rulebook, w *wall) *run {
	r := &run{cmd: c, cwd: cwd, agent: agent, rules: rules, wall: w, files: &client.Files{}, terminals: &client.Terminals{Wrap: w.wrap()}, asker: newAsker()}
	r.view = newView(c.Format, os.Stdout, r.terminals)
	r.meter, r.trail = newMeter(c.limitFlags), newTrail(cwd)
	return r
}

// An outcome is how a run ended.
type outcome struct {
	agent     *acp.Implementation
	session   *client.Session // nil if there was none
	beginning beginning       // how it was opened
	wanted    acp.SessionID   // the session that was asked for, if it was one that was there already
	replaced  acp.SessionID   // the same, if a new one has taken its place
	said      int             // how many messages and tool calls the session had before the turn
	called    int
	result    *client.Result // nil if the turn did not end
	denied    []denial
	changed   []string  // the files
	cost      *acp.Cost // of the turn
	took      time.Duration
	signIns   []string   // the agent's ways to sign in
	stopped   bool       // whether the turn, or what came before it, is over
	cause     error      // what had ended the context by then
	end       *exitError // nil if all went well
}

// begin says which session it is.
func (o *outcome) begin(s *client.Session, how beginning) {
	o.session, o.beginning = s, how
	if how != beginNew {
		o.said, o.called = s.State().Messages().Len(), s.State().ToolCalls().Len()
	}
}

// stop keeps why the context has ended, if it has. What comes after the first call, while the agent is being ended, doesn't
// count.
func (o *outcome) stop(ctx context.Context) {
	if !o.stopped {
		o.stopped, o.cause = true, context.Cause(ctx)
	}
}

// drive does everything, and prints it. Its error is an *exitError.
func (r *run) drive(in input, observe func(jsonrpc.Traffic)) error {
	began := time.Now()
	r.signals = watchSignals()
	defer r.signals.stop()
	ctx := r.signals.ctx
	if r.cmd.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, r.cmd.Timeout, errTimeout)
		defer stop()
	}
	var o outcome
	err := r.converse(ctx, &o, in, observe)
	o.took = time.Since(began)
	r.mu.Lock()
	defer r.mu.Unlock()
	if more := r.noise - maxNoise; more > 0 && !r.cmd.Verbose {
		r.view.note(fmt.Sprintf("the agent printed %d more such lines; --verbose shows them", more))
	}
	r.sum(&o)
	o.end = exitOf(&o, err)
	if err := r.view.end(&o); err != nil && o.end == nil {
		o.end = &exitError{exitIO, fmt.Errorf("write the output: %w", err)}
	}
	if o.end == nil {
		return nil // and not a nil *exitError
	}
	return o.end
}

// sum adds up what has happened.
func (r *run) sum(o *outcome) {
	o.denied, o.changed = r.denied, r.trail.files(o)
	if r.meter.cost != nil {
		o.cost = &acp.Cost{Amount: r.meter.spent(), Currency: r.meter.cost.Currency}
	}
	if o.result == nil {
		return
	}
	if err := r.meter.end(o.result.Usage); err != nil && o.cause == nil {
		o.cause = err
	}
	for _, text := range r.meter.blind() {
		r.view.note(text)
	}
}

// converse starts the agent, gives it the prompt, and ends it.
func (r *run) converse(ctx context.Context, o *outcome, in input, observe func(jsonrpc.Traffic)) error {
	defer o.stop(ctx)
	command := r.agent.Command
	command.Dir, command.OnStderr, command.Wrap = r.cwd, r.stderr, r.wall.wrap()
	c, err := client.Spawn(ctx, command, r.handler(), r.options(observe))
	if err != nil {
		return &exitError{exitStart, err}
	}
	defer r.close(c)
	defer o.stop(ctx)
	r.signals.onSecond(c.Process().Kill)
	o.agent, o.signIns = c.AgentInfo(), methodNames(c.AuthMethods())
	if err := r.open(ctx, c, o); err != nil {
		return err
	}
	err = r.ask(ctx, c, o, in)
	if sent, ok := errors.AsType[*acp.Error](err); !ok || sent.Code != acp.CodeResourceNotFound || o.beginning == beginNew {
		return err
	}
	// Some agents open whatever they are asked for, and know of a session that it is gone only when they need it (F73).
	err = sessionError("session "+string(o.session.ID()), err)
	if !r.cmd.OrNew {
		return err
	}
	if err := r.replace(ctx, c, o, err); err != nil {
		return err
	}
	return r.ask(ctx, c, o, in)
}

// ask gives the agent the prompt.
func (r *run) ask(ctx context.Context, c *client.Client, o *outcome, in input) (err error) {
	s := o.session
	blocks, notes := in.blocks(&c.Capabilities().PromptCapabilities)
	r.show(func(v view) {
		v.begin(o)
		for _, text := range notes {
			v.note(text)
		}
	})
	if err := r.choose(ctx, o); err != nil {
		return err
	}
	r.mu.Lock()
	r.meter.begin(s)
	r.mu.Unlock()
	o.result, err = s.Run(ctx, blocks...)
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
		Info:        acp.Implementation{Name: "patchbay", Title: "Patchbay", Version: version()},
		Files:       r.files,
		Terminals:   r.terminals,
		Guard:       r.guard,
		IdleTimeout: r.cmd.IdleTimeout,
		Shows:       client.Shows{BooleanOptions: true, Notices: true, Compactions: true, Plans: true, Subagents: true},
		Logger:      slog.New(slog.DiscardHandler),
		Diagnose:    r.diagnose,
		Observe:     observe,
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
	return writer{r}
}

// looksOnly reports whether nothing is written or executed here, whether the agent asks or not.
func (r *run) looksOnly() bool {
	return r.rules.policy.Mode == policy.ModePlan || r.wall != nil && r.wall.looks
}

// A reader is a run that lets the agent read.
type reader struct{ *run }

// ReadTextFile reads a file in the session's roots.
func (r reader) ReadTextFile(ctx context.Context, s *client.Session, req *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	return r.files.ReadTextFile(ctx, s, req)
}

// Update prints what has happened, and counts it.
func (r *run) Update(_ context.Context, s *client.Session, u acp.SessionUpdate) {
	r.asker.mu.Lock() // what comes while a question is open waits, so that the question stays to be read
	defer r.asker.mu.Unlock()
	r.show(func(v view) {
		switch {
		case r.past && r.showPast:
			v.history(s, u)
		case !r.past:
			v.update(s, u)
		}
		r.trail.see(s)
		if err := r.meter.see(s, u); err != nil {
			r.signals.cancel(err)
		}
	})
}

// show prints something. If that fails nobody is listening any more, so that the turn is cancelled.
func (r *run) show(f func(view)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(r.view)
	if err := r.view.failed(); err != nil {
		r.signals.cancel(&exitError{exitIO, fmt.Errorf("write the output: %w", err)})
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
