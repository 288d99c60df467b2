package client_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
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
	"named": func() { // after its argument
		speak(fmt.Sprintf(`{"protocolVersion":1,"agentInfo":{"name":%q,"version":%q}}`, os.Args[1], os.Getenv("CLIENT_TEST_VERSION")))
	},
	"environment": func() {
		speak(fmt.Sprintf(`{"protocolVersion":1,"agentInfo":{"name":%q,"version":"1"}}`, os.Getenv("OPENAI_API_KEY")+"|"+os.Getenv("CLIENT_TEST_VERSION")))
	},
	"counting": count,
	"mortal":   die,
	"signin":   func() { speak(terminalMethod) },
	"login":    func() { speak(fmt.Sprintf(loginMethod, os.Args[0])) },
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

// loginMethod is how older agents say the same.
const loginMethod = `{"protocolVersion":1,"authMethods":[{"id":"tty","name":"Terminal","_meta":{"terminal-auth":{"command":%q,"args":["login"],"env":{"LOGIN":"yes"},"label":"Login"}}}]}`

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

// count is an agent that counts in each turn, up to what it is told, and notes how far it has come in a file of its process's
// once that has been written: what stands there has left the agent for sure. Killed at any moment, it goes on the next time.
func count() {
	dir := os.Getenv("CLIENT_TEST_DIR")
	note, err := os.Create(filepath.Join(dir, strconv.Itoa(os.Getpid())))
	if err != nil {
		panic(err)
	}
	n := 0
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		result := `{}`
		switch m.Method {
		case acp.MethodInitialize:
			result = resumes
		case acp.MethodSessionNew:
			result = `{"sessionId":"s"}`
		case acp.MethodSessionPrompt:
			var p acp.PromptRequest
			if err := json.Unmarshal(m.Params, &p); err != nil {
				panic(err)
			}
			upTo, _ := strconv.Atoi(p.Prompt[0].(*acp.TextContent).Text)
			for range upTo {
				n++
				fmt.Println(says("s", fmt.Sprintf("%d/%d", os.Getpid(), n)))
				_, _ = note.WriteAt([]byte(strconv.Itoa(n)), 0)
			}
			result = `{"stopReason":"end_turn"}`
		}
		fmt.Println(outcome(m, result))
	}
}

// die is an agent that dies once, at the moment that CLIENT_TEST_DIES names: when it is asked for that, before it answers; or in
// the midst of a turn, with a question open, or right after its answer. What it has started meanwhile holds its output open.
func die() {
	moment := os.Getenv("CLIENT_TEST_DIES")
	marker := filepath.Join(os.Getenv("CLIENT_TEST_DIR"), "dead")
	end := func(now string) {
		if now != moment {
			return
		}
		if f, err := os.OpenFile(marker, os.O_CREATE|os.O_EXCL, 0o600); err == nil {
			_ = f.Close()
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), helperVariable+"=noise")
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			_ = child.Start()
			fmt.Fprintln(os.Stderr, "agent: out of memory")
			os.Exit(7)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		end(m.Method)
		switch m.Method {
		case acp.MethodInitialize:
			fmt.Println(outcome(m, resumes))
		case acp.MethodSessionPrompt:
			fmt.Println(says("s", "word"))
			end("in a turn")
			fmt.Println(asks(1, "session/request_permission", askPermission))
			if moment == "with a question" {
				time.Sleep(50 * time.Millisecond) // so that it has been put
			}
			end("with a question")
			fmt.Println(outcome(m, `{"stopReason":"end_turn"}`))
			end("after its answer")
		case "": // an answer
		default:
			fmt.Println(outcome(m, `{"sessionId":"s"}`))
		}
	}
}
