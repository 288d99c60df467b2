package model

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"time"
)

// RetryOptions say how patient a model is with its provider.
type RetryOptions struct {
	// Attempts bounds how often a request is made. Default 5.
	Attempts int

	// First is the pause after the first failure; each pause is twice the one before, up to Longest, less a random part of up
	// to a fifth. Defaults: 500 ms and 30 s.
	First, Longest time.Duration

	// Patience is the longest pause that a provider may ask for. When it asks for more, its failure is final, and tells the
	// user when to come back. Default 60 s.
	Patience time.Duration

	// Silence is how long a provider may say nothing before it counts as dead, which is final. Default 5 min; reasoning
	// models are silent for minutes.
	Silence time.Duration
}

func (o *RetryOptions) setDefaults() {
	if o.Attempts <= 0 {
		o.Attempts = 5
	}
	for _, d := range []struct {
		value *time.Duration
		def   time.Duration
	}{
		{&o.First, 500 * time.Millisecond}, {&o.Longest, 30 * time.Second}, {&o.Patience, time.Minute}, {&o.Silence, 5 * time.Minute},
	} {
		if *d.value <= 0 {
			*d.value = d.def
		}
	}
}

// WithRetry returns a model that asks again when its provider fails before it has said anything: after that, a second
// answer would contradict what the user has read. It also ends an answer that has fallen silent.
func WithRetry(m Model, o RetryOptions) Model {
	o.setDefaults()
	return &retrying{m, o}
}

type retrying struct {
	Model
	o RetryOptions
}

// Stream goes on with the conversation, with the patience of the options.
func (m *retrying) Stream(ctx context.Context, r *Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for attempt := 1; ; attempt++ {
			begun, err := m.attempt(ctx, r, yield)
			if err == nil {
				return
			}
			pause, again := m.pause(err, attempt)
			if begun || !again || ctx.Err() != nil {
				yield(nil, err)
				return
			}
			failure := new(Error)
			errors.As(err, &failure)
			if !yield(Waiting{For: pause, Attempt: attempt, Err: failure}, nil) {
				return
			}
			if err := sleep(ctx, pause); err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// errSilent ends a request that nobody answers.
var errSilent = errors.New("the provider has fallen silent")

// attempt makes the request once. A nil error means that all has been said, or that nobody listens any more.
func (m *retrying) attempt(ctx context.Context, r *Request, yield func(Event, error) bool) (begun bool, err error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(m.o.Silence, func() { cancel(errSilent) })
	defer silence.Stop()
	for event, err := range m.Model.Stream(inner, r) {
		if err != nil {
			return begun, m.explain(inner, err)
		}
		if _, alive := event.(Alive); alive {
			silence.Reset(m.o.Silence)
			continue
		}
		silence.Stop() // the time that the listener takes is not the provider's
		begun = true
		if !yield(event, nil) {
			return begun, nil
		}
		silence.Reset(m.o.Silence)
	}
	return begun, nil
}

// explain says of an error whether it is the silence's.
func (m *retrying) explain(inner context.Context, err error) error {
	if context.Cause(inner) != errSilent {
		return err
	}
	return &Error{Provider: m.Info().Provider, Message: "it has said nothing for " + m.o.Silence.String() + "; if it needs longer, raise silence in patchbay.toml", Cause: err, Final: true}
}

// pause says how long to wait after a failure, and whether to ask again at all.
func (m *retrying) pause(err error, attempt int) (pause time.Duration, again bool) {
	var failure *Error
	if !errors.As(err, &failure) || !failure.Retryable() || attempt >= m.o.Attempts {
		return 0, false
	}
	if failure.RetryAfter > 0 {
		return failure.RetryAfter, failure.RetryAfter <= m.o.Patience
	}
	pause = m.o.Longest
	if attempt < 30 {
		pause = min(pause, m.o.First<<(attempt-1))
	}
	return pause - time.Duration(rand.Int64N(int64(pause)/5+1)), true
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
