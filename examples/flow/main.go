// Command flow plays a whole conversation, agent and client in one process, and prints what crosses the wire: handshake,
// session, prompt, streamed text, a tool call that asks for permission, the end of the turn, and the next prompt.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

func main() {
	if err := play(context.Background(), "Remove the old build", "And now?"); err != nil {
		log.Fatal(err)
	}
}

func play(ctx context.Context, prompts ...string) error {
	here, there := transport.Pipe()
	server, err := agent.Connect(there, agent.PromptFunc(work), agent.Options{Info: acp.Implementation{Name: "worker", Version: "1.0.0"}})
	if err != nil {
		return err
	}
	defer server.Close()
	c, err := client.Connect(ctx, here, user{}, client.Options{
		Info:    acp.Implementation{Name: "flow", Version: "1.0.0"},
		Observe: show,
	})
	if err != nil {
		return err
	}
	defer c.Close()
	session, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: os.TempDir()})
	if err != nil {
		return err
	}
	for _, prompt := range prompts {
		if _, err := session.Run(ctx, acp.Text(prompt)); err != nil {
			return err
		}
	}
	return nil
}

// work is the agent's part.
func work(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	if err := t.Text("I will remove the folder bin."); err != nil {
		return "", err
	}
	call, err := t.ToolCall(acp.ToolCall{Title: "Remove bin", Kind: acp.ToolKindDelete})
	if err != nil {
		return "", err
	}
	allowed, err := call.Allow(ctx)
	if err != nil {
		return "", err
	}
	if !allowed {
		return acp.StopReasonEndTurn, call.Fail("the user does not want it")
	}
	if err := call.Start(); err != nil {
		return "", err
	}
	if err := call.Complete(acp.ToolContent(acp.Text("removed"))); err != nil {
		return "", err
	}
	return acp.StopReasonEndTurn, t.Text("Done.")
}

// A user is the client's part: it agrees to everything, once.
type user struct{}

func (user) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (user) RequestPermission(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
}

// show prints a frame as the client sees it.
func show(frame jsonrpc.Traffic) {
	arrow := "agent  → client"
	if frame.Outgoing {
		arrow = "client → agent "
	}
	fmt.Printf("%s  %s\n", arrow, frame.Data)
}
