package coder_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// deaf begins with a client whose terminals run for ever, and which answers no request to end them.
func deaf(t *testing.T) *client {
	t.Helper()
	c := terminals(&client{}, acp.WaitForTerminalExitResponse{}, "")
	over := make(chan struct{})
	never := func([]byte) (any, error) {
		<-over
		return nil, acp.ErrInternal("too late")
	}
	for _, method := range []string{acp.MethodTerminalWaitForExit, acp.MethodTerminalKill, acp.MethodTerminalRelease} {
		c.handle[method] = never
	}
	begin(t, c)
	t.Cleanup(func() { close(over) }) // before the connection waits for its handlers
	return c
}

// F44, T4: a client that never answers for its terminal is told to end the command before it is told to forget it, and
// holds up neither the cancelled turn's answer, nor the next turn, nor the end of the session.
func TestF44_ATerminalThatNeverEndsHoldsNobodyUp(t *testing.T) {
	c := deaf(t)
	within := func(what string, do func()) {
		t.Helper()
		began := time.Now()
		do()
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s took %s", what, took)
		}
	}
	cancelled := make(chan time.Time, 1)
	c.forget()
	go func() {
		c.await(inTerminal)
		cancelled <- time.Now()
		c.cancel()
	}()
	c.turn("run make test", acp.StopReasonCancelled)
	if took := time.Since(<-cancelled); took > time.Second {
		t.Errorf("the cancel took %s", took)
	}
	told := slices.DeleteFunc(c.called(), func(method string) bool {
		return method != acp.MethodTerminalKill && method != acp.MethodTerminalRelease
	})
	if got := strings.Join(told, " "); got != "terminal/kill terminal/release" {
		t.Errorf("the client is told %s", got)
	}
	within("the next turn", func() { c.turn("list", acp.StopReasonEndTurn) })
	within("session/close", func() {
		c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, &acp.CloseSessionResponse{})
	})
}

// called returns the methods that the agent has called.
func (c *client) called() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}
