package client

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

// Defaults of a Retry.
const (
	DefaultAttempts   = 5
	DefaultFirstPause = time.Second
	DefaultMostPause  = 8 * time.Second
	DefaultPatience   = time.Minute
)

// A Retry says how often something that failed is tried again, and after what time. The zero value tries five times at
// most, 1, 2, 4 and 8 s apart, and only after errors that pass by themselves (S000.18).
//
// What is tried must bear to be done twice. A prompt that the agent answered with an error is part of its session all the
// same, from many agents, and what it had done until then stays done.
type Retry struct {
	// Attempts is how often something is tried in all. Default 5; negative means without end.
	Attempts int

	// First is the pause after the first failure. Each one is twice as long as the one before, up to Most. Defaults 1 s
	// and 8 s.
	First, Most time.Duration

	// Patience is the longest time that an agent may ask to wait (Recovery.After), and gets if it is longer than the pause.
	// Who asks for more is not asked again. Default 1 min.
	Patience time.Duration

	// Jitter shortens each pause by a random part of it, up to this one: 0.5 means that it takes between half of its time
	// and all. It keeps many clients of one provider from coming back at the same moment. Default 0; at most 1.
	Jitter float64

	// Recovery says what helps against an error. Default RecoveryOf; for a peer with codes of its own Codes.RecoveryOf.
	Recovery func(error) Recovery

	// Repair, if set, does what an error asks for beside waiting before the next try: it is called for ActionReconnect,
	// ActionNewSession and ActionSignIn. If it fails there is no next try. Nil means that such errors are returned.
	Repair func(ctx context.Context, r Recovery, err error) error

	// Waiting, if set, is told before each pause which try has failed, counted from 1, how, and how long the pause is.
	Waiting func(attempt int, err error, pause time.Duration)
}

// Do calls f until it succeeds, and returns its last error if it does not: at once if that says that another try is no use.
// When ctx ends during a pause, the error wraps both that and the last one.
func (r Retry) Do(ctx context.Context, f func(ctx context.Context) error) error {
	r = r.withDefaults()
	for attempt := 1; ; attempt++ {
		err := f(ctx)
		if err == nil {
			return nil
		}
		recovery := r.Recovery(err)
		pause := r.pause(attempt, recovery.After)
		if ctx.Err() != nil || !r.again(attempt, recovery) {
			return err
		}
		if r.Waiting != nil {
			r.Waiting(attempt, err, pause)
		}
		if ended := sleep(ctx, pause); ended != nil {
			return fmt.Errorf("%w; waiting to try again: %w", err, ended)
		}
		if !passes(recovery.Action) {
			if failed := r.Repair(ctx, recovery, err); failed != nil {
				return fmt.Errorf("%w; %s: %w", err, recovery.Action, failed)
			}
		}
	}
}

func (r Retry) withDefaults() Retry {
	r.Attempts = cmp.Or(r.Attempts, DefaultAttempts)
	r.First = cmp.Or(r.First, DefaultFirstPause)
	r.Most = max(cmp.Or(r.Most, DefaultMostPause), r.First)
	r.Patience = cmp.Or(r.Patience, DefaultPatience)
	if r.Recovery == nil {
		r.Recovery = RecoveryOf
	}
	return r
}

// again reports whether there is another try.
func (r *Retry) again(attempt int, recovery Recovery) bool {
	if r.Attempts > 0 && attempt >= r.Attempts || recovery.After > r.Patience {
		return false
	}
	switch recovery.Action {
	case ActionReconnect, ActionNewSession, ActionSignIn:
		return r.Repair != nil
	}
	return passes(recovery.Action)
}

// passes reports whether time alone helps.
func passes(a Action) bool { return a == ActionRetry || a == ActionBackOff }

// pause is how long to wait after a try, counted from 1. What the peer asked for is never cut short.
func (r *Retry) pause(attempt int, asked time.Duration) time.Duration {
	pause := r.Most
	if shift := attempt - 1; shift < 62 && r.First <= r.Most>>shift {
		pause = r.First << shift
	}
	if r.Jitter > 0 {
		pause -= time.Duration(rand.Float64() * min(r.Jitter, 1) * float64(pause))
	}
	return max(pause, asked)
}

// sleep waits, and returns the cause of the context's end if that comes first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
