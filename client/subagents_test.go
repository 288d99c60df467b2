package client

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// S004.11: a subagent's session may be known by what the agent calls it only: its title has the task and the type.
func TestStateSubagentTitles(t *testing.T) {
	for title, want := range map[string][3]string{
		"Read go.mod (@explore subagent)":     {"Read go.mod", "explore", "Read go.mod (@explore subagent)"},
		"A (@b subagent) in (@c subagent)":    {"A (@b subagent) in", "c", "A (@b subagent) in (@c subagent)"},
		"Child session - 2026-01-01T00:00:00": {"", "", "Child session - 2026-01-01T00:00:00"},
		"(@x subagent)":                       {"", "x", "(@x subagent)"},
		"Odd (@two words subagent)":           {"", "", "Odd (@two words subagent)"},
		"Unfinished (@x) subagent)":           {"", "", "Unfinished (@x) subagent)"},
	} {
		s := applied(t, `{"sessionUpdate":"subagent_update","sessionId":"c","title":"`+title+`"}`)
		b := s.Subagents()[0]
		if got := [3]string{b.Description, b.Type, b.Name()}; got != want {
			t.Errorf("%s: got %q, want %q", title, got, want)
		}
	}
	s := applied(t, `{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","rawInput":{"subagent_type":"explore","description":"Look"},"_meta":{"sessionId":"c"}}`)
	if name := s.Subagents()[0].Name(); name != "Look (@explore subagent)" {
		t.Errorf("without a title it is called %q", name)
	}
	child := new(State)
	child.Apply(&acp.SessionInfoUpdate{Title: acp.Some("Its own (@explore subagent)")})
	s.AttachChild("c", child)
	if name := s.SubagentTree()[0].Name(); name != "Its own (@explore subagent)" {
		t.Errorf("with the title of its session it is called %q", name)
	}
}

// S004.11: a word says how far a subagent is, from what its session and its call say.
func TestSubagentStages(t *testing.T) {
	idle := func(reason acp.IdleStopReason) acp.StateUpdate { return &acp.IdleStateUpdate{StopReason: reason} }
	for _, c := range []struct {
		state  acp.StateUpdate
		status acp.ToolCallStatus
		want   SubagentStage
	}{
		{nil, "", SubagentPending},
		{nil, acp.ToolCallStatusPending, SubagentPending},
		{nil, acp.ToolCallStatusInProgress, SubagentWorking},
		{nil, acp.ToolCallStatusCompleted, SubagentCompleted},
		{nil, acp.ToolCallStatusFailed, SubagentFailed},
		{&acp.UnknownStateUpdate{}, acp.ToolCallStatusFailed, SubagentFailed},
		{&acp.OtherStateUpdate{}, "", SubagentWorking},
		{&acp.RunningStateUpdate{}, acp.ToolCallStatusCompleted, SubagentWorking}, // in the background
		{&acp.RequiresActionStateUpdate{}, acp.ToolCallStatusInProgress, SubagentWaiting},
		{idle(acp.IdleStopReasonEndTurn), acp.ToolCallStatusInProgress, SubagentCompleted},
		{idle(acp.IdleStopReasonEndTurn), acp.ToolCallStatusFailed, SubagentFailed},
		{idle(acp.IdleStopReasonError), acp.ToolCallStatusInProgress, SubagentFailed},
		{idle(acp.IdleStopReasonCancelled), acp.ToolCallStatusFailed, SubagentCancelled},
	} {
		if got := (&Subagent{State: c.state, Status: c.status}).Stage(); got != c.want {
			t.Errorf("%T and %q: got %s, want %s", c.state, c.status, got, c.want)
		}
	}
}

// S004.11: a call that goes on with a child session is another subagent with the same session. The session's own subagents
// are below the one that began it, and what it is doing is said of the one that works.
func TestStateSubagentContinues(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"subagent_update","sessionId":"c","state":{"state":"running"}}
{"sessionUpdate":"tool_call","toolCallId":"2","title":"task","status":"in_progress","rawInput":{"subagent_type":"a","session_id":"c"}}
{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","status":"completed","rawInput":{"subagent_type":"a"},"rawOutput":{"metadata":{"sessionId":"c"}}}`)
	child := applied(t, `{"sessionUpdate":"subagent_update","sessionId":"y","title":"Y"}`)
	s.AttachChild("c", child)
	tree := s.SubagentTree()
	same(t, showTree(tree, ""), `
["c","2","a","","in_progress"]
["c","1","a","","completed"]
  ["y","","","Y",""]`)
	if tree[0].Stage() != SubagentWorking || tree[1].Stage() != SubagentCompleted || tree.Session("c") != tree[1] || tree.Session("y") == nil || tree.Session("") != nil {
		t.Errorf("got %s and %s", tree[0].Stage(), tree[1].Stage())
	}
}

