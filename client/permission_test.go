package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// S000.10, S000.12, S004.7, F57: the kind is what to choose by, the id is the agent's.
func TestAPermissionIsChosenByKind(t *testing.T) {
	u := &user{permit: func(_ context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		if title, _ := req.ToolCall.Title.Get(); title != "Delete all" || req.ToolCall.Kind.Or("") != acp.ToolKindDelete || s.ID() != "s" {
			return nil, fmt.Errorf("asked about %+v", req.ToolCall)
		}
		return client.Select(req.Options, acp.PermissionOptionKindAllowAlways, acp.PermissionOptionKindRejectOnce), nil
	}}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	open(t, c, a)
	a.send(asks(1, "session/request_permission", askPermission))
	if m := a.next(); string(m.ID) != "1" || string(m.Result) != `{"outcome":{"outcome":"selected","optionId":"no"}}` {
		t.Errorf("answer %s: %s %v", m.ID, m.Result, m.Error)
	}
}

func TestAnOptionThatWasNotOfferedIsAnError(t *testing.T) {
	u := &user{permit: func(context.Context, *client.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		return acp.PermissionSelected("allow"), nil
	}}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	open(t, c, a)
	a.send(asks(1, "session/request_permission", askPermission))
	if m := a.next(); m.Error == nil || !strings.Contains(m.Error.Message, `"allow"`) {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
}

// S000.12, F45: whatever the user is doing, a cancel answers all that is open, and all that comes in this turn.
func TestT4_ACancelAnswersPendingPermissions(t *testing.T) {
	const n = 3
	asked := make(chan struct{}, n)
	ended := make(chan error, n)
	stuck := make(chan struct{})
	u := &user{permit: func(ctx context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		asked <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		<-stuck // a dialog that does not go away
		return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
	}}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	defer close(stuck)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	for i := range n {
		a.send(asks(i, "session/request_permission", askPermission))
		within(t, "the question", asked)
	}
	if err := turn.Cancel(deadline(t)); err != nil {
		t.Fatal(err)
	}
	a.expect("session/cancel")
	a.send(asks(n, "session/request_permission", askPermission))
	for range n + 1 {
		if m := a.next(); string(m.Result) != `{"outcome":{"outcome":"cancelled"}}` {
			t.Errorf("question %s was answered with %s %v", m.ID, m.Result, m.Error)
		}
	}
	for range n {
		if err := within(t, "the dialog's context", ended); !errors.Is(err, context.Canceled) {
			t.Errorf("the dialog's context ended with %v", err)
		}
	}
	a.send(outcome(p, `{"stopReason":"cancelled"}`))
	ends(t, turn, acp.StopReasonCancelled)
}

// S001.17, F30: a question of one session holds up no other.
func TestSessionsDoNotWaitForEachOthersQuestions(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	u := &user{permit: func(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		close(asked)
		<-answer
		return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
	}}
	c, a := connect(t, u, client.Options{}, allCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(asks(1, "session/request_permission", askPermission))
	within(t, "the question", asked)
	var other *client.Session
	both(t, func() (err error) {
		other, err = c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() { a.send(outcome(a.expect("session/new"), `{"sessionId":"other"}`)) })
	turn2, p2 := prompt(t, other, a)
	a.send(outcome(p2, `{"stopReason":"end_turn"}`))
	ends(t, turn2, acp.StopReasonEndTurn)
	close(answer)
	a.next()
	a.send(outcome(p, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
}

func TestAPanicOfTheHandlerIsAnErrorAndTheConnectionLives(t *testing.T) { // W9
	var panics atomic.Bool
	panics.Store(true)
	u := &user{permit: func(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		if panics.Swap(false) {
			panic("oops")
		}
		return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
	}}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	open(t, c, a)
	for i, want := range []bool{true, false} {
		a.send(asks(i, "session/request_permission", askPermission))
		if m := a.next(); (m.Error != nil) != want {
			t.Errorf("answer %d is %s %v", i, m.Result, m.Error)
		}
	}
}

func TestAPermissionOfASubagentReachesTheUserAndEndsWithTheParentsTurn(t *testing.T) { // F51
	asked := make(chan *client.Session, 2)
	u := &user{permit: func(ctx context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		asked <- s
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	c, a := connect(t, u, client.Options{Shows: client.Shows{Subagents: true}}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(update("s", `{"sessionUpdate":"subagent_update","sessionId":"child","title":"Helper"}`), says("child", "hi"),
		asks(1, "session/request_permission", strings.Replace(askPermission, `"s"`, `"child"`, 1)))
	child := within(t, "the question", asked)
	if child.ID() != "child" || child.Parent() != s || child.CWD() != "/project" {
		t.Errorf("asked for session %s of %v in %s", child.ID(), child.Parent(), child.CWD())
	}
	if err := turn.Cancel(deadline(t)); err != nil {
		t.Fatal(err)
	}
	a.expect("session/cancel")
	if m := a.next(); !strings.Contains(string(m.Result), "cancelled") {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
	a.send(outcome(p, `{"stopReason":"cancelled"}`))
	ends(t, turn, acp.StopReasonCancelled)
	if !strings.Contains(u.all(), "child:hi") {
		t.Errorf("the Handler saw %q", u.all())
	}
}
