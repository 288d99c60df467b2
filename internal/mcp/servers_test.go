package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// otherKinds are kinds of servers that are not for all systems.
var otherKinds = make(map[string]func(args []string))

// serve is the test binary as an MCP server.
func serve(kind string, args []string) {
	switch kind {
	case "full":
		os.Exit(serveFull(args))
	case "mute": // never answers
		fmt.Fprintln(os.Stderr, "thinking about it")
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
	case "broken":
		fmt.Fprintln(os.Stderr, "no database at postgres://me:hunter2hunter2@db/x")
		os.Exit(7)
	case "noisy":
		fmt.Println("Welcome to the server!")
		fmt.Println(`{"level":"info","msg":"this is JSON and no message"}`)
		fmt.Println("[1,2")
		os.Exit(serveFull(args))
	case "noise": // without an end
		line := strings.Repeat("x", 1<<16)
		for {
			fmt.Println(line)
		}
	case "flood":
		go flood()
		os.Exit(serveFull(args))
	case "bold":
		serveBold()
	case "asker":
		serveRaw(args[0])
	case "raw":
		serveRaw(args[0])
	case "huge":
		serveRaw(args[0], "tools/call")
	case "late": // when a file appears
		for {
			if _, err := os.Stat(args[0]); err == nil {
				os.Exit(serveFull(nil))
			}
			time.Sleep(5 * time.Millisecond)
		}
	default:
		otherKinds[kind](args)
	}
}

// flood writes notifications as fast as it can, among them some that have an effect.
func flood() {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	for i := range 100_000 {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d"}}`+"\n", i)
		if i%100 == 0 {
			fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			fmt.Fprintln(out, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"1","progress":1}}`)
		}
		_ = out.Flush()
	}
}

// serveRaw answers requests by method from a table in JSON, for servers that the SDK would not write. What is not in it gets
// an error. What is asked for by one of the methods huge gets an answer of 17 MiB.
func serveRaw(table string, huge ...string) {
	var answers map[string]json.RawMessage
	if err := json.Unmarshal([]byte(table), &answers); err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var r struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		answer, ok := answers[r.Method]
		if r.Method == "tools/call" && len(os.Args) > 4 {
			askForever(os.Args[4]) // and never read again
		}
		if slices.Contains(huge, r.Method) {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":"%s"}`+"\n", r.ID, strings.Repeat("x", 17<<20))
			continue
		}
		if !ok {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no %s here"}}`+"\n", r.ID, r.Method)
			continue
		}
		var line bytes.Buffer
		_ = json.Compact(&line, answer)
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", r.ID, &line)
	}
}

// askForever asks whether the client is there, again and again, and counts.
func askForever(file string) {
	for i := 1; i < 1_000_000; i++ {
		if i%100 == 0 {
			_ = os.WriteFile(file, fmt.Append(nil, i), 0o600)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":"q%d","method":"ping"}`+"\n", i)
	}
}

// serveBold asks the user whatever the client is able to do, and returns what came of it.
func serveBold() {
	in := bufio.NewScanner(os.Stdin)
	var call json.RawMessage
	for in.Scan() {
		var r struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
		}
		_ = json.Unmarshal(in.Bytes(), &r)
		switch r.Method {
		case "initialize":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}}`+"\n", r.ID)
		case "tools/list":
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"ask","inputSchema":{"type":"object"}}]}}`+"\n", r.ID)
		case "tools/call":
			call = r.ID
			fmt.Println(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}`)
		case "":
			text, _ := json.Marshal(string(r.Result))
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`+"\n", call, text)
		}
	}
}

func serveFull(args []string) int {
	if err := full(args...).Run(context.Background(), &sdk.StdioTransport{}); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// pixel is a PNG of one pixel.
var pixel, _ = base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

type textIn struct {
	Text string `json:"text"`
}

type countIn struct {
	N int `json:"n"`
}

type none struct{}

// full is a server on the SDK with a tool for everything.
func full(args ...string) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "full", Version: "1"}, &sdk.ServerOptions{PageSize: 3})
	add(s, "echo", func(_ context.Context, _ *sdk.CallToolRequest, in textIn) (*sdk.CallToolResult, error) {
		return says(in.Text), nil
	})
	add(s, "fail", func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, error) {
		r := says("it went wrong")
		r.IsError = true
		return r, nil
	})
	add(s, "big", func(_ context.Context, _ *sdk.CallToolRequest, in countIn) (*sdk.CallToolResult, error) {
		return says(strings.Repeat("é", in.N)), nil
	})
	add(s, "env", func(_ context.Context, _ *sdk.CallToolRequest, in textIn) (*sdk.CallToolResult, error) {
		return says(fmt.Sprintf("%s=%q", in.Text, os.Getenv(in.Text))), nil
	})
	add(s, "pid", func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, error) {
		return says(fmt.Sprint(os.Getpid())), nil
	})
	add(s, "die", func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, error) {
		fmt.Fprintln(os.Stderr, "goodbye, cruel world")
		os.Exit(3)
		return nil, nil
	})
	add(s, "print", func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, error) {
		fmt.Println("a line for people")
		return says("printed"), nil
	})
	add(s, "content", content)
	add(s, "slow", slow)
	add(s, "progress", progress)
	add(s, "roots", roots)
	add(s, "ask", ask)
	add(s, "visit", visit)
	add(s, "sample", func(ctx context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, error) {
		//lint:ignore SA1019 servers still ask
		_, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1})
		return says(fmt.Sprint(err)), nil
	})
	add(s, "grow", func(_ context.Context, _ *sdk.CallToolRequest, in textIn) (*sdk.CallToolResult, error) {
		add(s, in.Text, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, error) {
			return says("grown"), nil
		})
		return says("grew"), nil
	})
	for _, name := range args {
		add(s, name, func(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, error) { return says(name), nil })
	}
	s.AddPrompt(&sdk.Prompt{Name: "review", Title: "Review", Description: "Reviews a file", Arguments: []*sdk.PromptArgument{
		{Name: "file", Required: true}, {Name: "focus"},
	}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
			{Role: "user", Content: &sdk.TextContent{Text: "Review " + r.Params.Arguments["file"] + " for " + r.Params.Arguments["focus"]}},
			{Role: "assistant", Content: &sdk.ImageContent{Data: pixel, MIMEType: "image/png"}},
		}}, nil
	})
	return s
}

