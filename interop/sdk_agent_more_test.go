package interop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

// A guest is a user who also fills in forms, opens pages and takes what no specification has.
type guest struct {
	user
	done chan acp.ElicitationID
}

func (*guest) ElicitForm(context.Context, *client.Session, *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	content := map[string]acp.ElicitationContentValue{"name": acp.StringValue("me")}
	return &acp.CreateElicitationResponse{Action: &acp.ElicitationAcceptAction{Content: content}}, nil
}

func (g *guest) ElicitURL(_ context.Context, _ *client.Session, r *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	g.note("open " + r.Mode.(*acp.ElicitationURLMode).URL)
	return &acp.CreateElicitationResponse{Action: &acp.ElicitationDeclineAction{}}, nil
}

func (g *guest) ElicitationComplete(_ context.Context, id acp.ElicitationID) { g.done <- id }

func (g *guest) HandleExtension(_ context.Context, method string, _ acp.Raw) (any, error) {
	g.note("extension " + method)
	if method == "vendor/notify" {
		return nil, nil
	}
	return nil, acp.ErrMethodNotFound(method)
}

// The SDK sends the mode's members before `mode`, and `elicitation/complete` right after the answer has arrived.
func TestSDKAgentElicits(t *testing.T) {
	g := &guest{done: make(chan acp.ElicitationID, 1)}
	s := newSession(t, spawn(t, sdkAgent(t), g))
	same(t, "form", say(t, s, "ask", nil).must(t).text(), `{"action":"accept","content":{"name":"me"}}`)
	same(t, "page", say(t, s, "link", nil).must(t).text(), `{"action":"decline"}`)
	same(t, "opened", g.notes(), []string{"open https://example.com/in"})
	same(t, "completed", <-g.done, acp.ElicitationID("e1"))
}

func TestSDKAgentSendsEveryKindOfUpdate(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	same(t, "updates", say(t, s, "updates", nil).must(t).lines(t), []string{
		"available_commands_update",
		"current_mode_update https://example.com/modes#auto",
		"config_option_update",
		"session_info_update A title",
		"usage_update",
		"notice",
		"compaction_update",
		"compaction_summary_chunk so far",
		"compaction_update",
		"subagent_update",
	})
}

// Real agents send updates, notifications and requests that no specification has (notes of peers: qwen does all three).
// Nothing of it ends a turn: the update arrives as it is, the request gets -32601.
func TestSDKAgentSpeaksOfOtherThings(t *testing.T) {
	for name, h := range map[string]client.Handler{"without a handler": new(user), "with a handler": new(guest)} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t, spawn(t, sdkAgent(t), h))
			e := say(t, s, "foreign", nil).must(t)
			same(t, "updates", e.lines(t), []string{"weather_update", "agent_message_chunk -32601"})
			if g, ok := h.(*guest); ok {
				notes := g.notes() // in no particular order: they belong to no session (W5)
				slices.Sort(notes)
				same(t, "noted", notes, []string{"extension vendor/drain", "extension vendor/notify"})
			}
		})
	}
}

// W12: the agent sends an update before the answer of session/new, and so before the client knows the session.
func TestW12_SDKAgentSpeaksBeforeItsAnswer(t *testing.T) {
	first := make(chan string, 1)
	s := newSession(t, spawn(t, sdkAgent(t), firstUpdate(first)))
	same(t, "the first update", <-first, fmt.Sprintf("%s *acp.AvailableCommandsUpdate", s.ID()))
}

// firstUpdate is a client that tells of its first update only.
type firstUpdate chan string

func (f firstUpdate) Update(_ context.Context, s *client.Session, u acp.SessionUpdate) {
	select {
	case f <- fmt.Sprintf("%s %T", s.ID(), u):
	default:
	}
}

func (firstUpdate) RequestPermission(context.Context, *client.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return acp.PermissionCancelled(), nil
}

// S000.5, S004.6: the history comes before the answer of session/load. A resumed session comes without it.
func TestSDKAgentLoads(t *testing.T) {
	h := new(recorder)
	c := spawn(t, sdkAgent(t), h)
	s := newSession(t, c)
	say(t, s, "say hello", nil).must(t)
	if err := s.Close(deadline(t)); err != nil {
		t.Fatal(err)
	}
	h.notes()
	loaded, err := c.LoadSession(deadline(t), acp.LoadSessionRequest{SessionID: s.ID(), CWD: s.CWD()})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "history", h.notes(), []string{
		"*acp.UserMessageChunk", "*acp.AgentThoughtChunk", "*acp.Plan", "*acp.AgentMessageChunk",
	})
	same(t, "the next turn", say(t, loaded, "say again", nil).must(t).text(), "again")

	if err := loaded.Close(deadline(t)); err != nil {
		t.Fatal(err)
	}
	h.notes()
	resumed, err := c.ResumeSession(deadline(t), acp.ResumeSessionRequest{SessionID: s.ID(), CWD: s.CWD()})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "history of a resumed session", h.notes(), []string(nil))
	same(t, "the next turn", say(t, resumed, "say more", nil).must(t).text(), "more")
}

