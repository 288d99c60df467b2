package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// W12, S002.12, F27: what a new session sends leaves after the answer that names it, in order, under the name that the
// author has chosen.
func TestW12_UpdatesOfANewSessionFollowItsAnswer(t *testing.T) {
	a := &full{
		onNew: func(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
			for i := range 100 {
				if err := s.Textf(ctx, "%d", i); err != nil {
					t.Error(err)
				}
			}
			if err := s.Commands(ctx, acp.AvailableCommand{Name: "fix", Description: "Fix it"}); err != nil {
				t.Error(err)
			}
			if _, err := s.ReadTextFile(ctx, "a", 0, 0); !errors.Is(err, agent.ErrNotOpen) {
				t.Errorf("ReadTextFile returned %v", err)
			}
			return &acp.NewSessionResponse{SessionID: "mine"}, nil
		},
		PromptFunc: func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
			return "", turn.Text("turn")
		},
	}
	p := start(t, a, options(), everything)
	// The prompt in the same write may only come to a session that is known.
	id := p.ask("session/new", `{"cwd":"/proj"}`)
	if got := p.result(id)["sessionId"]; got != "mine" {
		t.Errorf("the session is %v", got)
	}
	turn := p.ask("session/prompt", prompt("mine", "hi"))
	for i := range 100 {
		if m := p.says(fmt.Sprint(i)); m.Params.SessionID != "mine" {
			t.Fatalf("got %s", m.text)
		}
	}
	p.update("available_commands_update")
	p.says("turn")
	p.stopped(turn, "end_turn")
}

// W12: a replay leaves before the answer that ends it; a resumed or forked session speaks after its answer.
func TestW12_AReplayComesBeforeItsAnswer(t *testing.T) {
	p := start(t, &full{}, options(), `{}`)
	params := `{"sessionId":"old","cwd":"/proj","mcpServers":[]}`

	// S000.5
	id := p.ask("session/load", params)
	p.says("replayed")
	p.result(id)

	p.result(p.ask("session/resume", params))
	p.says("resumed")

	forked := p.result(p.ask("session/fork", params))["sessionId"]
	if m := p.says("forked from old"); m.Params.SessionID != forked || forked == "old" {
		t.Errorf("got %s", m.text)
	}
}

// W12: what is held is bounded, and a session that could not be opened holds nothing.
func TestW12_HoldingIsBounded(t *testing.T) {
	var failed *agent.Session
	a := &full{onNew: func(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
		if s.CWD() == "/fails" {
			failed = s
			_ = s.Text(ctx, "lost")
			return nil, errors.New("disk full")
		}
		var err error
		n := 0
		for ; err == nil; n++ {
			err = s.Text(ctx, "x")
		}
		if n != 4097 || !errors.Is(err, agent.ErrTooManyUpdates) {
			t.Errorf("update %d returned %v", n, err)
		}
		return nil, nil
	}}
	p := start(t, a, options(), `{}`)
	p.newSession()
	for range 4096 {
		p.says("x")
	}
	p.failure(p.ask("session/new", `{"cwd":"/fails"}`), acp.CodeInternalError, "disk full")
	if err := failed.Text(t.Context(), "late"); !errors.Is(err, agent.ErrSessionClosed) {
		t.Errorf("got %v", err)
	}
	p.silent()
}

// A session whose making the client has cancelled is closed again, and says nothing.
func TestW12_ASessionMadeInVainIsClosed(t *testing.T) {
	making := make(chan struct{})
	a := &full{onNew: func(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
		close(making)
		<-ctx.Done()
		return nil, s.Text(context.WithoutCancel(ctx), "lost")
	}}
	conn, p := connect(t, a, options())
	p.call("initialize", `{"protocolVersion":1}`)
	id := p.ask("session/new", `{"cwd":"/proj"}`)
	wait(t, "session/new", making)
	p.send(notification("$/cancel_request", `{"requestId":`+id+`}`))
	p.failure(id, acp.CodeRequestCancelled)
	p.silent()
	if open := conn.Sessions(); len(open) > 0 {
		t.Errorf("%d sessions are open", len(open))
	}
	p.closeInput()
	if err := conn.Wait(); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(a.notes()); !strings.Contains(got, "close sess_") {
		t.Errorf("the agent saw %s", got)
	}
}