// Calls that are said to have started each other are all there, once.
func TestStateSubagentsInACircle(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","rawInput":{"subagent_type":"a"},"_meta":{"claudeCode":{"parentToolUseId":"2"}}}
{"sessionUpdate":"tool_call","toolCallId":"2","title":"task","rawInput":{"subagent_type":"b"},"_meta":{"claudeCode":{"parentToolUseId":"1"}}}
{"sessionUpdate":"tool_call","toolCallId":"3","title":"task","rawInput":{"subagent_type":"c"},"_meta":{"claudeCode":{"parentToolUseId":"2"}}}`)
	same(t, showTree(s.SubagentTree(), ""), `
["","1","a","","pending"]
["","2","b","","pending"]
  ["","3","c","","pending"]`)
}

// S004.11: what is kept of subagents has bounds: those that have ended go first, and the tree never grows beyond them.
func TestStateSubagentsAreBounded(t *testing.T) {
	s := new(State)
	task := func(id string) {
		s.Apply(&acp.ToolCall{ToolCallID: acp.ToolCallID(id), RawInput: acp.Raw(`{"subagent_type":"a"}`), Status: acp.ToolCallStatusInProgress})
	}
	task("works")
	for i := range 3 * maxSubagents {
		task(fmt.Sprint(i))
		s.Apply(&acp.ToolCallUpdate{ToolCallID: acp.ToolCallID(fmt.Sprint(i)), Status: acp.Some(acp.ToolCallStatusCompleted)})
	}
	list := s.Subagents()
	if len(list) != maxSubagents || list[0].Call != "works" || list[len(list)-1].Call != acp.ToolCallID(fmt.Sprint(3*maxSubagents-1)) {
		t.Errorf("%d are left, from %s to %s", len(list), list[0].Call, list[len(list)-1].Call)
	}
	if n := countNodes(s.SubagentTree()); n != maxSubagents {
		t.Errorf("the tree has %d", n)
	}

	summary := strings.TrimSuffix(strings.Repeat(`{"id":"x","tool":"read"},`, 5*maxSubagentTools), ",") + `,{"id":"last"}`
	s.Apply(&acp.ToolCallUpdate{ToolCallID: "works", RawInput: acp.Some(acp.Raw(`{"subagent_type":"a","prompt":"` + strings.Repeat("ä", maxSubagentText) + `"}`)),
		RawOutput: acp.Some(acp.Raw(`{"metadata":{"summary":[` + summary + `]}}`))})
	b := s.Subagents()[0]
	if len(b.Tools) != maxSubagentTools || b.Tools[len(b.Tools)-1].ID != "last" || !b.Truncated {
		t.Errorf("%d tools, truncated: %t", len(b.Tools), b.Truncated)
	}
	if b.Prompt != strings.Repeat("ä", maxSubagentText/2) {
		t.Errorf("a task of %d bytes", len(b.Prompt))
	}
}

// A child session without a name is odd, and is shown all the same, and not taken for that of a task whose session is not known.
func TestStateSubagentWithoutAName(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","status":"in_progress","rawInput":{"subagent_type":"a"}}
{"sessionUpdate":"subagent_update","sessionId":"","title":"Odd"}
{"sessionUpdate":"subagent_update","sessionId":"","state":{"state":"running"}}`)
	list := s.Subagents()
	if len(list) != 2 || list[0].Call != "1" || list[0].Title != "" || list[1].Title != "Odd" || list[1].Stage() != SubagentWorking {
		t.Errorf("there are %s", asJSON(list))
	}
	if entry := s.Timeline().At(1); entry != list[1] {
		t.Errorf("the timeline has %v", entry)
	}
}

// When a task goes because there are too many, the child session that it showed is there again by itself.
func TestStateAChildOutlivesItsTask(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","status":"completed","rawInput":{"subagent_type":"a"},"_meta":{"sessionId":"c"}}
{"sessionUpdate":"subagent_update","sessionId":"c","title":"Child","state":{"state":"running"}}`)
	a := &s.subagents
	a.parts[0].shown = &Subagent{Status: acp.ToolCallStatusCompleted} // it is the first to go
	for i := range maxSubagents - 1 {
		s.Apply(&acp.SubagentUpdate{SessionID: acp.SessionID(fmt.Sprint(i)), State: acp.Some[acp.StateUpdate](&acp.RunningStateUpdate{})})
	}
	if a.byCall("1") != nil {
		t.Fatal("the task is still there")
	}
	if b := s.Subagents()[0]; b.SessionID != "c" || b.Title != "Child" || b.Call != "" {
		t.Errorf("first is %+v", b)
	}
}
