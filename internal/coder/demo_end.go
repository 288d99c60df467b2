package coder

import (
	"context"
	"strconv"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// stopWith makes a demo of a stop reason.
func stopWith(reason acp.StopReason) func(context.Context, *demonstration) (acp.StopReason, error) {
	return func(_ context.Context, d *demonstration) (acp.StopReason, error) {
		return reason, d.Textf("This turn ends with %s.\n", reason)
	}
}

func demoFailure(_ context.Context, d *demonstration) (acp.StopReason, error) {
	if err := d.Text("The provider is about to fail… "); err != nil {
		return "", err
	}
	return "", failure(&model.Error{Provider: "demo", Status: 529, RetryAfter: 7 * time.Second, Message: "overloaded, on purpose"})
}

func demoError(_ context.Context, d *demonstration) (acp.StopReason, error) {
	code := acp.CodeInternalError
	if len(d.args) > 0 {
		n, err := strconv.ParseInt(d.args[0], 10, 32)
		if err != nil {
			return "", acp.ErrInvalidParams("%q is no error code", d.args[0])
		}
		code = int(n)
	}
	return "", &acp.Error{Code: code, Message: "an error on purpose", Data: acp.Raw(`{"demo":true}`)}
}

func demoPanic(context.Context, *demonstration) (acp.StopReason, error) {
	panic("a panic on purpose")
}

func demoStray(_ context.Context, d *demonstration) (acp.StopReason, error) {
	stray := d.coder.hooks.Stray
	if stray == nil {
		return d.unavailable()
	}
	for _, line := range []string{
		"Welcome to the agent!",
		"\x1b[33mwarning:\x1b[0m something is deprecated",
		`{"level":"info","msg":"a log line that happens to be JSON"}`,
		"",
		`{"jsonrpc":"2.0","method":"session/upd`,
	} {
		if err := stray(line); err != nil {
			return "", err
		}
		if err := d.Text("A line that is no message came before this chunk. "); err != nil {
			return "", err
		}
	}
	return "", nil
}

func demoCrash(_ context.Context, d *demonstration) (acp.StopReason, error) {
	crash := d.coder.hooks.Crash
	if crash == nil {
		return d.unavailable()
	}
	if err := d.Text("The process is about to end."); err != nil {
		return "", err
	}
	crash()
	return "", nil
}

func demoHang(ctx context.Context, d *demonstration) (acp.StopReason, error) {
	if err := d.Text("Nothing happens until you cancel."); err != nil {
		return "", err
	}
	<-ctx.Done()
	return acp.StopReasonCancelled, nil
}

// demoDeaf is an agent that doesn't listen. It ends, after all.
func demoDeaf(_ context.Context, d *demonstration) (acp.StopReason, error) {
	seconds, err := d.number(0, 5, 60)
	if err != nil {
		return "", err
	}
	if err := d.Textf("Nothing happens for %d s.", seconds); err != nil {
		return "", err
	}
	<-time.After(time.Duration(seconds) * time.Second)
	return "", nil
}
