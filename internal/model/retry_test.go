package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A flaky model answers each request as its script says.
type flaky struct {
	script []func(ctx context.Context, yield func(Event, error) bool)
	asked  int
}

func (*flaky) Info() Info { return Info{Name: "flaky", Provider: "flaky"} }

func (f *flaky) Stream(ctx context.Context, _ *Request) iter.Seq2[Event, error] {
	step := f.script[min(f.asked, len(f.script)-1)]
	f.asked++
	return func(yield func(Event, error) bool) { step(ctx, yield) }
}

func fails(e *Error) func(context.Context, func(Event, error) bool) {
	return func(_ context.Context, yield func(Event, error) bool) { yield(nil, e) }
}

func answers(_ context.Context, yield func(Event, error) bool) {
	_ = yield(Text("hello"), nil) && yield(Stop{Reason: StopEnd}, nil)
}

func breaksOff(_ context.Context, yield func(Event, error) bool) {
	_ = yield(Text("he"), nil) && yield(nil, &Error{Provider: "flaky", Message: "cut"})
}

func fallsSilent(ctx context.Context, yield func(Event, error) bool) {
	if yield(Text("he"), nil) {
		<-ctx.Done()
		yield(nil, ctx.Err())
	}
}

// sendsACall takes ten minutes, and all the time something comes.
func sendsACall(_ context.Context, yield func(Event, error) bool) {
	for range 10 {
		time.Sleep(time.Minute)
		if !yield(Alive{}, nil) {
			return
		}
	}
	_ = yield(&Call{}, nil) && yield(Stop{Reason: StopCalls}, nil)
}

func TestRetry(t *testing.T) {
	overloaded := &Error{Provider: "flaky", Status: 529, Message: "overloaded"}
	after := func(d time.Duration) *Error {
		return &Error{Provider: "flaky", Status: 429, RetryAfter: d, Message: "slow down"}
	}
	type script = []func(context.Context, func(Event, error) bool)
	for name, c := range map[string]struct {
		script script
		want   string // what comes, and how much time it took
	}{
		"at once":                       {script{answers}, "hello end 0s"},
		"after two failures":            {script{fails(overloaded), fails(overloaded), answers}, "wait wait hello end 1.2s..1.5s"},
		"as long as the provider asks":  {script{fails(after(7 * time.Second)), answers}, "wait hello end 7s"},
		"not when it asks for too much": {script{fails(after(time.Hour))}, "failed 0s"},
		"not for ever":                  {script{fails(overloaded)}, "wait wait wait wait failed 6s..7.5s"},
		"never after the first word":    {script{breaksOff, answers}, "he failed 0s"},
		"not a wrong key":               {script{fails(&Error{Provider: "flaky", Status: 401}), answers}, "failed 0s"},
		"a long call is no silence":     {script{sendsACall}, "call calls 10m0s"},
		"silence is a failure":          {script{fallsSilent}, "he failed 5m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				var got []string
				for event, err := range WithRetry(&flaky{script: c.script}, RetryOptions{}).Stream(t.Context(), &Request{}) {
					got = append(got, told(event, err))
				}
				want, times := c.want[:strings.LastIndexByte(c.want, ' ')], c.want[strings.LastIndexByte(c.want, ' ')+1:]
				if s := strings.Join(got, " "); s != want {
					t.Errorf("got %q, want %q", s, want)
				}
				low, high, ranged := strings.Cut(times, "..")
				if !ranged {
					high = low
				}
				if took := time.Since(begin); took < duration(t, low) || took > duration(t, high) {
					t.Errorf("it took %v, want %s", took, times)
				}
			})
		})
	}
}

func duration(t *testing.T, s string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func told(event Event, err error) string {
	switch e := event.(type) {
	case Text:
		return string(e)
	case Waiting:
		return "wait"
	case *Call:
		return "call"
	case Stop:
		return string(e.Reason)
	}
	if f := new(Error); errors.As(err, &f) {
		return "failed"
	}
	return fmt.Sprint(err)
}

func TestRetryEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		m := WithRetry(&flaky{script: []func(context.Context, func(Event, error) bool){fails(&Error{Status: 500})}}, RetryOptions{First: time.Minute})
		var last error
		for _, err := range m.Stream(ctx, &Request{}) {
			last = err
		}
		if !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("got %v", last)
		}
	})
}

// The time that the listener takes to write to a slow client is not the provider's silence.
func TestSlowListenerIsNotSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := WithRetry(&flaky{script: []func(context.Context, func(Event, error) bool){answers}}, RetryOptions{Silence: time.Second})
		for _, err := range m.Stream(t.Context(), &Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
		}
	})
}
