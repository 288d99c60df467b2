package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// errBusy passes by itself.
var errBusy = answered(-32603, `{"retryable":true}`)

// tries runs a Retry against errors, one after the other, and returns when each try was made, in seconds, and the end.
func tries(r client.Retry, outcomes ...error) (at []float64, err error) {
	began := time.Now()
	err = r.Do(context.Background(), func(context.Context) error {
		at = append(at, time.Since(began).Seconds())
		return outcomes[min(len(at), len(outcomes))-1]
	})
	return at, err
}

// S000.18: 1, 2, 4 and 8 s, five tries at most, and only what may pass.
func TestS000_18_WhatMayPassIsTriedAgain(t *testing.T) {
	other := errors.New("other")
	for name, test := range map[string]struct {
		retry    client.Retry
		outcomes []error
		at       []float64
		err      error
	}{
		"success":                       {client.Retry{}, []error{nil}, []float64{0}, nil},
		"success in the end":            {client.Retry{}, []error{errBusy, errBusy, nil}, []float64{0, 1, 3}, nil},
		"never":                         {client.Retry{}, []error{errBusy}, []float64{0, 1, 3, 7, 15}, errBusy},
		"what does not pass":            {client.Retry{}, []error{errBusy, other}, []float64{0, 1}, other},
		"-32000 officially":             {client.Retry{}, []error{acp.ErrAuthRequired()}, []float64{0}, acp.ErrAuthRequired()},
		"-32001 officially":             {client.Retry{}, []error{answered(-32001, "")}, []float64{0}, answered(-32001, "")},
		"-32001 to this peer":           {client.Retry{Recovery: client.CodesS000.RecoveryOf}, []error{answered(-32001, ""), nil}, []float64{0, 1}, nil},
		"the agent asks for time":       {client.Retry{}, []error{answered(-32603, `{"retryable":true,"retryAfter":20}`), errBusy, nil}, []float64{0, 20, 22}, nil},
		"it asks for less":              {client.Retry{}, []error{answered(-32603, `{"retryable":true,"retryAfter":0.5}`), nil}, []float64{0, 1}, nil},
		"it asks for too much":          {client.Retry{}, []error{answered(-32603, `{"retryable":true,"retryAfter":61}`)}, []float64{0}, answered(-32603, "")},
		"other times":                   {client.Retry{First: 3 * time.Second, Most: 5 * time.Second, Attempts: 4}, []error{errBusy}, []float64{0, 3, 8, 13}, errBusy},
		"a first pause above the most":  {client.Retry{First: 10 * time.Second, Attempts: 3}, []error{errBusy}, []float64{0, 10, 20}, errBusy},
		"reconnecting without a repair": {client.Retry{}, []error{client.ErrIdle, fmt.Errorf("%w %w", client.ErrIdle, client.ErrUnconfirmed)}, []float64{0, 1}, client.ErrUnconfirmed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				at, err := tries(test.retry, test.outcomes...)
				if !slices.Equal(at, test.at) {
					t.Errorf("tried after %v s, want %v", at, test.at)
				}
				var sent *acp.Error
				switch {
				case errors.As(test.err, &sent):
					wantError(t, err, &acp.Error{Code: sent.Code})
				case !errors.Is(err, test.err):
					t.Errorf("the error is %v, want %v", err, test.err)
				}
			})
		})
	}
}

func TestARetryWithoutEndKeepsToItsLongestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outcomes := append(slices.Repeat([]error{errBusy}, 100), nil)
		at, err := tries(client.Retry{Attempts: -1}, outcomes...)
		if err != nil || len(at) != 101 || at[100] != 1+2+4+8*97 {
			t.Errorf("after %d tries and %v s: %v", len(at), at[len(at)-1], err)
		}
	})
}

func TestJitterShortensAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 100 {
			at, err := tries(client.Retry{Jitter: 0.5}, errBusy, nil)
			if err != nil || at[1] < 0.5 || at[1] > 1 {
				t.Fatalf("tried after %v s: %v", at, err)
			}
			at, _ = tries(client.Retry{Jitter: 7}, answered(-32603, `{"retryable":true,"retryAfter":3}`), nil)
			if at[1] != 3 {
				t.Fatalf("an agent that asked for 3 s was asked again after %v", at)
			}
		}
	})
}

func TestTheEndOfAContextEndsTheTrying(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 2500*time.Millisecond)
		defer cancel()
		var told []string
		r := client.Retry{Waiting: func(attempt int, err error, pause time.Duration) {
			told = append(told, fmt.Sprintf("%d %v", attempt, pause))
		}}
		err := r.Do(ctx, func(context.Context) error { return errBusy })
		wantError(t, err, context.DeadlineExceeded, "no")
		if !slices.Equal(told, []string{"1 1s", "2 2s"}) {
			t.Errorf("told %q", told)
		}
		calls := 0
		err = r.Do(ctx, func(context.Context) error { calls++; return errBusy })
		if wantError(t, err, &acp.Error{Code: -32603}); calls != 1 {
			t.Errorf("after the end of the context there were %d tries", calls)
		}
	})
}

// S000.17: what more than time would help against is done by the caller's function, before the next try.
func TestARepairComesBeforeTheNextTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var done []string
		r := client.Retry{
			Recovery: client.CodesS000.RecoveryOf,
			Repair: func(_ context.Context, r client.Recovery, err error) error {
				done = append(done, r.Action.String())
				if len(done) == 3 {
					return errors.New("nobody is there")
				}
				return nil
			},
		}
		closed, expired := answered(-32000, ""), answered(-32003, "")
		if at, err := tries(r, closed, expired, nil); err != nil || !slices.Equal(at, []float64{0, 1, 3}) {
			t.Errorf("tried after %v s: %v", at, err)
		}
		_, err := tries(r, closed)
		wantError(t, err, &acp.Error{Code: -32000}, "reconnect: nobody is there")
		if !slices.Equal(done, []string{"reconnect", "new session", "reconnect"}) {
			t.Errorf("done: %q", done)
		}
	})
}
