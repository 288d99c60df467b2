package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// An agent that ends is started again, and its sessions go on. What to tell the user is for the caller to say.
func ExampleSupervise() {
	ctx := context.Background()
	again := make(chan struct{})
	house := newHouse(resumes)
	supervisor, err := client.Supervise(ctx, client.LaunchStream(house.dial), reader{}, client.SupervisorOptions{
		Client:  client.Options{Info: acp.Implementation{Name: "example", Version: "1"}, Logger: slog.New(slog.DiscardHandler)},
		Restart: client.Retry{First: 10 * time.Millisecond},
		Event: func(e client.SupervisorEvent) {
			switch e := e.(type) {
			case *client.AgentCrashed:
				fmt.Println("the agent has ended")
			case *client.SessionResumed:
				fmt.Println("session", e.Session.ID(), "goes on")
				close(again)
			case *client.SessionReplaced:
				fmt.Println("session", e.Old, "is lost, and a new one has taken its place")
			case *client.SupervisorGaveUp:
				fmt.Println(e.Err)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer supervisor.Wait()
	defer supervisor.Close()
	session, err := supervisor.NewSession(ctx, acp.NewSessionRequest{CWD: "/home/me/project"})
	if err != nil {
		log.Fatal(err)
	}
	house.crash()
	<-again
	result, err := session.Run(ctx, acp.Text("go on"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.StopReason)
	// Output:
	// the agent has ended
	// session s1 goes on
	// end_turn
}

// What passes by itself is tried again, and everything else is an error at once.
func ExampleRetry() {
	retry := client.Retry{
		First:   time.Millisecond, // default 1 s
		Waiting: func(attempt int, err error, pause time.Duration) { fmt.Println("try", attempt, "failed:", err) },
	}
	tries := 0
	err := retry.Do(context.Background(), func(context.Context) error {
		if tries++; tries == 1 { // as an agent says that its provider is busy
			return &acp.Error{Code: acp.CodeInternalError, Message: "too many requests", Data: acp.Raw(`{"retryable":true}`)}
		}
		return acp.ErrInvalidParams("no such model")
	})
	fmt.Println("try", tries, "failed:", err)
	// Output:
	// try 1 failed: too many requests (code -32603, data {"retryable":true})
	// try 2 failed: no such model (code -32602)
}

// What to do about an error does not depend on which call it came from.
func ExampleRecoveryOf() {
	for _, err := range []error{
		acp.ErrSessionNotFound("s1"),
		acp.ErrAuthRequired(),
		&jsonrpc.ClosedError{Cause: errors.New("the process was killed")},
		client.ErrTurnRunning,
	} {
		fmt.Printf("%s: %s\n", client.RecoveryOf(err).Action, err)
	}
	fmt.Println(client.CodesS000.RecoveryOf(acp.ErrAuthRequired()).Action, "for a peer to which -32000 is a closed connection")
	// Output:
	// new session: session not found: s1 (code -32002, data {"sessionId":"s1"})
	// sign in: authentication required (code -32000)
	// reconnect: connection closed: the process was killed
	// back off: a turn is running in this session
	// reconnect for a peer to which -32000 is a closed connection
}
