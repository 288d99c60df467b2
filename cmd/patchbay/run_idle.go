package main

import (
	"context"
	"time"

	"github.com/patchbay-dev/patchbay/client"
)

// watched does what comes before a turn within the idle time, which the turn's own clock only begins to watch with the turn. A sign-in
// takes as long as the user takes.
func (r *run) watched(ctx context.Context, do func(ctx context.Context) error) error {
	patience := r.cmd.IdleTimeout
	if patience <= 0 || r.cmd.Auth != "" {
		return do(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	timer := time.AfterFunc(patience, func() { stop(client.ErrIdle) })
	defer timer.Stop()
	r.watch(timer)
	defer r.watch(nil)
	err := do(ctx)
	if err != nil && context.Cause(ctx) == client.ErrIdle {
		return client.ErrIdle
	}
	return err
}

// watch says which clock begins anew with each update; nil is none.
func (r *run) watch(timer *time.Timer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = timer
}
