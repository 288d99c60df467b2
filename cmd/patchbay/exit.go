package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/alecthomas/kong"
)

// Exit statuses. docs/run.md explains them; they never change their meaning.
const (
	exitOK          = 0
	exitFailure     = 1   // the agent answered with an error, or did something else that has no status of its own
	exitUsage       = 2   // the command line makes no sense
	exitStart       = 3   // the agent did not start, or did not get through the handshake
	exitDied        = 4   // the agent went away later
	exitAuth        = 5   // the agent wants the user to sign in
	exitDenied      = 6   // something was denied, and nobody had been asked
	exitRefusal     = 7   // stop reason refusal
	exitMaxTokens   = 8   // stop reason max_tokens
	exitMaxRequests = 9   // stop reason max_turn_requests
	exitCancelled   = 10  // stop reason cancelled, though nothing here had cancelled the turn
	exitLimit       = 11  // --max-cost, --max-tokens or --max-tool-calls
	exitSession     = 12  // there is no such session, or the agent could not open it
	exitUnsupported = 13  // the agent doesn't have what was asked for: a model, a mode, an option, a method
	exitEmpty       = 14  // the turn ended as if all were well, with nothing in it
	exitIO          = 74  // the output, or a file beside it, could not be written; EX_IOERR of sysexits.h
	exitTimeout     = 124 // --timeout or --idle-timeout, as timeout(1) has it
	exitInterrupted = 130 // Ctrl-C, as shells have it
	exitTerminated  = 143 // SIGTERM, or a terminal that went away
)

// An exitError ends the process with a status.
type exitError struct {
	code int
	err  error // what to say on standard error
}

func (e *exitError) Error() string { return e.err.Error() }
func (e *exitError) Unwrap() error { return e.err }

// maxError is how much of an error is printed, in characters: an agent may say any amount.
const maxError = 10_000

// fail says what went wrong, and ends the process.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "patchbay: error:", cut(clean(err.Error()), maxError))
	code := exitFailure
	if exit, ok := errors.AsType[*exitError](err); ok {
		code = exit.code
	}
	os.Exit(code)
}

// splitArgs cuts the command line at the first "--", which is where the command of an agent begins.
func splitArgs(args []string) (ours, rest []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// takeRest gives what stands after "--" to a subcommand that has a use for it.
func takeRest(selected *kong.Node, rest []string) error {
	if taker, ok := selected.Target.Addr().Interface().(interface{ take(words []string) error }); ok {
		return taker.take(rest)
	}
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %s", rest[0])
	}
	return nil
}
