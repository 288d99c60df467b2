package client_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A sentry is a guard that notes what it was asked about, and forbids what it is told to.
type sentry struct {
	mu      sync.Mutex
	seen    []string
	allowed [][]acp.ToolCallID
	forbids map[string]error
}

func (g *sentry) guard(_ context.Context, s *client.Session, a *client.Access) error {
	var what string
	switch {
	case a.Read != nil:
		what = "read " + a.Read.Path
	case a.Write != nil:
		what = "write " + a.Write.Path
	case a.Command != nil:
		what = "run " + a.Command.Command
	}
	var ids []acp.ToolCallID
	for _, req := range a.Allowed {
		ids = append(ids, req.ToolCall.ToolCallID)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen, g.allowed = append(g.seen, string(s.ID())+": "+what), append(g.allowed, ids)
	return g.forbids[what]
}

const (
	readSecret = `{"sessionId":"s","path":"/project/secret"}`
	writeFile  = `{"sessionId":"s","path":"/project/a","content":"x"}`
	runLine    = `{"sessionId":"s","command":"make"}`
)

// F55, S001.30: an agent that never asks for permission is bound all the same, whoever serves it: what the guard forbids is not
// done, and its error is the answer.
func TestF55_WhatAnAgentDoesThroughTheClientIsGuarded(t *testing.T) {
	g := &sentry{forbids: map[string]error{"read /project/secret": acp.ErrInvalidParams("not that"), "run make": errors.New("no commands")}}
	c, a := connect(t, &workshop{}, client.Options{Guard: g.guard}, noCapabilities)
	open(t, c, a)
	a.send(asks(1, "fs/read_text_file", readSecret))
	if m := a.next(); m.Error == nil || m.Error.Code != acp.CodeInvalidParams || m.Error.Message != "not that" {
		t.Errorf("a file that is forbidden: %s %v", m.Result, m.Error)
	}
	a.send(asks(2, "terminal/create", runLine))
	if m := a.next(); m.Error == nil || m.Error.Code != acp.CodeInternalError {
		t.Errorf("a command that is forbidden: %s %v", m.Result, m.Error)
	}
	a.send(asks(3, "fs/write_text_file", writeFile))
	if m := a.next(); m.Error != nil {
		t.Errorf("a file that is not forbidden: %v", m.Error)
	}
	if want := []string{"s: read /project/secret", "s: run make", "s: write /project/a"}; !slices.Equal(g.seen, want) {
		t.Errorf("guarded were %q", g.seen)
	}
}

// The guard is told which calls of the session were allowed and go on: not those that were rejected, have ended, or belong to an
// earlier turn.
func TestAGuardKnowsWhatWasAllowed(t *testing.T) {
	g := &sentry{}
	u := &workshop{user: user{permit: func(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		if req.ToolCall.ToolCallID == "bad" {
			return client.Select(req.Options, acp.PermissionOptionKindRejectOnce), nil
		}
		return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
	}}}
	c, a := connect(t, u, client.Options{Guard: g.guard}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	for i, id := range []string{"one", "bad", "two"} {
		a.send(asks(i, "session/request_permission", `{"sessionId":"s","toolCall":{"toolCallId":"`+id+`"},"options":[`+
			`{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`))
		a.next()
	}
	a.send(update("s", `{"sessionUpdate":"tool_call","toolCallId":"one","title":"x","status":"completed"}`), asks(4, "fs/write_text_file", writeFile))
	a.next()
	a.send(outcome(p, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
	a.send(asks(5, "fs/write_text_file", writeFile))
	a.next()
	if len(g.allowed) != 2 || !slices.Equal(g.allowed[0], []acp.ToolCallID{"two"}) || len(g.allowed[1]) != 0 {
		t.Errorf("allowed were %q", g.allowed)
	}
}

// F57: an agent that gives a yes and a no the same id has had neither: the answer is that the question is cancelled, and what it was
// about doesn't count as allowed.
func TestF57_AnIDThatIsAYesAndANoIsNeither(t *testing.T) {
	g := &sentry{}
	u := &workshop{user: user{permit: func(context.Context, *client.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		return acp.PermissionSelected("x"), nil
	}}}
	c, a := connect(t, u, client.Options{Guard: g.guard}, noCapabilities)
	open(t, c, a)
	a.send(asks(1, "session/request_permission", `{"sessionId":"s","toolCall":{"toolCallId":"one"},"options":[`+
		`{"optionId":"x","name":"Yes","kind":"allow_once"},{"optionId":"x","name":"No","kind":"reject_once"}]}`))
	if m := a.next(); string(m.Result) != `{"outcome":{"outcome":"cancelled"}}` {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
	a.send(asks(2, "fs/write_text_file", writeFile))
	a.next()
	if len(g.allowed) != 1 || len(g.allowed[0]) != 0 {
		t.Errorf("allowed were %q", g.allowed)
	}
}

// T4: a guard that asks the user holds up no turn that is cancelled, and what it decides then counts no more.
func TestT4_ACancelEndsWhatTheGuardAsks(t *testing.T) {
	asked, written := make(chan struct{}), false
	guard := func(ctx context.Context, _ *client.Session, _ *client.Access) error {
		close(asked)
		<-ctx.Done()
		return nil
	}
	u := &writer{written: &written}
	c, a := connect(t, u, client.Options{Guard: guard}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(asks(1, "fs/write_text_file", writeFile))
	within(t, "the question", asked)
	if err := turn.Cancel(deadline(t)); err != nil {
		t.Fatal(err)
	}
	a.expect("session/cancel")
	if m := a.next(); string(m.ID) != "1" || m.Error == nil {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
	a.send(outcome(p, `{"stopReason":"cancelled"}`))
	ends(t, turn, acp.StopReasonCancelled)
	if written {
		t.Error("the file was written after the cancel")
	}
}

// A writer is a user who notes that a file is written.
type writer struct {
	user
	written *bool
}

func (w *writer) WriteTextFile(context.Context, *client.Session, *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error) {
	*w.written = true
	return nil, nil
}
