package client_test

import (
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A task that one agent describes in its tool call, another one in updates of its own: both end up in one tree.
func ExampleSubagents() {
	var s client.State // or what Session.State returns
	s.Apply(&acp.ToolCall{ToolCallID: "1", Title: "task", RawInput: acp.Raw(`{"subagent_type":"explore","description":"Read go.mod"}`)})
	s.Apply(&acp.ToolCallUpdate{ToolCallID: "1", Status: acp.Some(acp.ToolCallStatusCompleted), RawOutput: acp.Some(acp.Raw(`{
		"output": "example.com/m\n<task_metadata>\nsession_id: ses_1\n</task_metadata>",
		"metadata": {"sessionId": "ses_1", "summary": [{"id": "p1", "tool": "read", "state": {"status": "completed", "title": "go.mod"}}]}
	}`))})
	s.Apply(&acp.SubagentUpdate{SessionID: "ses_2", Title: acp.Some("Judge it (@reviewer subagent)"), State: acp.Some[acp.StateUpdate](&acp.RunningStateUpdate{})})

	for depth, b := range s.SubagentTree().All() {
		fmt.Printf("%s%s, session %s: %s, %d tools\n", strings.Repeat("  ", depth), b.Name(), b.SessionID, b.Stage(), len(b.Tools))
	}
	// Output:
	// Read go.mod (@explore subagent), session ses_1: completed, 1 tools
	// Judge it (@reviewer subagent), session ses_2: in_progress, 0 tools
}
