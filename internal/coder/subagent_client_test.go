package coder_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	ourclient "github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/transport"
)

// A viewer is a client of ours that understands child sessions: it keeps what came, by session.
type viewer struct {
	permit func(ctx context.Context, s *ourclient.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error)

	mu       sync.Mutex
	sessions map[acp.SessionID][]acp.SessionUpdate
	news     *sync.Cond
}

func (v *viewer) Update(_ context.Context, s *ourclient.Session, u acp.SessionUpdate) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.sessions[s.ID()] = append(v.sessions[s.ID()], u)
	v.news.Broadcast()
}

func (v *viewer) RequestPermission(ctx context.Context, s *ourclient.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return v.permit(ctx, s, req)
}

// of returns what came of a session.
func (v *viewer) of(id acp.SessionID) []acp.SessionUpdate {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]acp.SessionUpdate(nil), v.sessions[id]...)
}

// says waits until a session has said something, since sessions don't wait for each other (W5).
func (v *viewer) says(t *testing.T, id acp.SessionID, text string) {
	t.Helper()
	if !await(t.Context(), v.news, awaitTime, func() bool { return strings.HasPrefix(saidText(v.sessions[id]), text) }) {
		t.Errorf("session %s says %q, want %q", id, saidText(v.of(id)), text)
	}
}

