package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// S000.15, S003.2: chunks of a message share an id, thoughts have their own, and the next message has another.
func TestMessageIDsAreStable(t *testing.T) {
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		_ = turn.Text("a")
		_ = turn.Thought("b")
		_ = turn.Content(acp.Link("main.go", "file:///main.go"))
		_ = turn.Thought("c")
		turn.NewMessage()
		_ = turn.Text("d")
		_, _ = turn.ToolCall(acp.ToolCall{Title: "x", Status: acp.ToolCallStatusCompleted})
		_, err := fmt.Fprintf(turn, "%s", "e")
		return "", err
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	messageID := func(kind string) any { return p.update(kind).Params.Update["messageId"] }
	a, b := messageID("agent_message_chunk"), messageID("agent_thought_chunk")
	if link, c := messageID("agent_message_chunk"), messageID("agent_thought_chunk"); a != link || b != c || a == b || a == nil || b == nil {
		t.Errorf("ids are %v %v, then %v %v", a, b, link, c)
	}
	d := messageID("agent_message_chunk")
	p.update("tool_call")
	if e := messageID("agent_message_chunk"); a == d || d == e || e == a {
		t.Errorf("ids of three messages are %v, %v and %v", a, d, e)
	}
	p.stopped(id, "end_turn")
}

// S002.12, S000.15: every update that there is can be sent, in a turn and between two.
func TestEveryUpdateIsSent(t *testing.T) {
	updates := []string{
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"AQ==","mimeType":"image/png"}}`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"completed"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"t2"}`,
		`{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}`,
		`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}`,
		`{"sessionUpdate":"plan_removed","planId":"p"}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[]}`,
		`{"sessionUpdate":"current_mode_update","currentModeId":"m"}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"id":"o","name":"O","type":"boolean","currentValue":true}]}`,
		`{"sessionUpdate":"session_info_update","title":null}`,
		`{"sessionUpdate":"usage_update","used":1,"size":2}`,
		`{"sessionUpdate":"notice","severity":"info","title":"x"}`,
		`{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}`,
		`{"sessionUpdate":"compaction_summary_chunk","compactionId":"k","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"subagent_update","sessionId":"s2","title":"x"}`,
		`{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"s2"}`,
		`{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}`,
		`{"sessionUpdate":"of_the_future","x":1}`,
	}
	parse := func(text string) acp.SessionUpdate {
		var n acp.SessionNotification
		if err := json.Unmarshal([]byte(`{"sessionId":"s","update":`+text+`}`), &n); err != nil {
			t.Error(err)
		}
		return n.Update
	}
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		for _, text := range updates {
			if err := turn.Update(parse(text)); err != nil {
				return "", err
			}
			if err := turn.Session().Update(ctx, parse(text)); err != nil {
				return "", err
			}
		}
		return "", nil
	}), options(), everything)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	for _, want := range updates {
		for range 2 {
			var expected map[string]any
			_ = json.Unmarshal([]byte(want), &expected)
			if m := p.next(); fmt.Sprint(m.Params.Update) != fmt.Sprint(expected) {
				t.Errorf("got  %s\nwant %s", m.text, want)
			}
		}
	}
	p.stopped(id, "end_turn")
}

// The helpers of Turn and Session send what their names say.
func TestHelpersSendWhatTheySay(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		s := turn.Session()
		steps := []func() error{
			func() error { return turn.Plan(acp.PlanEntry{Content: "look"}) },
			func() error { return turn.Commands() },
			func() error { return turn.Mode("code") },
			func() error { return turn.ConfigOptions() },
			func() error { return turn.Title("A title") },
			func() error { return turn.Usage(acp.UsageUpdate{Used: 1, Size: 2}) },
			func() error { return turn.Notice(acp.Notice{Title: "n"}) },
			func() error { return turn.Compaction(acp.CompactionUpdate{CompactionID: "k", Status: "in_progress"}) },
			func() error { return turn.CompactionSummary("k", acp.Text("short")) },
			func() error { return turn.Subagent(acp.SubagentUpdate{SessionID: "child"}) },
			func() error { return s.Plan(ctx) },
			func() error { return s.Mode(ctx, "code") },
			func() error { return s.ConfigOptions(ctx) },
			func() error { return s.Title(ctx, "A title") },
			func() error { return s.Usage(ctx, acp.UsageUpdate{}) },
			func() error { return s.Notice(ctx, acp.Notice{Title: "n"}) },
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return "", err
			}
		}
		return "", nil
	}), options(), everything)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	for _, want := range []struct{ kind, part string }{
		{"plan", "look"}, {"available_commands_update", `"availableCommands":[]`}, {"current_mode_update", "code"},
		{"config_option_update", `"configOptions":[]`}, {"session_info_update", "A title"}, {"usage_update", `"used":1`},
		{"notice", `"n"`}, {"compaction_update", `"k"`}, {"compaction_summary_chunk", "short"}, {"subagent_update", "child"},
		{"plan", `"entries":[]`}, {"current_mode_update", "code"}, {"config_option_update", "[]"},
		{"session_info_update", "A title"}, {"usage_update", `"used":0`}, {"notice", `"n"`},
	} {
		if m := p.update(want.kind); !strings.Contains(m.text, want.part) {
			t.Errorf("got %s, want it to have %s", m.text, want.part)
		}
	}
	p.stopped(id, "end_turn")
}
