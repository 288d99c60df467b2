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

// withChild is an agent whose turn is a tool call and a child that does some work.
func withChild(work do, done func(stop acp.StopReason, err error)) agent.PromptFunc {
	return func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		call, err := turn.ToolCall(acp.ToolCall{ToolCallID: "task", Title: "Look around"})
		if err != nil {
			return "", err
		}
		child := turn.NewChild(agent.Child{SessionID: "kid", Title: "Scout", Description: "Looks around", Call: call})
		stop, err := child.Run(ctx, []acp.ContentBlock{acp.Text("look")}, work)
		if done != nil {
			done(stop, err)
		}
		return "", call.Complete()
	}
}

// lines says what a client has got until the answer to a request: the session, the kind and what there is in it to see.
func (p *peer) lines(id string) string {
	p.t.Helper()
	var b strings.Builder
	for {
		m := p.next()
		if string(m.ID) == id && m.Method == "" {
			return b.String()
		}
		u := m.Params.Update
		fmt.Fprintf(&b, "%s %s", m.Params.SessionID, m.kind())
		for _, name := range []string{"sessionId", "toolCallId", "title", "status", "state"} {
			if u[name] != nil {
				fmt.Fprintf(&b, " %s", sorted(u[name]))
			}
		}
		fmt.Fprintln(&b, m.chunk())
	}
}

// S004.13: a client that understands child sessions hears of the child before anything of the child's, gets its stream under
// its id, and hears how it has ended. One that doesn't gets the tool call and nothing else.
func TestAChildAndItsStream(t *testing.T) {
	work := func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		if turn.Session().Parent() == nil || turn.PromptText() != "look" {
			t.Errorf("the child is %v, its prompt %q", turn.Session().Parent(), turn.PromptText())
		}
		call, err := turn.ToolCall(acp.ToolCall{ToolCallID: "c", Title: "List ."})
		if err != nil {
			return "", err
		}
		return "", errors.Join(call.Complete(), turn.Plan(), turn.Text(" found it"), turn.Session().Title(context.Background(), "t"))
	}
	for capabilities, want := range map[string]string{
		everything: `
S tool_call "task" "Look around" "pending"
S subagent_update "kid" "Scout" {"state":"running"}
kid session_message
kid tool_call "c" "List ." "pending"
kid tool_call_update "c" "completed"
kid plan
kid agent_message_chunk found it
kid session_info_update "t"
S subagent_update "kid" {"state":"idle","stopReason":"end_turn"}
S tool_call_update "task" "completed"
`,
		`{}`: `
S tool_call "task" "Look around" "pending"
S tool_call_update "task" "completed"
`,
	} {
		p := start(t, withChild(work, nil), options(), capabilities)
		s := p.newSession()
		got := p.lines(p.ask("session/prompt", prompt(s, "go")))
		if got = "\n" + strings.ReplaceAll(got, s, "S"); got != want {
			t.Errorf("with %s got%s\nwant%s", capabilities, got, want)
		}
	}
}

// A child without a call of the author's is a tool call to clients that don't understand child sessions.
func TestAChildWithoutACall(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		return turn.NewChild(agent.Child{SessionID: "kid", Title: "Scout"}).Run(ctx, nil, func(context.Context, *agent.Turn) (acp.StopReason, error) {
			return "", errors.New("lost")
		})
	}), options(), `{}`)
	s := p.newSession()
	want := `
S tool_call "subagent_kid" "Scout" "in_progress"
S tool_call_update "subagent_kid" "failed"
`
	if got := "\n" + strings.ReplaceAll(p.lines(p.ask("session/prompt", prompt(s, "go"))), s, "S"); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
}

// F51: a child asks in the name of the session that the client knows, with its title before the call's, and the call is shown
// there until it ends, whatever the client understands.
func TestF51_AChildAsksInItsParentsName(t *testing.T) {
	for _, capabilities := range []string{`{}`, everything} {
		p := start(t, withChild(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
			call, err := turn.ToolCall(acp.ToolCall{ToolCallID: "w", Title: "Write a"})
			if err != nil {
				return "", err
			}
			ok, err := call.Allow(ctx)
			if !ok || err != nil {
				t.Errorf("Allow returned %t, %v", ok, err)
			}
			return "", errors.Join(call.Start(), call.Complete(acp.ToolContent(acp.Text("written"))))
		}, nil), options(), capabilities)
		s := p.newSession()
		id := p.ask("session/prompt", prompt(s, "go"))
		var m *message
		shown := ""
		for m = p.next(); m.Method == "session/update"; m = p.next() {
			if m.Params.SessionID == s && m.kind() == "tool_call" {
				shown, _ = m.Params.Update["toolCallId"].(string)
			}
		}
		call := m.Params.ToolCall
		if m.Method != "session/request_permission" || m.Params.SessionID != s || call["title"] != "Scout: Write a" || call["toolCallId"] != shown ||
			!strings.Contains(m.text, `"patchbay.dev/subagent":{"sessionId":"kid","parentSessionId":"`+s+`","toolCallId":"w"}`) {
			t.Errorf("asked %s", m.text)
		}
		p.reply(m, `{"outcome":{"outcome":"selected","optionId":"allow_once"}}`)
		got := p.lines(id)
		want := fmt.Sprintf("%s tool_call_update %q \"in_progress\"\n", s, shown)
		if !strings.Contains(got, want) || !strings.Contains(got, strings.Replace(want, "in_progress", "completed", 1)) {
			t.Errorf("with %s got\n%s", capabilities, got)
		}
		if waits := strings.Contains(got, `{"state":"running"}`); waits != (capabilities == everything) {
			t.Errorf("with %s the state after the answer was told: %t", capabilities, waits)
		}
	}
}

