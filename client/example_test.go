package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A reader lets the agent do nothing but talk.
type reader struct{}

func (reader) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (reader) RequestPermission(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return client.Select(req.Options, acp.PermissionOptionKindRejectOnce), nil
}

func Example() {
	ctx := context.Background()
	c, err := client.Connect(ctx, parrot(), reader{}, client.Options{Info: acp.Implementation{Name: "example", Version: "1"}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Wait()
	defer c.Close()
	s, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: "/home/me/project"})
	if err != nil {
		log.Fatal(err)
	}
	turn, err := s.Prompt(ctx, acp.Text("hello"))
	if err != nil {
		log.Fatal(err)
	}
	for u := range turn.Updates() {
		if chunk, ok := u.(*acp.AgentMessageChunk); ok {
			fmt.Println(chunk.Content.(*acp.TextContent).Text)
		}
	}
	result, err := turn.Wait()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.StopReason)
	// Output:
	// You said hello.
	// end_turn
}

// parrot is an agent in this process. Package agent builds real ones.
func parrot() jsonrpc.Stream {
	ours, theirs := transport.Pipe()
	jsonrpc.NewConn(theirs, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		switch req.Method {
		case acp.MethodInitialize:
			return &acp.InitializeResponse{ProtocolVersion: acp.Version1}, nil
		case acp.MethodSessionNew:
			return &acp.NewSessionResponse{SessionID: "1"}, nil
		case acp.MethodSessionPrompt:
			var p acp.PromptRequest
			if err := req.Decode(&p); err != nil {
				return nil, err
			}
			said := acp.AgentText("You said " + p.Prompt[0].(*acp.TextContent).Text + ".")
			_ = req.Conn().Notify(ctx, acp.MethodSessionUpdate, &acp.SessionNotification{SessionID: p.SessionID, Update: said})
			return jsontext.Value(`{"stopReason":"end_turn"}`), nil
		}
		return nil, jsonrpc.ErrMethodNotFound
	}), jsonrpc.Options{})
	return ours
}
