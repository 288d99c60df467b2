package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/policy"
)

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
			o.TerminalAuth = r.login
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

// A writer is a run that lets the agent read and write.
type writer struct{ *run }

// ReadTextFile reads a file in the session's roots.
func (w writer) ReadTextFile(ctx context.Context, s *client.Session, req *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	return w.files.ReadTextFile(ctx, s, req)
}

// WriteTextFile writes a file in the session's roots.
func (w writer) WriteTextFile(ctx context.Context, s *client.Session, req *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error) {
	resp, err := w.files.WriteTextFile(ctx, s, req)
	if err == nil {
		w.trail.wrote(req.Path)
	}
	return resp, err
}

// Update prints what has happened, and counts it.
func (r *run) Update(_ context.Context, s *client.Session, u acp.SessionUpdate) {
	r.asker.mu.Lock() // what comes while a question is open waits, so that the question stays to be read
	defer r.asker.mu.Unlock()
	r.show(func(v view) {
		if r.idle != nil {
			r.idle.Reset(r.cmd.IdleTimeout)
		}
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
