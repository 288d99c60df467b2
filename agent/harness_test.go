package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

func TestMain(m *testing.M) {
	serveIfAsked()
	goleak.VerifyTestMain(m)
}

// patience bounds every wait of a test for something that should happen at once.
const patience = 20 * time.Second

// options are those of the agents in the tests.
func options() agent.Options {
	return agent.Options{
		Info:   acp.Implementation{Name: "test", Version: "1"},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

// everything is what a client can do that can do everything.
const everything = `{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"auth":{"terminal":true},
	"session":{"compaction":{},"notices":{},"configOptions":{"boolean":{}}},"subagents":{},"plan":{},
	"elicitation":{"form":{},"url":{}}}`

// A message is one from the agent.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID  string
		TerminalID string
		Update     map[string]any
		ToolCall   map[string]any
		Options    []struct{ OptionID, Name string }
	}
	Result map[string]any
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	text string
}

// kind is the kind of an update.
func (m *message) kind() string {
	kind, _ := m.Params.Update["sessionUpdate"].(string)
	return kind
}

// chunk is the text of a chunk.
func (m *message) chunk() string {
	content, _ := m.Params.Update["content"].(map[string]any)
	text, _ := content["text"].(string)
	return text
}

// A peer is the client as text: it sends and receives lines and knows no rules.
type peer struct {
	t      testing.TB
	stream jsonrpc.Stream
	frames []string
	lastID int

	patience time.Duration // for a message
}

// connect returns an agent's connection and its client. Both are closed when the test ends.
func connect(t testing.TB, a agent.Agent, o agent.Options) (*agent.Conn, *peer) {
	t.Helper()
	ours, theirs := transport.Pipe()
	conn, err := agent.Connect(ours, a, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		_ = theirs.Close()
		_ = conn.Wait()
	})
	return conn, &peer{t: t, stream: theirs, patience: patience}
}

// start is connect for a client that has initialized the connection.
func start(t testing.TB, a agent.Agent, o agent.Options, capabilities string) *peer {
	t.Helper()
	_, p := connect(t, a, o)
	if got := p.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+oneLine(capabilities)+`}`); got.Error != nil {
		t.Fatalf("initialize: %s", got.text)
	}
	return p
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// send sends messages in one write.
func (p *peer) send(lines ...string) {
	p.t.Helper()
	messages := make([][]byte, len(lines))
	for i, line := range lines {
		messages[i] = []byte(oneLine(line))
	}
	if err := p.stream.Write(messages); err != nil {
		p.t.Fatalf("send %.200q: %v", lines, err)
	}
}

// request returns a request with an id of its own.
func (p *peer) request(method, params string) (line string, id string) {
	p.lastID++
	id = fmt.Sprint(p.lastID)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params), id
}

func notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// ask sends a request and returns its id.
func (p *peer) ask(method, params string) (id string) {
	p.t.Helper()
	line, id := p.request(method, params)
	p.send(line)
	return id
}

// call sends a request and returns its answer, which has to be the next message.
func (p *peer) call(method, params string) *message {
	p.t.Helper()
	return p.answer(p.ask(method, params))
}

// answer returns the next message, which has to be the answer to a request.
func (p *peer) answer(id string) *message {
	p.t.Helper()
	m := p.next()
	if string(m.ID) != id || m.Method != "" {
		p.t.Fatalf("got %s\nwant the answer to request %s", m.text, id)
	}
	return m
}

// result is answer for a request that succeeds.
func (p *peer) result(id string) map[string]any {
	p.t.Helper()
	m := p.answer(id)
	if m.Error != nil {
		p.t.Fatalf("request %s failed: %s", id, m.text)
	}
	return m.Result
}

// failure is answer for a request that fails with a code and a message that has these parts.
func (p *peer) failure(id string, code int, parts ...string) {
	p.t.Helper()
	m := p.answer(id)
	if m.Error == nil || m.Error.Code != code {
		p.t.Fatalf("got %s\nwant error %d", m.text, code)
	}
	for _, part := range parts {
		if !strings.Contains(m.Error.Message, part) {
			p.t.Errorf("the message is %q, want it to say %q", m.Error.Message, part)
		}
	}
}

