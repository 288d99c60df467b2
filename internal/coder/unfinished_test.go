package coder_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// T2: a fork of a session in mid-turn has an end for every call, since what the turn still does goes on in the other one.
func TestAForkOfARunningTurnHasEnds(t *testing.T) {
	keeping(t, func(t *testing.T, o func() coder.Options) {
		asked, forked := make(chan struct{}), make(chan struct{})
		c := beginWith(t, &client{permit: func(context.Context, *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
			close(asked)
			<-forked
			return acp.PermissionCancelled()
		}}, o())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = c.prompt("run true") // is cut short
		}()
		<-asked
		var fork acp.ForkSessionResponse
		c.must(acp.MethodSessionFork, &acp.ForkSessionRequest{SessionID: c.session, CWD: c.dir}, &fork)
		close(forked)
		<-ended
		c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: fork.SessionID}, nil)
		c.session = fork.SessionID
		c.forget()
		if _, err := c.load(); err != nil {
			t.Fatal(err)
		}
		status := map[acp.ToolCallID]acp.ToolCallStatus{}
		for _, u := range c.seen() {
			switch u := u.(type) {
			case *acp.ToolCall:
				status[u.ToolCallID] = u.Status
			case *acp.ToolCallUpdate:
				status[u.ToolCallID] = u.Status.Or(status[u.ToolCallID])
			}
		}
		for id, s := range status {
			if !s.Final() {
				t.Errorf("call %s is %s", id, s)
			}
		}
		if len(status) != 1 {
			t.Errorf("the calls are %v", status)
		}
		c.turn("help", acp.StopReasonEndTurn)
	})
}

// S004.13: a subagent that is at work can be cancelled, and no more. It is known to be open.
func TestASubagentAtWorkIsLeftAlone(t *testing.T) {
	t.Run("stored", func(t *testing.T) {
		testSubagentAtWork(t, func(m model.Model) *coder.Coder { return coder.WithStore(m, openStore(t, t.TempDir())) })
	})
	t.Run("in memory", func(t *testing.T) { testSubagentAtWork(t, coder.With) })
}

func testSubagentAtWork(t *testing.T, with func(model.Model) *coder.Coder) {
	working, over := make(chan struct{}), make(chan struct{})
	m := parent([]*model.Call{startTask("1", "explore", "wait")}, func(context.Context, *model.Request) []any {
		close(working)
		<-over
		return says("found")
	})
	c := opens(t, &client{}, with(m))
	ended := make(chan error, 1)
	go func() {
		_, err := c.prompt("go")
		ended <- err
	}()
	<-working
	child := c.childrenOf(c.session)[0].SessionID
	for method, params := range map[string]any{
		acp.MethodSessionLoad:    &acp.LoadSessionRequest{SessionID: child, CWD: c.dir, MCPServers: []acp.MCPServer{}},
		acp.MethodSessionResume:  &acp.ResumeSessionRequest{SessionID: child, CWD: c.dir},
		acp.MethodSessionDelete:  &acp.DeleteSessionRequest{SessionID: child},
		acp.MethodSessionArchive: &acp.ArchiveSessionRequest{SessionID: child},
		acp.MethodSessionClose:   &acp.CloseSessionRequest{SessionID: child},
		acp.MethodSessionPrompt:  &acp.PromptRequest{SessionID: child, Prompt: []acp.ContentBlock{acp.Text("x")}},
	} {
		if err := c.rpc.Call(t.Context(), method, params, nil); !errors.As(err, new(*acp.Error)) {
			t.Errorf("%s: %v", method, err)
		}
	}
	parent := c.session
	status := func(id acp.SessionID) acp.SessionStatus {
		c.session = id
		defer func() { c.session = parent }()
		return c.status()
	}
	if got := status(child); got != acp.SessionStatusOpen {
		t.Errorf("its status is %s", got)
	}
	close(over)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if list := c.childrenOf(c.session); len(list) != 1 {
		t.Errorf("its subagents are %+v", list)
	}
	if got := status(child); got != acp.SessionStatusSaved {
		t.Errorf("its status is %s afterwards", got)
	}
}

// A session that is opened where it is open is not used by that: it stays where it is in the lists, and old.
func TestOpeningASessionOnceMoreIsNoUse(t *testing.T) {
	var now atomic.Pointer[time.Time]
	begun := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	now.Store(&begun)
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{Now: func() time.Time { return *now.Load() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c := beginWith(t, &client{}, in(db))
	c.turn("help", acp.StopReasonEndTurn)
	later := begun.Add(time.Hour)
	now.Store(&later)
	for range 2 {
		if _, err := c.load(); err != nil {
			t.Fatal(err)
		}
	}
	loaded, err := db.Load(t.Context(), c.session)
	if err != nil || !loaded.Updated.Equal(begun) {
		t.Errorf("it was used at %s, %v", loaded.Updated, err)
	}
}

// A list of the subagents of a session that is not there says which session that is.
func TestSubagentsOfAnUnknownSession(t *testing.T) {
	c := beginWith(t, &client{}, in(openStore(t, t.TempDir())))
	meta := acp.Meta{"patchbay.dev/subagent": acp.Raw(`{"parentSessionId":"nobody"}`)}
	err := c.rpc.Call(t.Context(), acp.MethodSessionList, &acp.ListSessionsRequest{Meta: meta}, nil)
	if e := acp.ErrSessionNotFound("nobody"); !errors.Is(err, e) || err.Error() != e.Error() {
		t.Errorf("got %v", err)
	}
}
