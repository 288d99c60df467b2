package interop_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/transport"
)

// mcpVariable makes the test binary an MCP server on the Go SDK, of the kind that it says.
const mcpVariable = "INTEROP_TEST_MCP"

// serveMCP is the test binary as an MCP server, and returns its exit code.
func serveMCP(kind string) int {
	if kind == "mute" { // it never says that it is there
		var line string
		for {
			if _, err := fmt.Scanln(&line); err != nil {
				return 0
			}
		}
	}
	fmt.Println("Welcome! This line is no message.")
	s := goServer(func() { os.Exit(3) })
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

type goInput struct {
	Text string `json:"text,omitempty"`
}

// dot is a PNG of one pixel.
var dot, _ = base64.StdEncoding.DecodeString(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

// goServer is a server on the Go SDK, which dies in its own way.
func goServer(die func()) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "go", Version: "1"}, nil)
	goTool(s, "echo", func(_ context.Context, _ *sdk.CallToolRequest, in goInput) ([]sdk.Content, error) {
		return said("echo: " + in.Text), nil
	})
	goTool(s, "picture", func(context.Context, *sdk.CallToolRequest, goInput) ([]sdk.Content, error) {
		return append(said("a dot"), &sdk.ImageContent{Data: dot, MIMEType: "image/png"}), nil
	})
	goTool(s, "slow", func(ctx context.Context, r *sdk.CallToolRequest, _ goInput) ([]sdk.Content, error) {
		for i := range 3 {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: 3, Message: "on my way",
			})
			time.Sleep(100 * time.Millisecond) // which is what makes it slow
		}
		return said("at last"), nil
	})
	goTool(s, "die", func(ctx context.Context, _ *sdk.CallToolRequest, _ goInput) ([]sdk.Content, error) {
		die()
		select { // until nobody can hear it any more
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		return nil, errors.New("too late")
	})
	goTool(s, "ask", func(ctx context.Context, r *sdk.CallToolRequest, _ goInput) ([]sdk.Content, error) {
		answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Who are you?", RequestedSchema: &jsonschema.Schema{
			Type: "object", Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}},
		}})
		if err != nil {
			return nil, err
		}
		return said(fmt.Sprint(answer.Action, " ", answer.Content["name"])), nil
	})
	goTool(s, "grow", func(context.Context, *sdk.CallToolRequest, goInput) ([]sdk.Content, error) {
		goTool(s, "grown", func(context.Context, *sdk.CallToolRequest, goInput) ([]sdk.Content, error) {
			return said("I am new"), nil
		})
		return said("grew"), nil
	})
	goTool(s, "secrets", func(_ context.Context, r *sdk.CallToolRequest, in goInput) ([]sdk.Content, error) {
		told := fmt.Sprint("API_TOKEN=", os.Getenv("API_TOKEN"), " PLAIN=", os.Getenv("PLAIN"))
		if r.Extra != nil && r.Extra.Header != nil {
			told += fmt.Sprint(r.Extra.Header)
		} else {
			fmt.Fprintln(os.Stderr, told)
		}
		return said(told + in.Text + base64.StdEncoding.EncodeToString([]byte(told))), nil
	})
	goTool(s, "pids", func(context.Context, *sdk.CallToolRequest, goInput) ([]sdk.Content, error) {
		child := exec.Command("sleep", "1000")
		if err := child.Start(); err != nil {
			return nil, err
		}
		return said(fmt.Sprint(os.Getpid(), " ", child.Process.Pid)), nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "review", Arguments: []*sdk.PromptArgument{{Name: "file", Required: true}}},
		func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Review " + r.Params.Arguments["file"]}},
			}}, nil
		})
	return s
}

func said(text string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: text}} }

func goTool(s *sdk.Server, name string, f func(context.Context, *sdk.CallToolRequest, goInput) ([]sdk.Content, error)) {
	sdk.AddTool(s, &sdk.Tool{Name: name, Title: "The " + name}, func(ctx context.Context, r *sdk.CallToolRequest, in goInput) (*sdk.CallToolResult, any, error) {
		content, err := f(ctx, r, in)
		return &sdk.CallToolResult{Content: content}, nil, err
	})
}

// onStdio is the configuration of the test binary as a server.
func onStdio(t *testing.T, name, kind string) object {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return object{"name": name, "command": path, "args": []string{}, "env": []object{{"name": mcpVariable, "value": kind}}}
}

// onWeb serves the server on the Go SDK over HTTP or SSE, and returns its configuration. When it dies, its connections end,
// and who comes again finds one that knows nothing of them.
func onWeb(t *testing.T, name, kind string) object {
	t.Helper()
	var mu sync.Mutex
	var now http.Handler
	var web *httptest.Server
	var fresh func()
	fresh = func() {
		s := goServer(func() {
			fresh()
			go web.CloseClientConnections() // which waits for what is being written
		})
		t.Cleanup(func() {
			for session := range s.Sessions() {
				_ = session.Close()
			}
		})
		mu.Lock()
		defer mu.Unlock()
		if kind == "sse" {
			now = sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
			return
		}
		now = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	}
	fresh()
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		handler := now
		mu.Unlock()
		r.Header.Set("X-Query", r.URL.RawQuery) // for its tool secrets
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return object{"type": kind, "name": name, "url": web.URL, "headers": []any{}}
}

// script is the path of a server from npm.
func npmServer(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// everything is the configuration of npm's server of everything, which listens where it has to. It can't choose a port
// itself, and one that is free may be taken a moment later: then it ends, and is tried on another one.
func everything(t *testing.T, name, kind string) object {
	t.Helper()
	path := npmServer(t, "server-everything")
	if kind == "stdio" {
		return object{"type": "stdio", "name": name, "command": "node", "args": []string{path}, "env": []any{}}
	}
	mode, end := "streamableHttp", "/mcp"
	if kind == "sse" {
		mode, end = "sse", "/sse"
	}
	for range 5 {
		port := freePort(t)
		p, err := transport.Start(context.Background(), transport.Command{
			Path: "node", Args: []string{path, mode}, Env: append(os.Environ(), "PORT="+port), CloseGrace: -1, TermGrace: time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close(); _ = p.Wait(context.Background()) })
		ended := func() bool {
			select {
			case <-p.Done():
				return true
			default:
				return false
			}
		}
		up := func() bool { return strings.Contains(p.Stderr(), "on port "+port) }
		if eventually(patience, func() bool { return up() || ended() }) && !ended() {
			return object{"type": kind, "name": name, "url": "http://127.0.0.1:" + port + end, "headers": []any{}}
		}
	}
	t.Fatal("there is no port for the server")
	return nil
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// alive reports whether a process is there and is no zombie.
func alive(pid string) bool {
	if runtime.GOOS != "linux" {
		return exec.Command("kill", "-0", pid).Run() == nil
	}
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}
