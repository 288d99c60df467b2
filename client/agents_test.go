package client_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// agents are what the test binary can play as a subprocess.
var agents = map[string]func(){
	"chatty": func() {
		fmt.Println("Loaded cached credentials.") // F2
		speak(noCapabilities)
	},
	"signin": func() { speak(terminalMethod) },
	"noise": func() {
		fmt.Println("Usage: agent [options]")
		fmt.Fprintln(os.Stderr, "agent: missing option --acp")
		select {}
	},
	"crash": func() {
		fmt.Fprintln(os.Stderr, "agent: no such model")
		os.Exit(3)
	},
}

const terminalMethod = `{"protocolVersion":1,"authMethods":[{"id":"tty","name":"Terminal","type":"terminal","args":["login"],"env":{"LOGIN":"yes"}}]}`

// spawnable is the command of one of the agents.
func spawnable(t testing.TB, name string) transport.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return transport.Command{Path: self, Env: append(os.Environ(), helperVariable+"="+name)}
}

// speak is an agent that says something every millisecond, for as long as the turn is not cancelled. When the program
// is started to sign in, it only keeps that in mind.
func speak(initialize string) {
	marker := os.Getenv("CLIENT_TEST_MARKER")
	if len(os.Args) > 1 && os.Args[1] == "login" {
		if os.Getenv("LOGIN") != "yes" || os.WriteFile(marker, nil, 0o600) != nil {
			os.Exit(1)
		}
		return
	}
	stream, err := transport.Stdio()
	if err != nil {
		panic(err)
	}
	cancelled := make(chan struct{}, 1)
	conn := jsonrpc.NewConn(stream, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		switch req.Method {
		case acp.MethodInitialize:
			return jsontext.Value(initialize), nil
		case acp.MethodSessionNew:
			if _, err := os.Stat(marker); marker != "" && err != nil {
				return nil, acp.ErrAuthRequired()
			}
			return jsontext.Value(`{"sessionId":"s"}`), nil
		case acp.MethodSessionPrompt:
			for {
				note := acp.SessionNotification{SessionID: "s", Update: acp.AgentText("word ")}
				if err := req.Conn().Notify(ctx, acp.MethodSessionUpdate, note); err != nil {
					return nil, err
				}
				select {
				case <-cancelled:
					return jsontext.Value(`{"stopReason":"cancelled"}`), nil
				case <-time.After(time.Millisecond):
				}
			}
		case acp.MethodSessionCancel:
			cancelled <- struct{}{}
		}
		return nil, jsonrpc.ErrMethodNotFound
	}), jsonrpc.Options{})
	_ = conn.Wait()
}
