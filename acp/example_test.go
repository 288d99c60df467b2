package acp_test

import (
	"encoding/json"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// A client reads an update and acts on its kind.
func Example() {
	params := []byte(`{"sessionId":"s-1","update":{
		"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello!"}}}`)

	var n acp.SessionNotification
	if err := json.Unmarshal(params, &n); err != nil {
		fmt.Println(err)
		return
	}
	switch u := n.Update.(type) {
	case *acp.AgentMessageChunk:
		if text, ok := u.Content.(*acp.TextContent); ok {
			fmt.Println("agent:", text.Text)
		}
	case *acp.ToolCall:
		fmt.Println("tool:", u.Title)
	case *acp.UnknownUpdate:
		fmt.Println("something new:", u.Type)
	}
	// Output: agent: Hello!
}

// A client builds a prompt. Text and links are part of every prompt; other blocks need a capability of the agent's.
func ExamplePromptRequest() {
	can := acp.PromptCapabilities{EmbeddedContext: true} // from the agent's InitializeResponse

	prompt := []acp.ContentBlock{acp.Text("What does this file do?")}
	file := acp.TextResource("file:///home/me/main.go", "text/x-go", "package main\n")
	if can.Allow(file) {
		prompt = append(prompt, file)
	} else {
		prompt = append(prompt, acp.Link("main.go", "file:///home/me/main.go"))
	}

	text, err := json.MarshalIndent(acp.PromptRequest{SessionID: "s-1", Prompt: prompt}, "", "  ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))
	// Output:
	// {
	//   "sessionId": "s-1",
	//   "prompt": [
	//     {
	//       "type": "text",
	//       "text": "What does this file do?"
	//     },
	//     {
	//       "type": "resource",
	//       "resource": {
	//         "uri": "file:///home/me/main.go",
	//         "text": "package main\n",
	//         "mimeType": "text/x-go"
	//       }
	//     }
	//   ]
	// }
}

// An agent says that a tool call has succeeded and what it has changed. What it does not mention stays as it was.
func ExampleToolCallUpdate() {
	update := acp.SessionNotification{SessionID: "s-1", Update: &acp.ToolCallUpdate{
		ToolCallID: "call-7",
		Status:     acp.Some(acp.ToolCallStatusCompleted),
		Content: acp.Some([]acp.ToolCallContent{
			acp.DiffContent("/home/me/VERSION", new("1.0\n"), "1.1\n"),
		}),
	}}
	text, err := json.MarshalIndent(update, "", "  ")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(text))
	// Output:
	// {
	//   "sessionId": "s-1",
	//   "update": {
	//     "sessionUpdate": "tool_call_update",
	//     "toolCallId": "call-7",
	//     "status": "completed",
	//     "content": [
	//       {
	//         "type": "diff",
	//         "path": "/home/me/VERSION",
	//         "oldText": "1.0\n",
	//         "newText": "1.1\n"
	//       }
	//     ]
	//   }
	// }
}

// Decode also says what had to be left out.
func ExampleDecode() {
	var call acp.ToolCall
	problems, err := acp.Decode([]byte(`{"toolCallId":"1","title":"Searching","locations":[{"path":"/a"},{"line":3}]}`), &call)
	fmt.Println(call.Title, len(call.Locations), err)
	for _, p := range problems {
		fmt.Println(p.Path)
	}
	// Output:
	// Searching 1 <nil>
	// /locations/1
}

// The table of methods answers what a peer may be asked.
func ExampleMethod_Advertised() {
	agent := &acp.AgentCapabilities{LoadSession: true}
	for _, name := range []string{acp.MethodSessionPrompt, acp.MethodSessionLoad, acp.MethodSessionList} {
		m := acp.RequestMethod(acp.ToAgent, name)
		if m.Advertised(agent, nil) {
			fmt.Println(name)
		} else {
			fmt.Println(name, "needs", m.Gate.Path)
		}
	}
	// Output:
	// session/prompt
	// session/load
	// session/list needs agentCapabilities.sessionCapabilities.list
}