// watches starts an agent, and a client of ours with a session.
func watches(t *testing.T, v *viewer, a *coder.Coder) *ourclient.Session {
	t.Helper()
	v.sessions, v.news = map[acp.SessionID][]acp.SessionUpdate{}, sync.NewCond(&v.mu)
	ours, theirs := transport.Pipe()
	conn, err := agent.Connect(theirs, a, a.AgentOptions())
	if err != nil {
		t.Fatal(err)
	}
	c, err := ourclient.Connect(t.Context(), ours, v, ourclient.Options{Shows: ourclient.Shows{Subagents: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = c.Wait()
		_ = conn.Wait()
	})
	s, err := c.NewSession(t.Context(), acp.NewSessionRequest{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// takes has a turn and returns how it ended.
func takes(t *testing.T, s *ourclient.Session, prompt string) acp.StopReason {
	t.Helper()
	turn, err := s.Prompt(t.Context(), acp.Text(prompt))
	if err != nil {
		t.Fatal(err)
	}
	result, err := turn.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return result.StopReason
}

// S004.12, S004.13: a client that understands child sessions gets the subagent's start and end, whose it is, and all that it says
// and does under its own id; its tree shows one subagent for what the call and the updates say, and another below it.
func TestOurClientSeesATreeOfSubagents(t *testing.T) {
	m := parent([]*model.Call{startTask("1", "general", "outer")}, func(_ context.Context, r *model.Request) []any {
		switch {
		case first(r) == "inner":
			return says("nothing there")
		case len(lastOf(r).Results) == 0:
			return calls(startTask("1", "explore", "inner"))
		}
		return says("the inner one says: " + lastOf(r).Results[0].Text)
	})
	v := &viewer{}
	s := watches(t, v, coder.With(m))
	if stop := takes(t, s, "go"); stop != acp.StopReasonEndTurn {
		t.Fatalf("the turn ended with %s", stop)
	}
	outer := s.State().Subagents()
	if len(outer) != 1 {
		t.Fatalf("there are %d subagents", len(outer))
	}
	a := outer[0]
	idle, _ := a.State.(*acp.IdleStateUpdate)
	if a.Title != "do outer (@general subagent)" || a.Type != "general" || a.Call == "" || a.Capabilities == nil || a.Capabilities.Cancel == nil ||
		a.Model != "actor/one" || idle == nil || idle.StopReason != acp.IdleStopReasonEndTurn {
		t.Errorf("the subagent is %+v, and does %+v", a, a.State)
	}
	if !strings.Contains(string(a.Meta["patchbay.dev/subagent"]), `"parentSessionId":"`+string(s.ID())+`"`) {
		t.Errorf("its _meta is %s", a.Meta)
	}
	child := s.Client().Session(a.SessionID)
	if child == nil || child.Parent() != s {
		t.Fatalf("the client knows its session as %v", child)
	}
	v.says(t, a.SessionID, "the inner one says: nothing there\n\n")
	if said := saidText(v.of(s.ID())); said != "done" {
		t.Errorf("the parent says %q", said)
	}
	if first, ok := v.of(a.SessionID)[0].(*acp.SessionMessage); !ok || first.SenderSessionID.Or("") != s.ID() {
		t.Errorf("its first update is %+v", v.of(a.SessionID)[0])
	}
	inner := child.State().Subagents()
	if len(inner) != 1 || inner[0].Type != "explore" {
		t.Fatalf("below it are %+v", inner)
	}
	v.says(t, inner[0].SessionID, "nothing there")
}

// S004.13: the client cancels one of two subagents. The other one goes on, and the model is told which was cancelled.
func TestOneSubagentIsCancelled(t *testing.T) {
	m := parent([]*model.Call{startTask("1", "explore", "wait"), startTask("2", "explore", "quick")}, func(ctx context.Context, r *model.Request) []any {
		if first(r) == "wait" {
			<-ctx.Done()
			return []any{ctx.Err()}
		}
		return says("found")
	})
	v := &viewer{}
	s := watches(t, v, coder.With(m))
	turn, err := s.Prompt(t.Context(), acp.Text("go"))
	if err != nil {
		t.Fatal(err)
	}
	var waiting acp.SessionID
	begun := await(t.Context(), v.news, awaitTime, func() bool {
		for id, updates := range v.sessions {
			if message, ok := updates[0].(*acp.SessionMessage); ok && message.Content.Or(nil)[0].(*acp.TextContent).Text == "wait" {
				waiting = id
			}
		}
		return waiting != ""
	})
	if !begun {
		t.Fatal("the subagent hasn't begun")
	}
	if err := s.Client().Session(waiting).Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	result, err := turn.Wait()
	if err != nil || result.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("the turn ended with %v, %v", result, err)
	}
	requests := m.about("go")
	results := lastOf(requests[len(requests)-1]).Results
	if !results[0].Failed || !strings.HasPrefix(results[0].Text, "The user has cancelled the subagent.") || results[1].Failed || !strings.HasPrefix(results[1].Text, "found\n") {
		t.Errorf("the model is told %+v", results)
	}
	for _, a := range s.State().Subagents() {
		want := acp.ToolCallStatusCompleted
		if a.SessionID == waiting {
			want = acp.ToolCallStatusFailed
		}
		if a.Status != want {
			t.Errorf("%s is %s", a.Title, a.Status)
		}
	}
}

// F92: cancelling the turn ends its subagents and theirs within a second.
func TestF92_SubagentsEndWithTheirParent(t *testing.T) {
	ended := make(chan struct{})
	m := parent([]*model.Call{startTask("1", "general", "outer")}, func(ctx context.Context, r *model.Request) []any {
		if first(r) == "outer" {
			return calls(startTask("1", "explore", "inner"))
		}
		<-ctx.Done()
		close(ended)
		return []any{ctx.Err()}
	})
	v := &viewer{}
	s := watches(t, v, coder.With(m))
	turn, err := s.Prompt(t.Context(), acp.Text("go"))
	if err != nil {
		t.Fatal(err)
	}
	if !await(t.Context(), v.news, awaitTime, func() bool { return len(v.sessions) >= 3 }) {
		t.Fatal("the subagents haven't begun")
	}
	begun := time.Now()
	if err := turn.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	result, err := turn.Wait()
	if err != nil || result.StopReason != acp.StopReasonCancelled {
		t.Fatalf("the turn ended with %v, %v", result, err)
	}
	<-ended
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it took %s", took)
	}
	for _, state := range []*ourclient.State{s.State(), s.Client().Session(s.State().Subagents()[0].SessionID).State()} {
		cancelled := func() bool {
			a := state.Subagents()[0]
			idle, _ := a.State.(*acp.IdleStateUpdate)
			return idle != nil && idle.StopReason == acp.IdleStopReasonCancelled && a.Status == acp.ToolCallStatusFailed
		}
		for late := time.Now().Add(10 * time.Second); !cancelled(); time.Sleep(time.Millisecond) { // sessions don't wait for each other
			if time.Now().After(late) {
				t.Fatalf("the subagent is %+v", state.Subagents()[0])
			}
		}
	}
}
