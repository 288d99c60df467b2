package interop_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

// A user decides what our client is asked.
type user struct {
	answer acp.PermissionOptionKind // what permission requests get; empty cancels the turn instead

	mu    sync.Mutex
	asked []string // what was asked for, one line each
}

func (*user) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (u *user) RequestPermission(ctx context.Context, s *client.Session, r *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	title, _ := r.ToolCall.Title.Get()
	u.note("permission " + title)
	if u.answer == "" {
		return acp.PermissionCancelled(), s.Cancel(ctx)
	}
	return client.Select(r.Options, u.answer), nil
}

func (u *user) note(line string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.asked = append(u.asked, line)
}

func (u *user) notes() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	list := u.asked
	u.asked = nil
	return list
}

// spawn starts an agent with our client, with files and terminals, and ends it with the test, which runs beside others
// from here on.
func spawn(t *testing.T, command transport.Command, h client.Handler) *client.Client {
	t.Helper()
	return spawnWith(t, command, h, client.Options{Files: new(client.Files), Terminals: new(client.Terminals)})
}

func spawnWith(t *testing.T, command transport.Command, h client.Handler, o client.Options) *client.Client {
	t.Helper()
	t.Parallel()
	o.Info = acp.Implementation{Name: "interop", Version: "1.2.3"}
	c, err := client.Spawn(deadline(t), command, h, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}

// sdkAgent is the command of peers/agent.mjs.
func sdkAgent(t *testing.T) transport.Command {
	t.Helper()
	return node(t, "peers/agent.mjs")
}

// newSession makes a session in a new folder.
func newSession(t *testing.T, c *client.Client) *client.Session {
	t.Helper()
	s, err := c.NewSession(deadline(t), acp.NewSessionRequest{CWD: folder(t)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A turn that has ended: its updates and how it ended.
type ended struct {
	updates []acp.SessionUpdate
	result  *client.Result
	err     error
}

// say prompts a session and waits for the end of the turn. Where `when` is not nil, it is called with each update.
func say(t *testing.T, s *client.Session, text string, when func(*client.Turn, acp.SessionUpdate)) ended {
	t.Helper()
	turn, err := s.Prompt(deadline(t), acp.Text(text))
	if err != nil {
		t.Fatal(err)
	}
	var e ended
	for u := range turn.Updates() {
		// What the peer sends with session/new may still be on its way when the first turn begins.
		if c, ok := u.(*acp.AvailableCommandsUpdate); ok && len(c.AvailableCommands) == 0 {
			continue
		}
		e.updates = append(e.updates, u)
		if when != nil {
			when(turn, u)
		}
	}
	e.result, e.err = turn.Wait()
	return e
}

// must fails the test if the turn did not end well.
func (e ended) must(t *testing.T) ended {
	t.Helper()
	if e.err != nil {
		t.Fatalf("the turn failed: %v", e.err)
	}
	return e
}

// lines are the updates, one short line each.
func (e ended) lines(t *testing.T) (list []string) {
	t.Helper()
	for _, u := range e.updates {
		text, err := json.Marshal(acp.SessionNotification{SessionID: "s", Update: u})
		if err != nil {
			t.Fatal(err)
		}
		var n struct{ Update object }
		if err := json.Unmarshal(text, &n); err != nil {
			t.Fatal(err)
		}
		list = append(list, show(n.Update))
	}
	return list
}

// text is what the agent said.
func (e ended) text() string {
	var b strings.Builder
	for _, u := range e.updates {
		if chunk, ok := u.(*acp.AgentMessageChunk); ok {
			if text, ok := chunk.Content.(*acp.TextContent); ok {
				b.WriteString(text.Text)
			}
		}
	}
	return b.String()
}
