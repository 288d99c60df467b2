// Command agent is the smallest agent: it repeats what it is told. Try it with
//
//	go run ./cmd/patchbay run "hello" -- go run ./examples/agent
package main

import (
	"context"
	"log"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

func main() {
	info := acp.Implementation{Name: "echo", Version: "1.0.0"}
	if err := agent.Serve(context.Background(), agent.PromptFunc(echo), agent.Options{Info: info}); err != nil {
		log.Fatal(err)
	}
}

func echo(_ context.Context, t *agent.Turn) (acp.StopReason, error) {
	for _, block := range t.Prompt() {
		if err := t.Content(block); err != nil {
			return "", err
		}
	}
	return acp.StopReasonEndTurn, nil
}
