package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// helperVariable names the agent that the test binary plays when a test starts it as a subprocess.
const helperVariable = "CLIENT_TEST_AGENT"

func TestMain(m *testing.M) {
	if name := os.Getenv(helperVariable); name != "" {
		agents[name]()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// patience bounds every wait of a test for something that should happen at once.
const patience = 20 * time.Second

func deadline(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// within waits for a channel to be closed or to yield.
func within[T any](t testing.TB, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(patience):
		t.Fatalf("waited %v for %s", patience, what)
	}
	return v
}

// eventually waits for something that makes no sound.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// A message is a frame as the agent sees it.
type message struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  *acp.Error     `json:"error"`
}

// An agent is the other side of a client as text: it knows no rules.
type agent struct {
	t      testing.TB
	stream jsonrpc.Stream
	frames []jsonrpc.Frame
}

// send sends messages in one write.
func (a *agent) send(lines ...string) {
	a.t.Helper()
	messages := make([][]byte, len(lines))
	for i, line := range lines {
		messages[i] = []byte(line)
	}
	if err := a.stream.Write(messages); err != nil {
		a.t.Errorf("send %.200q: %v", lines, err)
	}
}

// next returns the client's next message.
func (a *agent) next() message {
	a.t.Helper()
	for len(a.frames) == 0 {
		frames, err := a.stream.Read(64 << 20)
		if err != nil {
			a.t.Errorf("the client has gone: %v", err)
			return message{}
		}
		a.frames = append(a.frames, frames...)
	}
	var m message
	if err := json.Unmarshal(a.frames[0].Data, &m); err != nil {
		a.t.Errorf("the client sent %q: %v", a.frames[0].Data, err)
	}
	a.frames = a.frames[1:]
	return m
}

// expect returns the client's next message, which must be of this method.
func (a *agent) expect(method string) message {
	a.t.Helper()
	m := a.next()
	if m.Method != method {
		a.t.Errorf("the client sent %q %s%s, want %s", m.Method, m.Params, m.Result, method)
	}
	return m
}

// outcome is the answer to a message of the client's.
func outcome(m message, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func failure(m message, code int, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text)
}

// says is an update in which the agent of a session says something.
func says(session, text string) string {
	return update(session, fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`, text))
}

func update(session, body string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, body)
}

func asks(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

const askPermission = `{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Delete all","kind":"delete"},"options":[` +
	`{"optionId":"yes","name":"Yes","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}`

// allCapabilities advertises all that an agent can.
const allCapabilities = `{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1"},"authMethods":[{"id":"key","name":"Key"}],` +
	`"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},` +
	`"mcpCapabilities":{"http":true,"sse":true},"sessionCapabilities":{"list":{},"delete":{},"resume":{},"close":{},"fork":{},"additionalDirectories":{}}}}`

// noCapabilities advertises nothing.
const noCapabilities = `{"protocolVersion":1}`

// quiet drops diagnostics.
var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// A user is a Handler that keeps what it hears.
type user struct {
	permit func(ctx context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error)
	hear   func(ctx context.Context, s *client.Session, u acp.SessionUpdate)

	mu    sync.Mutex
	heard []string
}

func (u *user) Update(ctx context.Context, s *client.Session, up acp.SessionUpdate) {
	u.mu.Lock()
	u.heard = append(u.heard, string(s.ID())+":"+textOf(up))
	u.mu.Unlock()
	if u.hear != nil {
		u.hear(ctx, s, up)
	}
}

func (u *user) RequestPermission(ctx context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	if u.permit != nil {
		return u.permit(ctx, s, req)
	}
	return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
}

func (u *user) all() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return strings.Join(u.heard, " ")
}

// textOf is the text of a message chunk, and the type of anything else.
func textOf(u acp.SessionUpdate) string {
	if chunk, ok := u.(*acp.AgentMessageChunk); ok {
		if text, ok := chunk.Content.(*acp.TextContent); ok {
			return text.Text
		}
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", u), "*acp.")
}

// connect returns a client and the agent on the other side, which has answered initialize.
func connect(t testing.TB, h client.Handler, o client.Options, initialize string) (*client.Client, *agent) {
	t.Helper()
	ours, theirs := transport.Pipe()
	return connectOver(t, ours, theirs, h, o, initialize)
}

// connectOver is connect over two streams that are one.
func connectOver(t testing.TB, ours, theirs jsonrpc.Stream, h client.Handler, o client.Options, initialize string) (*client.Client, *agent) {
	t.Helper()
	a := &agent{t: t, stream: theirs}
	if o.Logger == nil {
		o.Logger = quiet
	}
	shaken := make(chan struct{})
	go func() {
		defer close(shaken)
		a.send(outcome(a.expect("initialize"), initialize))
	}()
	c, err := client.Connect(context.Background(), ours, h, o)
	<-shaken
	if err != nil {
		t.Fatalf("Connect: %v", err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = theirs.Close()
		_ = c.Wait()
	})
	return c, a
}

// open opens the session "s".
func open(t testing.TB, c *client.Client, a *agent) *client.Session {
	t.Helper()
	var s *client.Session
	both(t, func() (err error) {
		s, err = c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() { a.send(outcome(a.expect("session/new"), `{"sessionId":"s"}`)) })
	return s
}

// both runs a call of the client's and what the agent does meanwhile.
func both(t testing.TB, call func() error, agent func()) {
	t.Helper()
	if err := bothFail(t, call, agent); err != nil {
		t.Fatalf("call: %v", err)
	}
}

// bothFail is both for a call whose error matters.
func bothFail(t testing.TB, call func() error, agent func()) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- call() }()
	agent()
	return within(t, "the call", done)
}

// prompt starts a turn and returns the prompt as the agent sees it.
func prompt(t testing.TB, s *client.Session, a *agent) (*client.Turn, message) {
	t.Helper()
	return promptWith(t, context.Background(), s, a)
}

func promptWith(t testing.TB, ctx context.Context, s *client.Session, a *agent) (*client.Turn, message) {
	t.Helper()
	turn, err := s.Prompt(ctx, acp.Text("go"))
	if err != nil {
		t.Fatalf("Prompt: %v", err)
	}
	return turn, a.expect("session/prompt")
}

// ends waits for a turn and checks its stop reason.
func ends(t testing.TB, turn *client.Turn, want acp.StopReason) *client.Result {
	t.Helper()
	within(t, "the turn", turn.Done())
	r, err := turn.Wait()
	if err != nil || r.StopReason != want {
		t.Fatalf("Wait: %+v, %v; want %s", r, err, want)
	}
	return r
}

func wantError(t testing.TB, err, want error, texts ...string) {
	t.Helper()
	if err == nil || want != nil && !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q lacks %q", err, text)
		}
	}
}