// A recorder notes the types of all updates.
type recorder struct{ user }

func (r *recorder) Update(_ context.Context, _ *client.Session, u acp.SessionUpdate) {
	r.note(fmt.Sprintf("%T", u))
}

// S004.6, S001.17: list, fork, delete, modes, options, and several sessions at once.
func TestSDKAgentManagesSessions(t *testing.T) {
	c := spawn(t, sdkAgent(t), new(user))
	s := newSession(t, c)
	if err := s.SetMode(deadline(t), "https://example.com/modes#auto"); err != nil {
		t.Error(err)
	}
	model := acp.SetConfigValueID{Value: "large"}
	if err := s.SetConfigOption(deadline(t), "model", &model); err != nil {
		t.Error(err)
	}
	fork, err := c.ForkSession(deadline(t), acp.ForkSessionRequest{SessionID: s.ID(), CWD: s.CWD()})
	if err != nil {
		t.Fatal(err)
	}
	if fork.ID() == s.ID() {
		t.Errorf("the fork has the id of its origin: %s", fork.ID())
	}
	turn, err := s.Prompt(deadline(t), acp.Text("wait"))
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the fork's turn, beside the other's", say(t, fork, "say me too", nil).must(t).text(), "me too")
	if _, err := s.Prompt(deadline(t), acp.Text("say no")); !errors.Is(err, client.ErrTurnRunning) {
		t.Errorf("a second prompt: %v, want ErrTurnRunning", err)
	}
	if err := turn.Cancel(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if result, err := turn.Wait(); err != nil || result.StopReason != acp.StopReasonCancelled {
		t.Errorf("the cancelled turn: %v, %v", result, err)
	}
	if err := c.DeleteSession(deadline(t), fork.ID()); err != nil {
		t.Error(err)
	}
	list, err := c.ListSessions(deadline(t), acp.ListSessionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "sessions", list.Sessions, []acp.SessionInfo{{SessionID: s.ID(), CWD: s.CWD()}})
}

// T6, S000.17: what the agent's model did wrong is an error with code and data.
func TestSDKAgentFails(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	e := say(t, s, "fail", nil)
	var rpc *acp.Error
	if !errors.As(e.err, &rpc) {
		t.Fatalf("the turn ended with %v, want the agent's error", e.err)
	}
	same(t, "code", rpc.Code, -32603)
	same(t, "data", string(rpc.Data), `{"status":529}`)
	same(t, "the next turn", say(t, s, "say still here", nil).must(t).text(), "still here")
}

// W5: all updates of a turn come in order, before its end.
func TestW5_SDKAgentSendsManyUpdatesInOrder(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	const count = 1000
	var want strings.Builder
	for i := range count {
		fmt.Fprintf(&want, "%d ", i)
	}
	same(t, "text", say(t, s, fmt.Sprint("many ", count), nil).must(t).text(), want.String())
}

// W8: an agent that dies in mid-turn fails the turn with an error that says how it died.
func TestW8_SDKAgentDiesInMidTurn(t *testing.T) {
	requirePeers(t)
	c, err := client.Spawn(deadline(t), sdkAgent(t), new(user), client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	e := say(t, newSession(t, c), "wait", func(_ *client.Turn, u acp.SessionUpdate) {
		if _, ok := u.(*acp.ToolCallUpdate); ok {
			c.Process().Kill()
		}
	})
	var exit *transport.ExitError
	if !errors.As(e.err, &exit) {
		t.Errorf("the turn ended with %v, want an exit status", e.err)
	}
	<-c.Done()
}

// One of the blocks is a megabyte long, on one line of the pipe.
func TestSDKAgentTakesEveryKindOfContent(t *testing.T) {
	s := newSession(t, spawn(t, sdkAgent(t), new(user)))
	turn, err := s.Prompt(deadline(t), acp.Text("kinds"), acp.Image("image/png", []byte("png")), acp.Audio("audio/wav", []byte("wav")),
		acp.Link("a.txt", "file:///a.txt"), acp.TextResource("file:///b.txt", "text/plain", strings.Repeat("b", 1<<20)),
		acp.BlobResource("file:///c.bin", "application/octet-stream", []byte{0}))
	if err != nil {
		t.Fatal(err)
	}
	var e ended
	for u := range turn.Updates() {
		e.updates = append(e.updates, u)
	}
	same(t, "kinds", e.text(), "text image audio resource_link resource resource")
}
