package interop_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A step is what the client peers/client.mjs is told to do; its first lines say what the fields mean.
type step struct {
	Request string         `json:"request,omitempty"`
	Notify  string         `json:"notify,omitempty"`
	Until   string         `json:"until,omitempty"`
	Kill    string         `json:"kill,omitempty"`
	Params  any            `json:"params,omitempty"`
	Answer  string         `json:"answer,omitempty"`
	Content map[string]any `json:"content,omitempty"`
	When    []any          `json:"when,omitempty"`
}

type object = map[string]any

// A reply is what came of a step.
type reply struct {
	Result  object
	Error   *peerError
	Updates []struct {
		SessionID string
		Update    object
	}
	Asked []struct {
		Method         string
		Params, Answer object
	}
	Wire []string // methods, or "answer", in the order in which they arrived
	Then *reply
}

// A peerError is an error as the SDK's client has received it.
type peerError struct {
	Code    int
	Message string
	Data    any
}

// An sdkClient is a running peers/client.mjs, with an agent of ours behind it.
type sdkClient struct {
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Reader
	cmd    *exec.Cmd
	stderr *tail
}

// drive starts the SDK's client with a command of ours as its agent. When the test ends, the client closes the agent's
// standard input; then the agent must end with code 0, and neither may have complained on standard error: the SDK does
// that about updates that don't fit its schema. The test runs beside others from here on.
func drive(t *testing.T, agent ...string) *sdkClient {
	t.Helper()
	return driveWith(t, os.Environ(), agent...)
}

func driveWith(t *testing.T, env []string, agent ...string) *sdkClient {
	t.Helper()
	requirePeers(t)
	t.Parallel()
	c := connect(t, env, agent...)
	t.Cleanup(c.end)
	return c
}

// connect is what drive does, but for what concerns the test.
func connect(t *testing.T, env []string, agent ...string) *sdkClient {
	t.Helper()
	command := node(t, "peers/client.mjs", agent...)
	c := &sdkClient{t: t, stderr: new(tail)}
	c.cmd = exec.CommandContext(deadline(t), command.Path, command.Args...)
	c.cmd.Env = env
	c.cmd.Stderr = c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	return c
}

// do takes a step and waits for its reply.
func (c *sdkClient) do(s step) reply {
	c.t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.in.Write(append(text, '\n')); err != nil {
		c.t.Fatalf("the SDK's client takes no more steps: %v\n%s", err, c.stderr)
	}
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("the SDK's client ended in the step %s: %v\n%s", text, err, c.stderr)
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		c.t.Fatalf("%v: %s", err, line)
	}
	return r
}

// must takes a step whose answer must be a result.
func (c *sdkClient) must(s step) reply {
	c.t.Helper()
	r := c.do(s)
	if r.Error != nil {
		c.t.Fatalf("%s was answered with the error %+v", s.Request, *r.Error)
	}
	return r
}

// start initializes the connection and makes a session in folder, whose id it returns.
func (c *sdkClient) start(folder string) string {
	c.t.Helper()
	c.must(initialize)
	r := c.must(step{Request: "session/new", Params: object{"cwd": folder, "mcpServers": []any{}}})
	return r.Result["sessionId"].(string)
}

// end waits for the client and its agent.
func (c *sdkClient) end() {
	c.t.Helper()
	c.endAs(`{"code":0,"signal":null}`)
}

// endAs waits for the client, and sees how the agent has ended.
func (c *sdkClient) endAs(how string) {
	c.t.Helper()
	c.in.Close()
	rest, _ := io.ReadAll(c.out)
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("the SDK's client: %v\n%s", err, c.stderr)
	}
	if got := strings.TrimSpace(string(rest)); got != how {
		c.t.Errorf("at the end of its input the agent ended with %s", got)
	}
	if text := c.stderr.String(); text != "" {
		c.t.Errorf("standard error has: %s", text)
	}
}

// initialize is the handshake of a client that can do everything.
var initialize = step{Request: "initialize", Params: object{
	"protocolVersion": 1,
	"clientInfo":      object{"name": "sdk-client", "version": "2.4.0"},
	"clientCapabilities": object{
		"fs":          object{"readTextFile": true, "writeTextFile": true},
		"terminal":    true,
		"session":     object{"notices": object{}, "compaction": object{}, "configOptions": object{"boolean": object{}}},
		"elicitation": object{"form": object{}, "url": object{}},
		"plan":        object{},
		"subagents":   object{},
	},
}}

// prompt is the step that sends a text to a session.
func prompt(session, text string) step {
	return step{Request: "session/prompt", Params: object{
		"sessionId": session,
		"prompt":    []object{{"type": "text", "text": text}},
	}}
}

// cancel is the step that cancels a session's turn.
func cancel(session string) step {
	return step{Notify: "session/cancel", Params: object{"sessionId": session}}
}

// lines are the reply's updates, one short line each.
func (r reply) lines() []string {
	var list []string
	for _, u := range r.Updates {
		list = append(list, show(u.Update))
	}
	return list
}

// text is what the agent said: its message chunks, joined.
func (r reply) text() string {
	var b strings.Builder
	for _, u := range r.Updates {
		if u.Update["sessionUpdate"] == "agent_message_chunk" {
			b.WriteString(textOf(u.Update["content"]))
		}
	}
	return b.String()
}

// methods are those that the agent called, in order.
func (r reply) methods() []string {
	var list []string
	for _, a := range r.Asked {
		list = append(list, a.Method)
	}
	return list
}

// show writes an update as a line.
func show(u object) string {
	kind := u["sessionUpdate"].(string)
	switch kind {
	case "tool_call", "tool_call_update":
		return strings.Join(strings.Fields(fmt.Sprint(kind, " ", or(u["status"]), " ", or(u["title"]), " ", content(u))), " ")
	case "current_mode_update":
		return fmt.Sprint(kind, " ", u["currentModeId"])
	case "session_info_update":
		return fmt.Sprint(kind, " ", u["title"])
	}
	if text := textOf(u["content"]); text != "" {
		return kind + " " + text
	}
	return kind
}

func or(v any) any {
	if v == nil {
		return ""
	}
	return v
}

// content names what a tool call shows.
func content(u object) string {
	list, _ := u["content"].([]any)
	var parts []string
	for _, item := range list {
		part := item.(object)
		switch part["type"] {
		case "content":
			parts = append(parts, textOf(part["content"]))
		default:
			parts = append(parts, part["type"].(string))
		}
	}
	return strings.Join(parts, ", ")
}

// textOf is the text of a content block.
func textOf(block any) string {
	b, _ := block.(object)
	text, _ := b["text"].(string)
	return text
}

// A tail keeps what several goroutines write, and copies it to the test binary's own standard error when the variable
// INTEROP_VERBOSE is set.
type tail struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if os.Getenv("INTEROP_VERBOSE") != "" {
		os.Stderr.Write(p)
	}
	return l.text.Write(p)
}

func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
