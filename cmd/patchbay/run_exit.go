package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// Errors that end the context of a run.
var (
	errTimeout     = errors.New("the time given by --timeout is over")
	errInterrupted = errors.New("interrupted")
	errTerminated  = errors.New("terminated")
	errPatience    = errors.New("nobody has answered in time") // ends the context of a question alone
)

// exitOf returns the status that a run ends with, nil for 0.
func exitOf(o *outcome, err error) *exitError {
	if o.cause != nil {
		return exitOfCause(o.cause)
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit
	}
	if err != nil {
		return exitOfError(o, err)
	}
	return exitOfTurn(o)
}

func exitOfCause(cause error) *exitError {
	switch cause {
	case errInterrupted:
		return &exitError{exitInterrupted, cause}
	case errTerminated:
		return &exitError{exitTerminated, cause}
	case errTimeout:
		return &exitError{exitTimeout, cause}
	}
	if _, ok := errors.AsType[*limitError](cause); ok {
		return &exitError{exitLimit, cause}
	}
	if exit, ok := errors.AsType[*exitError](cause); ok {
		return exit
	}
	return &exitError{exitFailure, cause}
}

func exitOfError(o *outcome, err error) *exitError {
	if sent, ok := errors.AsType[*acp.Error](err); ok {
		if sent.Code == acp.CodeAuthRequired {
			return &exitError{exitAuth, fmt.Errorf("%w; name a way to sign in by --auth, of which the agent offers %s", err, oneOf(o.signIns))}
		}
		return &exitError{exitFailure, err}
	}
	if errors.Is(err, client.ErrIdle) {
		return &exitError{exitTimeout, fmt.Errorf("the time given by --idle-timeout is over: %w", err)}
	}
	if errors.Is(err, jsonrpc.ErrClosed) {
		return &exitError{exitDied, fmt.Errorf("the agent went away: %w", err)}
	}
	return &exitError{exitFailure, err}
}

func exitOfTurn(o *outcome) *exitError {
	unattended := 0
	for _, d := range o.denied {
		if d.Reason.unattended() {
			unattended++
		}
	}
	switch o.result.StopReason {
	case acp.StopReasonRefusal:
		return &exitError{exitRefusal, errors.New("the agent refused")}
	case acp.StopReasonMaxTokens:
		return &exitError{exitMaxTokens, errors.New("the agent stopped: its limit of tokens was reached")}
	case acp.StopReasonMaxTurnRequests:
		return &exitError{exitMaxRequests, errors.New("the agent stopped: its limit of model requests was reached")}
	case acp.StopReasonEndTurn, acp.StopReasonCancelled:
		if unattended > 0 {
			return &exitError{exitDenied, fmt.Errorf("requests that were denied without asking anybody: %d; see --permissions", unattended)}
		}
		if o.result.Empty {
			return &exitError{exitEmpty, errors.New("the agent ended its turn without a word, a tool call or a token, as agents do whose provider has failed")}
		}
		if o.result.StopReason == acp.StopReasonEndTurn {
			return nil
		}
		return &exitError{exitCancelled, errors.New("the turn was cancelled")}
	}
	return &exitError{exitFailure, fmt.Errorf("the agent stopped for a reason that is not known: %s", o.result.StopReason)}
}

// methodNames lists the ids of ways to sign in.
func methodNames(methods []acp.AuthMethod) (names []string) {
	for _, m := range methods {
		switch m := m.(type) {
		case *acp.AuthMethodAgent:
			names = append(names, string(m.ID))
		case *acp.AuthMethodTerminal:
			names = append(names, string(m.ID))
		}
	}
	return names
}

func oneOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
