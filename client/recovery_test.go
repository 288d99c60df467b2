package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// answered is an error that an agent has sent, as callers get it.
func answered(code int, data string) error {
	e := &acp.Error{Code: code, Message: "no"}
	if data != "" {
		e.Data = acp.Raw(data)
	}
	return fmt.Errorf("session/prompt: %w", e)
}

// S000.17: each row of the table that RecoveryOf documents. An agent's error and a broken connection are different things
// (F89), a dead session is a typed error with a way out (F72, F73), and the end of a turn's time leaves the agent alone (F97).
func TestF89_EachErrorHasItsRecovery(t *testing.T) {
	exit := &transport.ExitError{Command: "agent"}
	for _, row := range []struct {
		name string
		err  error
		want client.Recovery
	}{
		{"success", nil, client.Recovery{}},
		{"the caller's cancel", fmt.Errorf("wait: %w", context.Canceled), client.Recovery{}},
		{"the caller's deadline", fmt.Errorf("wait: %w", context.DeadlineExceeded), client.Recovery{}},
		{"the caller's deadline while an agent was to be asked again", fmt.Errorf("%w; waiting to try again: %w", answered(-32603, `{"retryable":true}`), context.DeadlineExceeded), client.Recovery{}},
		{"close on this side", &jsonrpc.ClosedError{}, client.Recovery{}},
		{"a dead process", fmt.Errorf("prompt: %w", &jsonrpc.ClosedError{Cause: exit}), client.Recovery{Action: client.ActionReconnect}},
		{"a process that died at once", fmt.Errorf("initialize: %w", exit), client.Recovery{Action: client.ActionReconnect}},
		{"the end of input", &jsonrpc.ClosedError{Cause: io.EOF}, client.Recovery{Action: client.ActionReconnect}},
		{"idle and killed", fmt.Errorf("%w; %w", client.ErrIdle, client.ErrUnconfirmed), client.Recovery{Action: client.ActionReconnect}},
		{"idle", fmt.Errorf("%w: nothing for 1s", client.ErrIdle), client.Recovery{Action: client.ActionRetry}},
		{"a turn that runs", fmt.Errorf("session s: %w", client.ErrTurnRunning), client.Recovery{Action: client.ActionBackOff}},
		{"overload", jsonrpc.ErrOverloaded, client.Recovery{Action: client.ActionBackOff}},
		{"a cancel without an answer", client.ErrUnconfirmed, client.Recovery{Action: client.ActionTellUser}},
		{"a closed session", client.ErrSessionClosed, client.Recovery{Action: client.ActionGiveUp}},
		{"what was not advertised", &acp.UnsupportedError{Method: "session/load"}, client.Recovery{Action: client.ActionGiveUp}},
		{"too large a message", &jsonrpc.TooLargeError{}, client.Recovery{Action: client.ActionTellUser}},
		{"another version", &client.VersionError{Agent: 2}, client.Recovery{Action: client.ActionTellUser}},
		{"no such program", exec.ErrNotFound, client.Recovery{Action: client.ActionTellUser}},
		{"no such file", fs.ErrNotExist, client.Recovery{Action: client.ActionTellUser}},
		{"parse error", answered(-32700, ""), client.Recovery{Action: client.ActionGiveUp}},
		{"invalid request", answered(-32600, ""), client.Recovery{Action: client.ActionGiveUp}},
		{"method not found", answered(-32601, ""), client.Recovery{Action: client.ActionGiveUp}},
		{"invalid params", answered(-32602, `{"retryable":true}`), client.Recovery{Action: client.ActionGiveUp}},
		{"request cancelled", answered(-32800, ""), client.Recovery{}},
		{"authentication required", answered(-32000, `{"retryable":true}`), client.Recovery{Action: client.ActionSignIn}},
		{"a session that is not there", acp.ErrSessionNotFound("s"), client.Recovery{Action: client.ActionNewSession}},
		{"the same without data", answered(-32002, ""), client.Recovery{Action: client.ActionNewSession}},
		{"the same in other words", answered(-32002, `{"uri":"019a-77"}`), client.Recovery{Action: client.ActionNewSession}},
		{"a file that is not there", acp.ErrResourceNotFound("file:///project/a.go"), client.Recovery{Action: client.ActionTellUser}},
		{"internal error", answered(-32603, ""), client.Recovery{Action: client.ActionTellUser}},
		{"a wrong key", answered(-32603, `{"provider":"openai","status":401,"retryAfter":0,"retryable":false}`), client.Recovery{Action: client.ActionTellUser}},
		{"a rate limit", answered(-32603, `{"provider":"openai","status":429,"retryAfter":7,"retryable":true}`), client.Recovery{Action: client.ActionBackOff, After: 7 * time.Second}},
		{"strange data", answered(-32603, `{"retryAfter":"soon","retryable":1,"suggestion":["a"]}`), client.Recovery{Action: client.ActionTellUser}},
		{"endless data", answered(-32603, `{"retryAfter":1e300,"retryable":true}`), client.Recovery{Action: client.ActionBackOff, After: 24 * time.Hour}},
		{"a code that nobody knows", answered(-32050, ""), client.Recovery{Action: client.ActionTellUser}},
		{"an error of the caller's", errors.New("oops"), client.Recovery{Action: client.ActionTellUser}},
	} {
		if got := client.RecoveryOf(row.err); got != row.want {
			t.Errorf("%s: %v, %+v; want %v, %+v", row.name, got.Action, got, row.want.Action, row.want)
		}
	}
}