// stopped is answer for a prompt that ends with a stop reason.
func (p *peer) stopped(id, reason string) {
	p.t.Helper()
	if got := p.result(id)["stopReason"]; got != reason {
		p.t.Fatalf("the turn ended with %v, want %s", got, reason)
	}
}

// asked returns the next message, which has to be a request of the agent's.
func (p *peer) asked(method string) *message {
	p.t.Helper()
	m := p.next()
	if m.Method != method || m.ID == nil {
		p.t.Fatalf("got %s\nwant a request %s", m.text, method)
	}
	return m
}

// reply answers a request of the agent's.
func (p *peer) reply(m *message, result string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

// refuse answers a request of the agent's with an error.
func (p *peer) refuse(m *message, failure string) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, failure))
}

// takesAway answers the next two requests, which have to kill and release a terminal.
func (p *peer) takesAway(terminal string) {
	p.t.Helper()
	for _, method := range []string{"terminal/kill", "terminal/release"} {
		m := p.asked(method)
		if m.Params.TerminalID != terminal {
			p.t.Fatalf("got %s\nwant it about %s", m.text, terminal)
		}
		p.reply(m, `{}`)
	}
}

// update returns the next message, which has to be an update of a kind.
func (p *peer) update(kind string) *message {
	p.t.Helper()
	m := p.next()
	if m.Method != "session/update" || m.kind() != kind {
		p.t.Fatalf("got %s\nwant an update %s", m.text, kind)
	}
	return m
}

// says returns the next message, which has to be a piece of text.
func (p *peer) says(text string) *message {
	p.t.Helper()
	m := p.update("agent_message_chunk")
	if m.chunk() != text {
		p.t.Fatalf("got %s\nwant it to say %q", m.text, text)
	}
	return m
}

// next returns the next message.
func (p *peer) next() *message {
	p.t.Helper()
	for len(p.frames) == 0 {
		watchdog := time.AfterFunc(p.patience, func() { _ = p.stream.Close() })
		frames, err := p.stream.Read(1 << 30)
		watchdog.Stop()
		for _, f := range frames {
			p.frames = append(p.frames, string(f.Data))
		}
		if err != nil && len(p.frames) == 0 {
			p.t.Fatalf("receive: %v", err)
		}
	}
	m := &message{text: p.frames[0]}
	p.frames = p.frames[1:]
	if err := json.Unmarshal([]byte(m.text), m); err != nil {
		p.t.Fatalf("receive %.200q: %v", m.text, err)
	}
	return m
}

// silent checks that nothing was sent that has not been received: the next message answers a request that is sent now.
func (p *peer) silent() {
	p.t.Helper()
	p.failure(p.ask("no_such_method", `{}`), acp.CodeMethodNotFound)
}

// newSession opens a session.
func (p *peer) newSession() (id string) {
	p.t.Helper()
	id, _ = p.result(p.ask("session/new", `{"cwd":"/proj","mcpServers":[]}`))["sessionId"].(string)
	if id == "" {
		p.t.Fatal("the session has no id")
	}
	return id
}

// prompt is the params of a prompt.
func prompt(session, text string) string {
	return fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text)
}

// in is the params of what has nothing but a session.
func in(session string) string { return fmt.Sprintf(`{"sessionId":%q}`, session) }

// closeInput is the client going away.
func (p *peer) closeInput() { _ = p.stream.Close() }

// do is a Prompt for the tests.
type do = func(ctx context.Context, t *agent.Turn) (acp.StopReason, error)

// wait waits for something that should happen at once.
func wait(t testing.TB, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("%s did not happen", what)
	}
}

// untilCancelled waits for the turn's end.
func untilCancelled(ctx context.Context, _ *agent.Turn) (acp.StopReason, error) {
	<-ctx.Done()
	return "", context.Cause(ctx)
}

// sorted is a value as JSON with sorted names.
func sorted(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
