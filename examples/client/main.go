// Command client is the smallest client: it starts an agent, asks it something and prints the answer. Try it with
//
//	go run ./examples/client "hello" go run ./examples/agent
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: client PROMPT COMMAND [ARGUMENT ...]")
	}
	if err := ask(context.Background(), os.Args[1], os.Args[2], os.Args[3:]...); err != nil {
		log.Fatal(err)
	}
}

func ask(ctx context.Context, prompt, command string, args ...string) error {
	c, err := client.Spawn(ctx, transport.Command{Path: command, Args: args}, handler{}, client.Options{
		Info: acp.Implementation{Name: "ask", Version: "1.0.0"},
	})
	if err != nil {
		return err
	}
	defer c.Close()

	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	session, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: dir})
	if err != nil {
		return err
	}
	result, err := session.Run(ctx, acp.Text(prompt))
	if err != nil {
		return err
	}
	fmt.Printf("\n(%s)\n", result.StopReason)
	return nil
}

// A handler is the two things that every client does.
type handler struct{}

// Update prints what the agent says.
func (handler) Update(_ context.Context, _ *client.Session, u acp.SessionUpdate) {
	if chunk, ok := u.(*acp.AgentMessageChunk); ok {
		if text, ok := chunk.Content.(*acp.TextContent); ok {
			fmt.Print(text.Text)
		}
	}
}

// RequestPermission says no, whatever the agent calls it.
func (handler) RequestPermission(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return client.Select(req.Options, acp.PermissionOptionKindRejectOnce), nil
}
