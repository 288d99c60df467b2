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

// A client that advertises nothing gets what it understands in the place of each update that it does not.
func TestFallbacks(t *testing.T) {
	entry := acp.PlanEntry{Content: "look", Priority: acp.PlanEntryPriorityLow, Status: acp.PlanEntryStatusPending}
	boolean := []acp.SessionConfigOption{{ID: "brave", Name: "Brave", Value: &acp.SessionConfigBoolean{CurrentValue: true}}}
	tests := []struct {
		name    string
		updates []acp.SessionUpdate
		want    []string // kind and a part of each update
	}{
		{
			"notice",
			[]acp.SessionUpdate{&acp.Notice{Severity: acp.NoticeSeverityWarning, Title: "MCP is gone", Description: "Going on."}},
			[]string{`agent_message_chunk "text":"Warning: MCP is gone\n\nGoing on.\n\n"`},
		},
		{
			"compaction",
			[]acp.SessionUpdate{
				&acp.CompactionUpdate{CompactionID: "k", Status: acp.CompactionStatusInProgress},
				&acp.CompactionSummaryChunk{CompactionID: "k", Content: acp.Text("secret")},
				&acp.CompactionUpdate{CompactionID: "k", Status: acp.CompactionStatusInProgress},
				&acp.CompactionUpdate{CompactionID: "k", Status: acp.CompactionStatusCompleted},
				&acp.CompactionUpdate{CompactionID: "l", Status: acp.CompactionStatusFailed, Error: acp.Some("too long")},
			},
			[]string{"agent_message_chunk Compacting", "agent_message_chunk has been compacted", "agent_message_chunk has failed: too long"},
		},
		{
			"plans", // one must fall back to the plan update, as the specification has it
			[]acp.SessionUpdate{
				&acp.PlanUpdate{Plan: &acp.PlanItems{PlanID: "a", Entries: []acp.PlanEntry{entry}}},
				&acp.PlanUpdate{Plan: &acp.PlanMarkdown{PlanID: "b", Content: "# Plan"}},
				&acp.PlanRemoved{PlanID: "a"},
				&acp.PlanUpdate{Plan: &acp.PlanFile{PlanID: "b", URI: "file:///plan.md"}},
				&acp.PlanRemoved{PlanID: "b"},
			},
			[]string{`plan "content":"look"`, `plan # Plan`, `plan file:///plan.md`, `plan "entries":[]`},
		},
		{
			"subagents",
			[]acp.SessionUpdate{
				&acp.SubagentUpdate{SessionID: "s2", Title: acp.Some("Explore"), Description: acp.Some("look around")},
				&acp.SubagentUpdate{SessionID: "s2", State: acp.Some[acp.StateUpdate](&acp.RunningStateUpdate{})},
				&acp.SessionMessage{MessageID: "m"},
				&acp.SessionMessageChunk{MessageID: "m", Content: acp.Text("hi")},
				&acp.SubagentUpdate{SessionID: "s2", State: acp.Some[acp.StateUpdate](&acp.IdleStateUpdate{})},
				&acp.SubagentUpdate{SessionID: "s2", Title: acp.Some("Explore more"), State: acp.Some[acp.StateUpdate](&acp.RunningStateUpdate{})},
				&acp.SubagentUpdate{SessionID: "s2", State: acp.Some[acp.StateUpdate](&acp.IdleStateUpdate{
					StopReason: acp.IdleStopReasonError, Error: acp.ErrInternal("lost"),
				})},
			},
			[]string{
				`tool_call "title":"Explore"`, `tool_call_update "status":"in_progress"`, `tool_call_update "status":"completed"`,
				`tool_call "title":"Explore more"`, `tool_call_update "status":"failed"`,
			},
		},
		{
			"boolean options",
			[]acp.SessionUpdate{&acp.ConfigOptionUpdate{ConfigOptions: boolean}},
			[]string{`config_option_update "type":"select","currentValue":"on","options":[{"value":"on","name":"On"},{"value":"off","name":"Off"}]`},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
				for _, u := range test.updates {
					if err := turn.Update(u); err != nil {
						return "", err
					}
				}
				return "", nil
			}), options(), `{}`)
			id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
			for _, want := range test.want {
				kind, part, _ := strings.Cut(want, " ")
				if m := p.update(kind); !strings.Contains(m.text, part) {
					t.Errorf("got %s\nwant %s in it", m.text, part)
				}
			}
			p.stopped(id, "end_turn")
		})
	}
}

// What is said in the place of a notice is a paragraph of its own, wherever it comes in the answer: many clients run together
// all that is said in a turn.
func TestANoticeIsAParagraph(t *testing.T) {
	notice := acp.Notice{Severity: acp.NoticeSeverityWarning, Title: "Slow"}
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		return "", errors.Join(turn.Notice(notice), turn.Text("one "), turn.Notice(notice), turn.Text("two"))
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	var said string
	for range 4 {
		said += p.update("agent_message_chunk").Params.Update["content"].(map[string]any)["text"].(string)
	}
	if want := "Warning: Slow\n\none \n\nWarning: Slow\n\ntwo"; said != want {
		t.Errorf("got %q, want %q", said, want)
	}
	p.stopped(id, "end_turn")
}

// T2: a child session that works on when the turn ends is a tool call that completes with it, since it has started.
func TestASubagentInTheBackgroundCompletesItsCall(t *testing.T) {
	p := start(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		running := acp.Some[acp.StateUpdate](&acp.RunningStateUpdate{})
		return "", turn.Subagent(acp.SubagentUpdate{SessionID: "s2", State: running})
	}), options(), `{}`)
	id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
	p.update("tool_call")
	if m := p.update("tool_call_update"); m.Params.Update["status"] != "completed" {
		t.Errorf("got %s", m.text)
	}
	p.stopped(id, "end_turn")
}

// A client without boolean options sees selects in every answer, and what it sets arrives as a boolean.
func TestBooleanOptionsFallBackInAnswers(t *testing.T) {
	a := &full{onNew: func(context.Context, *agent.Session) (*acp.NewSessionResponse, error) {
		return &acp.NewSessionResponse{ConfigOptions: []acp.SessionConfigOption{{ID: "brave", Name: "Brave", Value: &acp.SessionConfigBoolean{}}}}, nil
	}}
	for _, test := range []struct{ capabilities, kind, value, current string }{
		{`{}`, "select", `"on"`, "on"},
		{everything, "boolean", `true,"type":"boolean"`, "true"},
	} {
		p := start(t, a, options(), test.capabilities)
		result := p.result(p.ask("session/new", `{"cwd":"/proj"}`))
		if got := fmt.Sprint(result["configOptions"]); !strings.Contains(got, "type:"+test.kind) {
			t.Errorf("got %s, want a %s", got, test.kind)
		}
		set := p.ask("session/set_config_option", fmt.Sprintf(`{"sessionId":%q,"configId":"brave","value":%s}`, result["sessionId"], test.value))
		if got := fmt.Sprint(p.result(set)["configOptions"]); !strings.Contains(got, "currentValue:"+test.current) || !strings.Contains(got, "type:"+test.kind) {
			t.Errorf("got %s, want the %s to be %s", got, test.kind, test.current)
		}
	}
}