// S000.17, S001.16: what the codes of the two documents mean, to a caller who says that the peer speaks so. What they leave
// open means what it does officially, and no code speaks about errors of this side.
func TestS001_16_CodesOfAPeersOwn(t *testing.T) {
	type row struct {
		code int
		data string
		want client.Recovery
	}
	for name, test := range map[string]struct {
		codes client.Codes
		rows  []row
	}{
		"S000": {client.CodesS000, []row{
			{-32000, "", client.Recovery{Action: client.ActionReconnect}},
			{-32001, "", client.Recovery{Action: client.ActionBackOff}},
			{-32002, "", client.Recovery{Action: client.ActionTellUser}},
			{-32003, "", client.Recovery{Action: client.ActionNewSession}},
			{-32603, "", client.Recovery{Action: client.ActionTellUser}},
			{-32602, "", client.Recovery{Action: client.ActionGiveUp}},
		}},
		"S001": {client.CodesS001, []row{
			{-32000, `{"sessionId":"x","suggestion":"Create a new session with session/new"}`,
				client.Recovery{Action: client.ActionNewSession, Suggestion: "Create a new session with session/new"}},
			{-32001, "", client.Recovery{Action: client.ActionSignIn}},
			{-32002, "", client.Recovery{Action: client.ActionTellUser}},
			{-32003, "", client.Recovery{}},
			{-32004, "", client.Recovery{Action: client.ActionTellUser}},
			{-32005, "", client.Recovery{Action: client.ActionTellUser}},
			{-32006, "", client.Recovery{Action: client.ActionGiveUp}},
			{-32007, "", client.Recovery{Action: client.ActionGiveUp}},
			{-32008, `{"retryAfter":2.5}`, client.Recovery{Action: client.ActionBackOff, After: 2500 * time.Millisecond}},
			{-32009, "", client.Recovery{Action: client.ActionRetry}},
			{-32603, "", client.Recovery{Action: client.ActionTellUser}},
		}},
	} {
		for _, row := range test.rows {
			if got := test.codes.RecoveryOf(answered(row.code, row.data)); got != row.want {
				t.Errorf("%s: %d is %v, %+v; want %v, %+v", name, row.code, got.Action, got, row.want.Action, row.want)
			}
		}
		if got := test.codes.RecoveryOf(&jsonrpc.ClosedError{Cause: io.EOF}); got.Action != client.ActionReconnect {
			t.Errorf("%s: a broken connection is %v", name, got.Action)
		}
	}
}
