// Command server is an agent that streams text and shows the work of a tool: reading a file that the prompt names.
package main

import (
	"context"
	"log"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

func main() {
	err := agent.Serve(context.Background(), agent.PromptFunc(handlePrompt), agent.Options{
		Info:   acp.Implementation{Name: "my-coding-agent", Version: "1.0.0"},
		Prompt: acp.PromptCapabilities{Image: true},
	})
	if err != nil {
		log.Fatal(err)
	}
}

func handlePrompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	path := t.PromptText()
	t.Text("Processing your request...\n")
	call, err := t.ToolCall(acp.ToolCall{
		Title:     "Reading " + path,
		Name:      "read_file",
		Kind:      acp.ToolKindRead,
		Status:    acp.ToolCallStatusInProgress,
		Locations: []acp.ToolCallLocation{{Path: path}},
	})
	if err != nil {
		return "", err
	}
	text, err := t.ReadTextFile(ctx, path, 0, 0)
	if err != nil {
		call.Fail(err)
		return acp.StopReasonEndTurn, t.Text("I could not read it: " + err.Error())
	}
	call.Complete(acp.ToolContent(acp.Text(text)))
	return acp.StopReasonEndTurn, t.Text("I've read the file.")
}
