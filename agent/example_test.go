package agent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// An agent that takes images, streams text and shows a tool call: information, an option and a prompt handler.
func Example() {
	err := agent.Serve(context.Background(), agent.PromptFunc(handlePrompt), agent.Options{
		Info:   acp.Implementation{Name: "my-coding-agent", Version: "1.0.0"},
		Prompt: acp.PromptCapabilities{Image: true},
	})
	if err != nil {
		log.Fatal(err)
	}
}

func handlePrompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	if err := t.Text("Processing your request...\n"); err != nil {
		return "", err
	}
	call, err := t.ToolCall(acp.ToolCall{
		Title: "Read file.go", Name: "read_file", Kind: acp.ToolKindRead,
		Status:    acp.ToolCallStatusInProgress,
		Locations: []acp.ToolCallLocation{{Path: "file.go"}},
	})
	if err != nil {
		return "", err
	}
	// ... execute the tool ...
	if err := call.Complete(acp.ToolContent(acp.Text("file contents..."))); err != nil {
		return "", err
	}
	return acp.StopReasonEndTurn, t.Text("I've read the file and...")
}

// An agent in the client's own process, on a pipe in memory.
func ExampleConnect() {
	ours, theirs := transport.Pipe()
	conn, err := agent.Connect(ours, agent.PromptFunc(handlePrompt), agent.Options{
		Info: acp.Implementation{Name: "my-coding-agent", Version: "1.0.0"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = conn.Wait() }()

	client := jsonrpc.NewConn(theirs, nil, jsonrpc.Options{})
	defer client.Close()
	var answer acp.InitializeResponse
	err = client.Call(context.Background(), acp.MethodInitialize, &acp.InitializeRequest{ProtocolVersion: acp.Version1}, &answer)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.AgentInfo.Name, answer.AgentInfo.Version)
	// Output: my-coding-agent 1.0.0
}

// Commands are advertised when the session opens, and dispatched where the prompt is handled.
func ExampleTurn_Command() {
	_ = agent.PromptFunc(func(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
		switch name, input, ok := t.Command(); {
		case !ok:
			return "", t.Text("No command.")
		case name == "search":
			return "", t.Textf("Searching for %s…", input)
		default:
			return "", acp.ErrInvalidParams("there is no command /%s", name)
		}
	})
}

// A part of the work is done by a child session. A client that understands no such thing sees the call and nothing else.
func ExampleSession_Run() {
	_ = agent.PromptFunc(func(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
		call, err := t.ToolCall(acp.ToolCall{Title: "Look around"})
		if err != nil {
			return "", err
		}
		var found string
		child := t.NewChild(agent.Child{Title: "Scout", Call: call})
		stop, err := child.Run(ctx, []acp.ContentBlock{acp.Text("Where is it?")}, func(_ context.Context, t *agent.Turn) (acp.StopReason, error) {
			found = "In the attic."
			return acp.StopReasonEndTurn, t.Text(found)
		})
		if err != nil || stop != acp.StopReasonEndTurn {
			return "", call.Fail("The scout is lost.")
		}
		return acp.StopReasonEndTurn, call.Complete(acp.ToolContent(acp.Text(found)))
	})
}
