package agent

import (
	"context"
	"sync"
	"time"
)

// How long a client may take that is to take a terminal away. It is told at once, and a cancel must not wait for one that
// never answers (F44): what is in tidyWait, killWait included, is waited for, and what comes later changes nothing.
const (
	killWait = 100 * time.Millisecond
	tidyWait = 250 * time.Millisecond

	// answerTime is when a client that has not answered is told that nobody waits any more.
	answerTime = 10 * time.Second
)

// An errand is a request to the client that is made once, and that goes on when those who wait for its answer have gone.
type errand struct {
	mu   sync.Mutex    // guards done
	done chan struct{} // closed when it is over; nil before it has begun
	err  error         // set before done is closed
}

// begin makes the request, unless that was done before. Its goroutine ends with the client's answer, with the connection, or
// after answerTime.
func (e *errand) begin(ctx context.Context, request func(context.Context) error) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.done != nil {
		return e.done
	}
	e.done = make(chan struct{})
	go func() {
		defer close(e.done)
		ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
		defer stop()
		e.err = request(ctx)
	}()
	return e.done
}

// begun reports whether the request was made.
func (e *errand) begun() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.done != nil
}

// run makes the request and waits for its answer no longer than ctx.
func (e *errand) run(ctx context.Context, request func(context.Context) error) error {
	select {
	case <-e.begin(ctx, request):
		return e.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runBriefly makes the request and waits for its answer no longer than limit.
func (e *errand) runBriefly(ctx context.Context, limit time.Duration, request func(context.Context) error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-e.begin(ctx, request):
	case <-timer.C:
	}
}