// A child's files and terminals are its parent's to the client, and a question has its title.
func TestAChildsRequestsAreItsParents(t *testing.T) {
	p := start(t, withChild(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		_, err := turn.ReadTextFile(ctx, "a", 0, 0)
		if err != nil {
			t.Error(err)
		}
		if _, err = turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "x"}); err != nil {
			t.Error(err)
		}
		_, err = turn.Elicit(ctx, acp.CreateElicitationRequest{
			Message: "Which?", Mode: &acp.ElicitationFormMode{}, Scope: &acp.ElicitationSessionScope{SessionID: "kid", ToolCallID: "c"},
		})
		return "", err
	}, nil), options(), everything)
	s := p.newSession()
	id := p.ask("session/prompt", prompt(s, "go"))
	answers := map[string]string{
		"fs/read_text_file": `{"content":""}`, "terminal/create": `{"terminalId":"t"}`, "elicitation/create": `{"action":"decline"}`,
		"terminal/kill": `{}`, "terminal/release": `{}`,
	}
	asked := 0
	for m := p.next(); string(m.ID) != id || m.Method != ""; m = p.next() {
		if m.Method == "session/update" {
			continue
		}
		asked++
		if m.Params.SessionID != s {
			t.Errorf("asked about another session: %s", m.text)
		}
		if m.Method == "elicitation/create" && (!strings.Contains(m.text, "Scout: Which?") || strings.Contains(m.text, "toolCallId")) {
			t.Errorf("asked %s", m.text)
		}
		p.reply(m, answers[m.Method])
	}
	if asked != 5 {
		t.Errorf("%d requests, want 5", asked)
	}
}

// S004.13: a client can cancel a child alone. The parent goes on.
func TestAChildIsCancelledAlone(t *testing.T) {
	p := start(t, withChild(untilCancelled, func(stop acp.StopReason, err error) {
		if stop != acp.StopReasonCancelled || err != nil {
			t.Errorf("the child ended with %q, %v", stop, err)
		}
	}), options(), everything)
	s := p.newSession()
	id := p.ask("session/prompt", prompt(s, "go"))
	p.update("tool_call")
	p.update("subagent_update")
	p.update("session_message")
	for method, params := range map[string]string{"session/load": `{"sessionId":"kid","cwd":"/proj"}`, "session/prompt": prompt("kid", "more")} {
		if m := p.call(method, params); m.Error == nil {
			t.Errorf("%s of a child that works was answered with %s", method, m.text)
		}
	}
	p.send(notification("session/cancel", in("kid")))
	if m := p.update("subagent_update"); !strings.Contains(m.text, `"stopReason":"cancelled"`) {
		t.Errorf("got %s", m.text)
	}
	p.update("tool_call_update")
	p.stopped(id, "end_turn")
	p.send(notification("session/cancel", in("kid"))) // finds nothing
	p.silent()
}

// A cancelled turn ends its children, and theirs (F92).
func TestF92_ChildrenEndWithTheirParent(t *testing.T) {
	grandchild := func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		return turn.NewChild(agent.Child{SessionID: "kid2", Title: "Deeper"}).Run(context.Background(), nil, untilCancelled)
	}
	ended := make(chan struct{})
	p := start(t, withChild(grandchild, func(stop acp.StopReason, err error) {
		if stop != acp.StopReasonCancelled || err != nil {
			t.Errorf("the child ended with %q, %v", stop, err)
		}
		close(ended)
	}), options(), `{}`)
	s := p.newSession()
	id := p.ask("session/prompt", prompt(s, "go"))
	p.update("tool_call")
	p.send(notification("session/cancel", in(s)))
	wait(t, "the end of the child", ended)
	p.update("tool_call_update")
	p.stopped(id, "cancelled")
}

// A child that panics has failed, and the parent goes on (W9). Only a child can be run, once at a time.
func TestAChildThatPanicsHasFailed(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		if _, err := turn.Session().Run(ctx, nil, untilCancelled); err == nil {
			t.Error("a session of the client's was run")
		}
		_, err := turn.NewChild(agent.Child{SessionID: "kid"}).Run(ctx, nil, func(ctx context.Context, child *agent.Turn) (acp.StopReason, error) {
			if _, err := turn.NewChild(agent.Child{SessionID: "kid"}).Run(ctx, nil, untilCancelled); err == nil {
				t.Error("two children have the same id")
			}
			panic("oops")
		})
		if err == nil || !strings.Contains(err.Error(), "oops") {
			t.Errorf("the child ended with %v", err)
		}
		return "", nil
	}), options(), `{}`)
	p.lines(p.ask("session/prompt", prompt(p.newSession(), "go")))
}
