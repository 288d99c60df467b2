package client

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// showTree writes subagents as an indented tree.
func showTree(nodes []*SubagentNode, indent string) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(indent + asJSON([]any{n.SessionID, n.Call, n.Type, n.Title, n.Status}) + "\n")
		b.WriteString(showTree(n.Children, indent+"  "))
	}
	return b.String()
}

// The life of a task as S004.11 shows it: its type comes with the first update, at top level, and the child's session
// with the last.
func TestStateSubagentFromTask(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","kind":"other","status":"pending","rawInput":{}}
{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"in_progress","subagent_type":"general","description":"Read go.mod"}
{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"in_progress"}`)
	a := s.Subagents()
	if len(a) != 1 || a[0].Type != "general" || a[0].Description != "Read go.mod" || a[0].Status != acp.ToolCallStatusInProgress || a[0].SessionID != "" {
		t.Fatalf("while it works: %s", asJSON(a))
	}
	for _, u := range read(t, `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","rawOutput":{"output":"x\n\n<task_metadata>\nsession_id: ses_text\n</task_metadata>","metadata":{"summary":[{"id":"p","tool":"read","state":{"status":"completed","title":"go.mod"}}],"sessionId":"ses_4","model":{"modelID":"big","providerID":"oc"},"truncated":true}}}`) {
		s.Apply(u)
	}
	b := s.Subagents()[0]
	if b.Model != "oc/big" || !b.Truncated || b.Status != acp.ToolCallStatusCompleted || b.Call != "1" {
		t.Errorf("at the end: %s", asJSON(b))
	}
	if len(b.Tools) != 1 || b.Tools[0] != (SubagentTool{"p", "read", "completed", "go.mod"}) {
		t.Errorf("tools: %v", b.Tools)
	}
	if a[0].Status != acp.ToolCallStatusInProgress {
		t.Error("an earlier Subagent has changed")
	}
}

