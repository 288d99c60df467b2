package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Exit statuses. docs/run.md explains them; they never change their meaning.
const (
	exitOK          = 0
	exitFailure     = 1   // an error that has no status of its own
	exitUsage       = 2   // the command line makes no sense
	exitStart       = 3   // the agent did not start, or did not get through the handshake
	exitDied        = 4   // the agent went away later
	exitAuth        = 5   // the agent wants the user to sign in
	exitDenied      = 6   // something was denied, and nobody had been asked
	exitRefusal     = 7   // stop reason refusal
	exitMaxTokens   = 8   // stop reason max_tokens
	exitMaxRequests = 9   // stop reason max_turn_requests
	exitCancelled   = 10  // stop reason cancelled, though nothing here had cancelled the turn
	exitTimeout     = 124 // --timeout, as timeout(1) has it
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

// fail says what went wrong, and ends the process.
func fail(err error) {
	fmt.Fprintln(os.Stderr, "patchbay: error:", clean(err.Error()))
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

// takeRest gives what stands after "--" to the subcommand that has a use for it.
func (c *commandLine) takeRest(command string, rest []string) error {
	if strings.HasPrefix(command, "run") {
		c.Run.Agent = rest
		return nil
	}
	if len(rest) > 0 {
		return fmt.Errorf("unexpected argument %s", rest[0])
	}
	return nil
}
