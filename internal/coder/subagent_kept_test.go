package coder_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// childrenOf asks for the subagents of a session.
func (c *client) childrenOf(id acp.SessionID) []acp.SessionInfo {
	c.Helper()
	var answer acp.ListSessionsResponse
	meta := acp.Meta{"patchbay.dev/subagent": acp.Raw(fmt.Sprintf(`{"parentSessionId":%q}`, id))}
	c.must(acp.MethodSessionList, &acp.ListSessionsRequest{Meta: meta}, &answer)
	return answer.Sessions
}

// remembers is a model whose subagents say what they were asked before.
func remembers() *actor {
	return &actor{answer: func(_ context.Context, r *model.Request) []any {
		prompt := lastOf(r)
		for i := len(r.Messages) - 1; len(prompt.Content) == 0; i-- { // results came after it
			prompt = r.Messages[i]
		}
		words := prompt.Content[0].(*acp.TextContent).Text
		id, goesOn := strings.CutPrefix(words, "again ")
		switch {
		case len(lastOf(r).Results) > 0:
			return says(lastOf(r).Results[0].Text)
		case words == "begin":
			return calls(startTask("1", "explore", "first"))
		case goesOn:
			return calls(&model.Call{ID: "1", Name: "task", Input: acp.Raw(`{"description":"go on","prompt":"second","subagent_type":"explore","session_id":"` + id + `"}`)})
		}
		return says("asked " + strings.Join(texts(r), ", "))
	}}
}

// F76, S004.6, S004.13: a subagent's session is kept with its parent's: no list shows it unless it is asked for by that, and it can be
// loaded. The parent goes on with it, also in another process, and with no other session.
func TestF76_SubagentsAreKeptWithTheirParent(t *testing.T) {
	for _, kept := range []bool{false, true} {
		t.Run(fmt.Sprint("kept ", kept), func(t *testing.T) {
			dir := t.TempDir()
			m := remembers()
			a := coder.With(m)
			db := openStore(t, dir)
			if kept {
				a = coder.WithStore(m, db)
			}
			c := opens(t, &client{}, a)
			child := outputs(t, c.turn("begin", acp.StopReasonEndTurn))[0].Metadata.SessionID
			check := func(c *client) {
				t.Helper()
				var all acp.ListSessionsResponse
				c.must(acp.MethodSessionList, &acp.ListSessionsRequest{}, &all)
				if len(all.Sessions) != 1 || all.Sessions[0].SessionID != c.session {
					t.Errorf("the list is %+v", all.Sessions)
				}
				list := c.childrenOf(c.session)
				if len(list) != 1 || list[0].SessionID != child || list[0].Title != "do first (@explore subagent)" ||
					!strings.Contains(string(list[0].Meta["patchbay.dev/subagent"]), `"parentSessionId":"`+string(c.session)+`"`) {
					t.Errorf("its subagents are %+v", list)
				}
			}
			check(c)
			if said := saidText(c.turn("again nobody", acp.StopReasonEndTurn)); !strings.HasPrefix(said, `there is no subagent with the session_id "nobody"`) {
				t.Errorf("the model was told %q", said)
			}
			if said := saidText(c.turn("again "+string(c.session), acp.StopReasonEndTurn)); !strings.HasPrefix(said, `there is no subagent with the session_id`) {
				t.Errorf("the model was told %q", said)
			}
			if kept {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				next := &client{dir: c.dir, session: c.session}
				next.connect(t, coder.WithStore(m, openStore(t, dir)))
				if _, err := next.load(); err != nil {
					t.Fatal(err)
				}
				c = next
			}
			updates := c.turn("again "+string(child), acp.StopReasonEndTurn)
			out := outputs(t, updates)[0]
			if want := "asked user first, assistant asked user first, user second\n"; !strings.HasPrefix(out.Output, want) || out.Metadata.SessionID != child {
				t.Errorf("the subagent says %q in %s", out.Output, out.Metadata.SessionID)
			}
			check(c)
			c.forget()
			parent := c.session
			c.session = child
			if _, err := c.load(); err != nil {
				t.Fatal(err)
			}
			want := []string{"first", "asked user first", "second", "asked user first, assistant asked user first, user second"}
			if diff := cmp.Diff(want, spoken(c.seen())); diff != "" {
				t.Errorf("the replay (-want +got):\n%s", diff)
			}
			c.session = parent
			if said := saidText(c.turn("again "+string(child), acp.StopReasonEndTurn)); !strings.Contains(said, "open") && !strings.Contains(said, "in use") {
				t.Errorf("the model was told %q about a session that a client has", said)
			}
			c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: child}, nil)
			check(c)
			c.session = child
			if _, err := c.load(); err != nil {
				t.Fatal(err)
			}
			c.must(acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: parent}, nil)
			if _, err := c.prompt("go on"); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
				t.Errorf("the subagent goes on without its parent: %v", err)
			}
			if _, err := c.load(); err == nil {
				t.Error("the subagent is there without its parent")
			}
		})
	}
}

// spoken is what was said in a session, by whomever.
func spoken(updates []acp.SessionUpdate) (list []string) {
	for _, u := range updates {
		var content acp.ContentBlock
		switch u := u.(type) {
		case *acp.UserMessageChunk:
			content = u.Content
		case *acp.AgentMessageChunk:
			content = u.Content
		default:
			continue
		}
		list = append(list, content.(*acp.TextContent).Text)
	}
	return list
}

// F77: a turn whose process was killed while a subagent worked leaves both sessions whole: the call has failed, the subagent
// works no more, and each can be loaded.
func TestF77_AKilledTurnWithASubagent(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	working := make(chan struct{})
	m := parent([]*model.Call{startTask("1", "explore", "wait")}, func(ctx context.Context, _ *model.Request) []any {
		close(working)
		<-ctx.Done()
		return []any{ctx.Err()}
	})
	c := opens(t, &client{can: everyUpdate}, coder.WithStore(m, db))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.prompt("go") // ends with the connection
	}()
	<-working
	if err := db.Close(); err != nil { // what this process writes from now on is lost, as if it were killed
		t.Fatal(err)
	}
	next := &client{dir: c.dir, session: c.session, can: everyUpdate}
	next.connect(t, coder.WithStore(&actor{answer: func(context.Context, *model.Request) []any { return says("ok") }}, openStore(t, dir)))
	if _, err := next.load(); err != nil {
		t.Fatal(err)
	}
	var states []string
	for _, u := range next.seen() {
		if u, ok := u.(*acp.SubagentUpdate); ok {
			states = append(states, fmt.Sprintf("%T", u.State.Or(nil)))
		}
	}
	if diff := cmp.Diff([]string{"*acp.RunningStateUpdate", "*acp.IdleStateUpdate"}, states); diff != "" {
		t.Errorf("the subagent's states (-want +got):\n%s", diff)
	}
	if !slices.ContainsFunc(next.seen(), func(u acp.SessionUpdate) bool {
		change, ok := u.(*acp.ToolCallUpdate)
		return ok && change.Status.Or("") == acp.ToolCallStatusFailed
	}) {
		t.Error("the call has no end")
	}
	list := next.childrenOf(c.session)
	if len(list) != 1 {
		t.Fatalf("its subagents are %+v", list)
	}
	next.turn("and now?", acp.StopReasonEndTurn)
	next.session = list[0].SessionID
	if _, err := next.load(); err != nil {
		t.Error(err)
	}
	next.turn("go on", acp.StopReasonEndTurn)
	_ = c.rpc.Close()
	<-ended
}
