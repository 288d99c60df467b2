package client_test

import (
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

func ExampleState() {
	var s client.State // or what Session.State returns
	s.UserPrompt(acp.Text("Tidy up"))
	s.Apply(acp.AgentText("I will "))
	s.Apply(acp.AgentText("look around."))
	s.Apply(&acp.ToolCall{ToolCallID: "1", Title: "List files", Kind: acp.ToolKindRead})
	s.Apply(&acp.ToolCallUpdate{ToolCallID: "1", Status: acp.Some(acp.ToolCallStatusCompleted)})

	for entry := range s.Timeline().Values() {
		switch e := entry.(type) {
		case *client.Message:
			fmt.Printf("%s: %s\n", e.Role, e.Text())
		case *client.ToolCall:
			fmt.Printf("[%s: %s]\n", e.Title, e.Status)
		}
	}
	// Output:
	// user: Tidy up
	// agent: I will look around.
	// [List files: completed]
}
