package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
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
	noted     sync.Once // that decisions are not written down

	mu       sync.Mutex // guards what follows
	view     view
	noise    int // stray lines so far
	denied   []denial
	consents consents
	past     bool // what comes is the history of a session that is being loaded
	showPast bool
	meter    *meter
	trail    *trail
	idle     *time.Timer // that ends what comes before a turn; nil if nothing does
}

func newRun(c *runCmd, cwd string, agent *launch, rules *rulebook, w *wall) *run {
	r := &run{cmd: c, cwd: cwd, agent: agent, rules: rules, wall: w, files: &client.Files{}, terminals: &client.Terminals{Wrap: w.wrap()}, asker: newAsker()}
	r.view = newView(c.Format, os.Stdout, r.terminals)
	r.meter, r.trail = newMeter(c.limitFlags), newTrail(cwd)
	return r
}

// drive does everything, and prints it. Its error is an *exitError.
func (r *run) drive(in input, trace *tracer) error {
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
	err := r.converse(ctx, &o, in, trace.observe())
	o.took = time.Since(began)
	r.mu.Lock()
	defer r.mu.Unlock()
	if more := r.noise - maxNoise; more > 0 && !r.cmd.Verbose {
		r.view.note(fmt.Sprintf("the agent printed %d more such lines; --verbose shows them", more))
	}
	r.sum(&o)
	o.end = exitOf(&o, err)
	if err := trace.close(); err != nil && o.end == nil {
		o.end = &exitError{exitIO, err}
	}
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
	if err := r.watched(ctx, func(ctx context.Context) error { return r.open(ctx, c, o) }); err != nil {
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
	if err := r.watched(ctx, func(ctx context.Context) error { return r.choose(ctx, o) }); err != nil {
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