// S004.11: the places in which agents name the child's session.
func TestStateSubagentSession(t *testing.T) {
	const call = `{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","rawInput":{"subagent_type":"explore","prompt":"p","command":"c"`
	for name, c := range map[string]struct{ line, want string }{
		"nowhere":         {call + `}}`, ""},
		"the input":       {call + `,"session_id":"i"}}`, "i"},
		"the metadata":    {call + `,"session_id":"i"},"rawOutput":{"metadata":{"sessionId":"m"}}}`, "m"},
		"beside":          {call + `},"metadata":{"sessionId":"m"}}`, "m"},
		"our _meta":       {call + `},"_meta":{"patchbay.dev/subagent":{"sessionId":"m","parentSessionId":"p"}}}`, "m"},
		"_meta":           {call + `},"_meta":{"sessionId":"m"}}`, "m"},
		"the output":      {call + `,"session_id":"i"},"rawOutput":{"output":"<task_metadata>\nsession_id: o\n</task_metadata>"}}`, "o"},
		"the content":     {call + `},"status":"completed","content":[{"type":"content","content":{"type":"text","text":"a <task_metadata>session_id: t</task_metadata>"}}]}`, "t"},
		"work so far":     {call + `},"content":[{"type":"content","content":{"type":"text","text":"a <task_metadata>session_id: t</task_metadata>"}}]}`, ""},
		"a quotation":     {call + `},"rawOutput":{"output":"<task_metadata>\nsession_id: q\n</task_metadata>\n<task_metadata>\nsession_id: o\n</task_metadata>"}}`, "o"},
		"both":            {call + `},"rawOutput":{"output":"<task_metadata>\nsession_id: o\n</task_metadata>","metadata":{"sessionId":"m"}}}`, "m"},
		"an empty output": {call + `},"rawOutput":{"output":"<task_metadata>\nsession_id:"}}`, ""},
		"an odd output":   {call + `},"rawOutput":[1]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := applied(t, c.line).Subagents()[0]
			if string(b.SessionID) != c.want || b.Prompt != "p" || b.Command != "c" {
				t.Errorf("got %s, want session %q", asJSON(b), c.want)
			}
		})
	}
}

func TestStateOrdinaryCallIsNoSubagent(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"grep","rawInput":{"pattern":"subagent_type"}}
{"sessionUpdate":"tool_call","toolCallId":"2","title":"task","rawInput":["subagent_type"]}
{"sessionUpdate":"tool_call","toolCallId":"3","title":"task","rawInput":{"subagent_type":""}}`)
	if a := s.Subagents(); len(a) != 0 {
		t.Errorf("found %s", asJSON(a))
	}
}

// What a tool call and the protocol's own updates say of the same child is one subagent, whichever comes first.
func TestStateSubagentsMerge(t *testing.T) {
	const (
		task   = `{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","rawInput":{"subagent_type":"explore","description":"d"}}` + "\n"
		update = `{"sessionUpdate":"subagent_update","sessionId":"c","title":"T","state":{"state":"running"}}` + "\n"
		end    = `{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","rawOutput":{"metadata":{"sessionId":"c"}}}` + "\n"
		idle   = `{"sessionUpdate":"subagent_update","sessionId":"c","state":{"state":"idle","stopReason":"end_turn"}}`
	)
	for name, lines := range map[string]string{"task first": task + update + end + idle, "update first": update + task + end + idle, "update last": task + end + update + idle} {
		t.Run(name, func(t *testing.T) {
			s := applied(t, lines)
			same(t, showTree(s.SubagentTree(), ""), `["c","1","explore","T","completed"]`)
			if b := s.Subagents()[0]; asJSON(b.State) != `{"state":"idle","stopReason":"end_turn"}` || b.Description != "d" {
				t.Errorf("got %s", asJSON(b))
			}
			for _, e := range s.Timeline().All() {
				if b, ok := e.(*Subagent); ok && b != s.Subagents()[0] {
					t.Errorf("the timeline has %s", asJSON(b))
				}
			}
		})
	}
}

// S004.11, S004.13: subagents nest, by parent calls within a session and by child sessions.
func TestStateSubagentTree(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"task","rawInput":{"subagent_type":"a"}}
{"sessionUpdate":"tool_call","toolCallId":"2","title":"task","rawInput":{"subagent_type":"b"},"_meta":{"claudeCode":{"parentToolUseId":"1"}}}
{"sessionUpdate":"tool_call","toolCallId":"3","title":"task","rawInput":{"subagent_type":"c"},"_meta":{"claudeCode":{"parentToolUseId":"2"}}}
{"sessionUpdate":"tool_call","toolCallId":"4","title":"task","rawInput":{"subagent_type":"d"},"_meta":{"claudeCode":{"parentToolUseId":"4"}}}
{"sessionUpdate":"tool_call","toolCallId":"5","title":"task","rawInput":{"subagent_type":"e"},"_meta":{"claudeCode":{"parentToolUseId":"no subagent"}}}
{"sessionUpdate":"subagent_update","sessionId":"x","title":"X"}`)
	child := applied(t, `{"sessionUpdate":"subagent_update","sessionId":"y","title":"Y"}`)
	s.AttachChild("x", child)
	child.AttachChild("y", s) // nonsense must not hang us
	same(t, showTree(s.SubagentTree(), ""), `
["","1","a","","pending"]
  ["","2","b","","pending"]
    ["","3","c","","pending"]
["","4","d","","pending"]
["","5","e","","pending"]
["x","","","X",""]
  ["y","","","Y",""]`)
}

func TestStateSubagentPatch(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"subagent_update","sessionId":"c","description":"d","capabilities":{"cancel":{}},"additionalDirectories":["/a"],"_meta":{"m":1},"odd":1}
{"sessionUpdate":"subagent_update","sessionId":"c","state":{"state":"unknown"}}`)
	b := s.Subagents()[0]
	if b.Capabilities == nil || b.Capabilities.Cancel == nil || len(b.AdditionalDirectories) != 1 || b.Meta == nil || b.Unknown == nil {
		t.Errorf("got %s", asJSON(b))
	}
	if b.Unconfirmed || asJSON(b.State) != `{"state":"unknown"}` {
		t.Errorf("no state was known before: %s", asJSON(b))
	}
	s.Apply(&acp.SubagentUpdate{SessionID: "c", Description: acp.Null[string](), Capabilities: acp.Null[acp.SubagentSessionCapabilities](), State: acp.Null[acp.StateUpdate]()})
	if b := s.Subagents()[0]; b.Capabilities != nil || b.Description != "" || b.State != nil || len(b.AdditionalDirectories) != 1 {
		t.Errorf("null did not clear: %s", asJSON(b))
	}
}