func add[In any](s *sdk.Server, name string, f func(context.Context, *sdk.CallToolRequest, In) (*sdk.CallToolResult, error)) {
	lossless := false
	tool := &sdk.Tool{Name: name, Description: "The tool " + name, Title: strings.ToUpper(name), Annotations: &sdk.ToolAnnotations{
		ReadOnlyHint: true, DestructiveHint: &lossless,
	}}
	sdk.AddTool(s, tool, func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		result, err := f(ctx, r, in)
		return result, nil, err
	})
}

func says(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}
}

// content returns a piece of each kind.
func content(context.Context, *sdk.CallToolRequest, none) (*sdk.CallToolResult, error) {
	size := int64(12)
	return &sdk.CallToolResult{
		Content: []sdk.Content{
			&sdk.TextContent{Text: "for all"},
			&sdk.TextContent{Text: "for people", Annotations: &sdk.Annotations{Audience: []sdk.Role{"user"}}},
			&sdk.TextContent{Text: "for the model", Annotations: &sdk.Annotations{Audience: []sdk.Role{"assistant"}}},
			&sdk.ImageContent{Data: pixel, MIMEType: "image/png"},
			&sdk.ImageContent{Data: []byte("<svg/>"), MIMEType: "image/svg+xml"},
			&sdk.ImageContent{Data: append(pixel[:len(pixel):len(pixel)], make([]byte, 4<<20)...), MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("RIFF"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "file:///a.txt", Name: "a.txt", Description: "a file", Size: &size},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://text", MIMEType: "text/plain", Text: "embedded"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "test://blob", MIMEType: "application/zip", Blob: []byte("PK")}},
		},
		StructuredContent: map[string]any{"answer": 42},
	}, nil
}

// slow waits until it is cancelled, and says so on standard error.
func slow(ctx context.Context, _ *sdk.CallToolRequest, in textIn) (*sdk.CallToolResult, error) {
	if in.Text != "" {
		_ = os.WriteFile(in.Text, []byte("begun"), 0o600)
	}
	<-ctx.Done()
	if in.Text != "" {
		_ = os.WriteFile(in.Text, []byte("cancelled"), 0o600)
	}
	return nil, ctx.Err()
}

// progress reports n times and then answers.
func progress(ctx context.Context, r *sdk.CallToolRequest, in countIn) (*sdk.CallToolResult, error) {
	for i := range in.N {
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: r.Params.GetProgressToken(), Progress: float64(i + 1), Total: float64(in.N), Message: "step",
		})
		time.Sleep(20 * time.Millisecond)
	}
	return says("done"), nil
}

func roots(ctx context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, error) {
	//lint:ignore SA1019 servers still ask
	list, err := r.Session.ListRoots(ctx, nil)
	if err != nil {
		return nil, err
	}
	var uris []string
	for _, root := range list.Roots {
		uris = append(uris, root.URI)
	}
	return says(strings.Join(uris, "\n")), nil
}

// ask asks for a name and a number.
func ask(ctx context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, error) {
	answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Who are you?", RequestedSchema: &jsonschema.Schema{
		Type:       "object",
		Properties: map[string]*jsonschema.Schema{"name": {Type: "string"}, "age": {Type: "integer"}},
	}})
	if err != nil {
		return says("error: " + err.Error()), nil
	}
	return says(fmt.Sprintf("%s %v %v", answer.Action, answer.Content["name"], answer.Content["age"])), nil
}

func visit(ctx context.Context, r *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, error) {
	answer, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "Sign in", URL: "https://example.com/in", ElicitationID: "e1"})
	if err != nil {
		return says("error: " + err.Error()), nil
	}
	return says(answer.Action), nil
}
