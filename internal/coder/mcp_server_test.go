package coder_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

// serveArgument makes the test binary an MCP server; the next argument says of which kind.
const serveArgument = "serve-mcp"

// serveMCP is the test binary as an MCP server.
func serveMCP(kind string, args []string) {
	switch kind {
	case "broken":
		fmt.Fprintln(os.Stderr, "there is no database")
		os.Exit(7)
	case "late": // when a file appears
		for {
			if _, err := os.Stat(args[0]); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	s := mcpServer()
	if kind == "bad" {
		s = badServer()
	}
	if kind == "many" { // so many further tools, with descriptions of so many bytes
		n, _ := strconv.Atoi(args[0])
		size, _ := strconv.Atoi(args[1])
		for i := range n {
			s.AddTool(&sdk.Tool{Name: fmt.Sprintf("tool%03d", i), Description: strings.Repeat("x", size), InputSchema: &jsonschema.Schema{Type: "object"}}, nil)
		}
	}
	if err := s.Run(context.Background(), &sdk.StdioTransport{}); err != nil {
		os.Exit(1)
	}
}

// mcpCommand is the configuration of a server that is this test binary.
func mcpCommand(t *testing.T, name, kind string, args ...string) *acp.MCPServerStdio {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &acp.MCPServerStdio{Name: name, Command: path, Args: append([]string{serveArgument, kind}, args...)}
}

// dot is a PNG of one pixel, in base64.
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

type mcpText struct {
	Text string `json:"text,omitempty"`
}

// mcpServer is a server on the official SDK.
func mcpServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	addTool(s, "echo", func(_ context.Context, _ *sdk.CallToolRequest, in mcpText) ([]sdk.Content, error) {
		return []sdk.Content{&sdk.TextContent{Text: "echo: " + in.Text}}, nil
	})
	addTool(s, "fail", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
		return nil, fmt.Errorf("it went wrong")
	})
	addTool(s, "pid", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
		return []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(os.Getpid())}}, nil
	})
	addTool(s, "picture", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
		data, err := base64.StdEncoding.DecodeString(dot)
		return []sdk.Content{&sdk.TextContent{Text: "a dot"}, &sdk.ImageContent{Data: data, MIMEType: "image/png"}}, err
	})
	addTool(s, "die", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
		os.Exit(3)
		return nil, nil
	})
	addTool(s, "wait", func(ctx context.Context, r *sdk.CallToolRequest, in mcpText) ([]sdk.Content, error) {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: 1, Total: 3, Message: "half asleep",
		})
		<-ctx.Done()
		return nil, os.WriteFile(in.Text, []byte("cancelled"), 0o600)
	})
	addTool(s, "ask", func(ctx context.Context, r *sdk.CallToolRequest, _ mcpText) ([]sdk.Content, error) {
		answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Who are you?", RequestedSchema: &jsonschema.Schema{
			Type: "object", Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}},
		}})
		if err != nil {
			return nil, err
		}
		return []sdk.Content{&sdk.TextContent{Text: fmt.Sprint(answer.Action, " ", answer.Content["name"])}}, nil
	})
	addTool(s, "grow", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
		addPrompt(s, "grown")
		return []sdk.Content{&sdk.TextContent{Text: "grown"}}, nil
	})
	addPrompt(s, "review")
	return s
}

// badServer is a server that says too much, and takes its tools away.
func badServer() *sdk.Server {
	s := mcpServer()
	addTool(s, "huge", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
		return []sdk.Content{&sdk.TextContent{Text: strings.Repeat("x", 50<<20)}}, nil
	})
	addTool(s, "flood", func(ctx context.Context, r *sdk.CallToolRequest, _ mcpText) ([]sdk.Content, error) {
		for i := range 20_000 {
			_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i)})
		}
		return []sdk.Content{&sdk.TextContent{Text: "flooded"}}, nil
	})
	addTool(s, "shrink", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
		s.RemoveTools("echo")
		return []sdk.Content{&sdk.TextContent{Text: "shrunk"}}, nil
	})
	return s
}

func addTool(s *sdk.Server, name string, f func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error)) {
	tool := &sdk.Tool{Name: name, Title: "The " + name, Description: "The tool " + name, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}}
	sdk.AddTool(s, tool, func(ctx context.Context, r *sdk.CallToolRequest, in mcpText) (*sdk.CallToolResult, any, error) {
		content, err := f(ctx, r, in)
		return &sdk.CallToolResult{Content: content}, nil, err
	})
}

func addPrompt(s *sdk.Server, name string) {
	prompt := &sdk.Prompt{Name: name, Description: "Reviews a file", Arguments: []*sdk.PromptArgument{{Name: "file", Required: true}}}
	s.AddPrompt(prompt, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: "Review " + r.Params.Arguments["file"]}},
			{Role: "assistant", Content: &sdk.TextContent{Text: "I will."}},
		}}, nil
	})
}
