package client

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// An Action is what helps against an error.
type Action int

// The actions, from what needs nobody to what nobody can do anything about.
const (
	// ActionNone: there is nothing to recover from. There was no error, or it is the caller's own doing, such as the end
	// of its context.
	ActionNone Action = iota

	// ActionRetry: the same may succeed when it is asked again, perhaps with more time.
	ActionRetry

	// ActionBackOff: as ActionRetry, but only after a while, which Recovery.After says if the peer did.
	ActionBackOff

	// ActionReconnect: the connection or the agent's process has ended. Another one is needed, and the session is to be
	// opened there again. A Supervisor does both.
	ActionReconnect

	// ActionNewSession: the agent does not have the session. Another one can take its place, and lacks its history: the
	// user has to know (F72, F73).
	ActionNewSession

	// ActionSignIn: the user has to sign in first. Options.Auth does that and asks again.
	ActionSignIn

	// ActionTellUser: somebody has to read the error, and decide or do something that this program can't.
	ActionTellUser

	// ActionGiveUp: the same will fail again whatever the user does, since one of the two programs is wrong or can't do it.
	ActionGiveUp
)

var actionNames = [...]string{"none", "retry", "back off", "reconnect", "new session", "sign in", "tell the user", "give up"}

// String names the action in lower case.
func (a Action) String() string {
	if a < 0 || int(a) >= len(actionNames) {
		return "unknown action"
	}
	return actionNames[a]
}

// A Recovery is what to do about an error.
type Recovery struct {
	Action Action

	// After is how long the agent asks to wait before the next try; zero if it does not say.
	After time.Duration

	// Suggestion is the agent's own advice to the user, empty if there is none (S001.16).
	Suggestion string
}

// RecoveryOf says what helps against an error of this package, by the official meaning of error codes. This is the whole
// table; of an error that matches several rows the first one counts.
//
//	error                                                      action
//	nil, context.Canceled                                      none
//	ErrGaveUp: a Supervisor does not start the agent any more  tell the user
//	ErrIdle after which the agent had to be killed             reconnect
//	the agent was killed or ended, the connection broke        reconnect
//	initialize was not answered within Options.InitTimeout     reconnect
//	Close was called on this side                              none
//	signing in was tried and has failed                        tell the user
//	ErrIdle                                                    retry
//	context.DeadlineExceeded                                   none: the caller's own
//	ErrTurnRunning, jsonrpc.ErrOverloaded                      back off
//	ErrUnconfirmed: the agent may still be at work             tell the user
//	ErrSessionClosed, *acp.UnsupportedError                    give up
//	*jsonrpc.TooLargeError                                     tell the user: less has to be sent
//	*VersionError, a program that is not there                 tell the user: something has to be installed
//	-32000 authentication required                             sign in
//	-32002 resource not found, of a session                    new session
//	-32002 resource not found, of anything else                tell the user
//	-32800 request cancelled                                   none
//	-32700, -32600, -32601, -32602                             give up
//	-32603 and others, data.retryable is true                  back off
//	-32603 and others                                          tell the user
//	anything else                                              tell the user
//
// An error that the agent answered with never means that the connection is broken (F89), and the end of a turn's time
// never that the agent has to go (F97). The agent's data may have retryAfter, in seconds, and a suggestion; what the
// built-in agent says of its providers is of this form (F168).
func RecoveryOf(err error) Recovery { return Codes(nil).RecoveryOf(err) }

// Codes are what error codes mean to a peer that does not keep to the official ones.
type Codes map[int]Action

// CodesS000 and CodesS001 are the codes of two documents by people who built on the protocol early (the seeds S000 and S001
// of docs/requirements.md), and of the agents that were built by these. Both have another meaning for -32000 than the
// protocol, so that they are only for peers that are known to use them.
var (
	CodesS000 = Codes{
		-32000: ActionReconnect,  // connection closed
		-32001: ActionBackOff,    // request timeout
		-32002: ActionTellUser,   // permission denied
		-32003: ActionNewSession, // session expired
	}
	CodesS001 = Codes{
		-32000: ActionNewSession, // session not found
		-32001: ActionSignIn,     // authentication required
		-32002: ActionTellUser,   // permission denied: explain, and let the user try again
		-32003: ActionNone,       // operation cancelled
		-32004: ActionTellUser,   // resource not found
		-32005: ActionTellUser,   // resource access denied
		-32006: ActionGiveUp,     // invalid session state
		-32007: ActionGiveUp,     // capability not supported
		-32008: ActionBackOff,    // rate limited
		-32009: ActionRetry,      // timeout: with more time
	}
)

