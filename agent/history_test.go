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

// remembering is options with a history.
func remembering() agent.Options {
	o := options()
	o.KeepHistory = true
	return o
}

// told is a history as text.
func told(turns []agent.HistoryTurn) string {
	var out strings.Builder
	for _, turn := range turns {
		for _, block := range turn.Prompt {
			fmt.Fprintf(&out, "[%s]", block.(*acp.TextContent).Text)
		}
		for _, u := range turn.Updates {
			switch u := u.(type) {
			case *acp.AgentMessageChunk:
				out.WriteString(u.Content.(*acp.TextContent).Text)
			case *acp.AgentThoughtChunk:
				fmt.Fprintf(&out, "(%s)", u.Content.(*acp.TextContent).Text)
			default:
				fmt.Fprintf(&out, "<%T>", u)
			}
		}
		fmt.Fprintf(&out, " %s;", turn.StopReason)
	}
	return out.String()
}

// A history has the turns with what was said and done in them, pieces of a message joined.
func TestHistory(t *testing.T) {
	conn, p := connect(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		for _, piece := range []string{"a", "b", "c"} {
			_ = turn.Text(piece)
		}
		_ = turn.Thought("d")
		_ = turn.Thought("e")
		_ = turn.Notice(acp.Notice{Title: "n"})
		_ = turn.Usage(acp.UsageUpdate{})
		call, _ := turn.ToolCall(acp.ToolCall{Title: "t"})
		_ = call.Complete()
		turn.NewMessage()
		_ = turn.Text("f")
		if turn.PromptText() == "fail" {
			return "", errors.New("failed")
		}
		return "", nil
	}), remembering())
	p.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+oneLine(everything)+`}`)
	session := p.newSession()
	for _, text := range []string{"one", "fail"} {
		p.ask("session/prompt", prompt(session, text))
		for p.next().Method != "" {
		}
	}
	said := "abc(de)<*acp.ToolCall><*acp.ToolCallUpdate>f"
	s := conn.Session(acp.SessionID(session))
	if got, want := told(s.History()), "[one]"+said+" end_turn;[fail]"+said+" ;"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if err := s.Text(t.Context(), "between"); err != nil {
		t.Error(err)
	}
	if got := told(s.History()); !strings.HasSuffix(got, "fbetween ;") {
		t.Errorf("got %s", got)
	}
}

// A refused prompt, and what followed from it, leaves the history.
func TestARefusedTurnLeavesTheHistory(t *testing.T) {
	histories := make(chan string, 1)
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		histories <- told(turn.Session().History())
		_ = turn.Text("no")
		return acp.StopReason(turn.PromptText()), nil
	}), remembering(), `{}`)
	session := p.newSession()
	for _, step := range []struct{ prompt, before string }{
		{"end_turn", "[end_turn] ;"},
		{"refusal", "[end_turn]no end_turn;[refusal] ;"},
		{"max_tokens", "[end_turn]no end_turn;[max_tokens] ;"},
	} {
		id := p.ask("session/prompt", prompt(session, step.prompt))
		p.says("no")
		p.stopped(id, step.prompt)
		if got := <-histories; got != step.before {
			t.Errorf("got  %s\nwant %s", got, step.before)
		}
	}
}

// S000.5, S003.5: Replay is all that loading takes, and each session has a history of its own.
func TestReplay(t *testing.T) {
	a := &full{
		onLoad: func(ctx context.Context, s *agent.Session) error {
			if s.ID() == "stored" {
				if err := s.Restore([]agent.HistoryTurn{{Prompt: []acp.ContentBlock{acp.Text("old")}, Updates: []acp.SessionUpdate{acp.AgentText("new")}}}); err != nil {
					return err
				}
			}
			return s.Replay(ctx)
		},
		PromptFunc: func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
			_ = turn.Text("you said ")
			return "", turn.Text(turn.PromptText())
		},
	}
	p := start(t, a, remembering(), `{}`)
	session, other := p.newSession(), p.newSession()
	for _, s := range []string{session, other} {
		id := p.ask("session/prompt", prompt(s, s))
		p.says("you said ")
		p.says(s)
		p.stopped(id, "end_turn")
	}
	replayed := func(id, user, text string) {
		t.Helper()
		load := p.ask("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":"/proj","mcpServers":[]}`, id))
		if m := p.update("user_message_chunk"); m.chunk() != user || m.Params.SessionID != id {
			t.Errorf("got %s", m.text)
		}
		p.says(text)
		p.result(load)
	}
	replayed(session, session, "you said "+session)
	replayed(other, other, "you said "+other)
	replayed("stored", "old", "new")
}

// The oldest turns leave a history that has grown too large, but the last one never does.
func TestHistoryIsBounded(t *testing.T) {
	o := remembering()
	o.HistoryBytes = 1000
	conn, p := connect(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		return "", turn.Text(strings.Repeat("x", 400))
	}), o)
	p.call("initialize", `{"protocolVersion":1}`)
	session := p.newSession()
	for range 5 {
		p.ask("session/prompt", prompt(session, "hi"))
		for p.next().Method != "" {
		}
	}
	if n := len(conn.Session(acp.SessionID(session)).History()); n != 1 {
		t.Errorf("%d turns are kept", n)
	}
}

// Without KeepHistory there is none, and asking for it is an error rather than an empty replay.
func TestNoHistoryWithoutTheOption(t *testing.T) {
	conn, p := connect(t, nothing, options())
	p.call("initialize", `{"protocolVersion":1}`)
	s := conn.Session(acp.SessionID(p.newSession()))
	if s.Replay(t.Context()) == nil || s.Restore(nil) == nil || len(s.History()) > 0 {
		t.Error("there is a history")
	}
}