// RecoveryOf is the table of the function RecoveryOf, where these codes come before the official ones.
func (codes Codes) RecoveryOf(err error) Recovery {
	var sent *acp.Error
	if !errors.As(err, &sent) || isLocal(err) {
		return Recovery{Action: localAction(err)}
	}
	data := readErrorData(sent)
	r := Recovery{After: data.after(), Suggestion: data.Suggestion}
	action, known := codes[sent.Code]
	switch {
	case known:
		r.Action = action
	case data.Retryable && codes.mayPass(sent.Code):
		r.Action = ActionBackOff
	default:
		r.Action = officialAction(sent, &data)
	}
	return r
}

// mayPass reports whether a code leaves room for an error that passes by itself.
func (codes Codes) mayPass(code int) bool {
	switch code {
	case acp.CodeParseError, acp.CodeInvalidRequest, acp.CodeMethodNotFound, acp.CodeInvalidParams,
		acp.CodeAuthRequired, acp.CodeResourceNotFound, acp.CodeRequestCancelled:
		return false
	}
	return true
}

// isLocal reports whether an error that has an agent's answer in it says more than that: signing in, for instance, has
// failed since the connection broke.
func isLocal(err error) bool {
	for _, own := range []error{errSignIn, ErrGaveUp, jsonrpc.ErrClosed, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, own) {
			return true
		}
	}
	return false
}

// localAction is the part of the table that is about errors of this side.
func localAction(err error) Action {
	var closed *jsonrpc.ClosedError
	var unsupported *acp.UnsupportedError
	var exit *transport.ExitError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return ActionNone
	case errors.Is(err, ErrGaveUp):
		return ActionTellUser
	case errors.Is(err, ErrIdle) && errors.Is(err, ErrUnconfirmed), errors.As(err, &exit), errors.Is(err, errInitTimeout):
		return ActionReconnect
	case errors.As(err, &closed) && closed.Cause == nil:
		return ActionNone
	case errors.Is(err, jsonrpc.ErrClosed):
		return ActionReconnect
	case errors.Is(err, errSignIn):
		return ActionTellUser
	case errors.Is(err, ErrIdle):
		return ActionRetry
	case errors.Is(err, context.DeadlineExceeded):
		return ActionNone
	case errors.Is(err, ErrTurnRunning), errors.Is(err, jsonrpc.ErrOverloaded):
		return ActionBackOff
	case errors.Is(err, ErrSessionClosed), errors.As(err, &unsupported):
		return ActionGiveUp
	}
	return ActionTellUser
}

// officialAction is the part of the table that is about official codes.
func officialAction(sent *acp.Error, data *errorData) Action {
	switch sent.Code {
	case acp.CodeAuthRequired:
		return ActionSignIn
	case acp.CodeResourceNotFound:
		if data.namesSession() {
			return ActionNewSession
		}
		return ActionTellUser
	case acp.CodeRequestCancelled:
		return ActionNone
	case acp.CodeParseError, acp.CodeInvalidRequest, acp.CodeMethodNotFound, acp.CodeInvalidParams:
		return ActionGiveUp
	}
	return ActionTellUser
}

// errorData is what the data of an error may say.
type errorData struct {
	Retryable  bool    `json:"retryable"`
	RetryAfter float64 `json:"retryAfter"` // in seconds
	Suggestion string  `json:"suggestion"`
	Session    string  `json:"sessionId"`
	URI        string  `json:"uri"`
}

// readErrorData takes each member that is of the right type, whatever the others are.
func readErrorData(sent *acp.Error) (d errorData) {
	_ = json.Unmarshal(member(sent.Data, "retryable"), &d.Retryable)
	_ = json.Unmarshal(member(sent.Data, "retryAfter"), &d.RetryAfter)
	d.Suggestion = stringIn(sent.Data, "suggestion")
	d.Session, d.URI = stringIn(sent.Data, "sessionId"), stringIn(sent.Data, "uri")
	return d
}

// after is how long to wait. Nobody means more than a day.
func (d *errorData) after() time.Duration {
	seconds := min(d.RetryAfter, 24*60*60)
	if !(seconds > 0) { // nor does NaN
		return 0
	}
	return time.Duration(math.Ceil(seconds * float64(time.Second)))
}

// namesSession reports whether what was not found is a session. Agents name it in data.sessionId, in data.uri for want of
// another place, or not at all; a file has a URI or a path.
func (d *errorData) namesSession() bool {
	return d.Session != "" || !strings.ContainsAny(d.URI, `:/\`)
}
