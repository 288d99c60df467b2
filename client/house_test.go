package client_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A house is where the agents of a test are started one after the other. They keep their sessions there.
type house struct {
	initialize string  // the answer
	refuse     error   // of the next starts
	busy       []error // what the next loads and resumes are answered with
	vague      bool    // a session that is not there is an internal error
	slow       string  // a session whose requests are not answered
	deaf       bool    // load, resume and new are refused with an internal error
	breaks     error   // what prompts end with, when something has been said
	child      bool    // each session has a subagent, which reports before anything else is said
	calls      bool    // each prompt has a tool call that does not end
	silent     bool    // the answers to load and resume say nothing of modes
	more       string  // further members of the answers that open a session

	mu       sync.Mutex
	starts   []time.Time
	conn     *jsonrpc.Conn       // the agent that lives
	saved    map[string][]string // what was said in each session
	made     int
	requests []string // methods, with the session
	block    chan struct{}
	gates    map[string]chan struct{} // methods that are not answered before a channel is closed
}

func newHouse(initialize string) *house {
	return &house{initialize: initialize, saved: map[string][]string{}, gates: map[string]chan struct{}{}}
}

// dial starts another agent.
func (h *house) dial(context.Context) (jsonrpc.Stream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.starts = append(h.starts, time.Now())
	if h.refuse != nil {
		return nil, h.refuse
	}
	ours, theirs := transport.Pipe()
	h.conn = jsonrpc.NewConn(theirs, jsonrpc.HandlerFunc(h.handle), jsonrpc.Options{KeyMember: acp.SessionKeyMember, Key: acp.SessionKey})
	return ours, nil
}

// burn has the agents forget everything, also which names they have given.
func (h *house) burn() { h.set(func() { clear(h.saved); h.made = 0 }) }

// crash ends the agent that lives.
func (h *house) crash() { h.set(func() { _ = h.conn.Close() }) }

// forget drops a session.
func (h *house) forget(id string) { h.set(func() { delete(h.saved, id) }) }

// set changes something while nothing is being handled.
func (h *house) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

func (h *house) handle(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var p struct {
		SessionID string `json:"sessionId"`
		ModeID    string `json:"modeId"`
		ModelID   string `json:"modelId"`
		ConfigID  string `json:"configId"`
	}
	_ = req.Decode(&p)
	h.mu.Lock()
	defer h.mu.Unlock()
	if req.Method != acp.MethodInitialize {
		h.requests = append(h.requests, strings.TrimSpace(strings.TrimPrefix(req.Method, "session/")+" "+p.SessionID+p.ModeID+p.ModelID+p.ConfigID))
	}
	gate := h.gates[req.Method]
	if h.slow != "" && h.slow == p.SessionID {
		gate = make(chan struct{}) // of nobody
	}
	if gate != nil {
		h.mu.Unlock()
		select {
		case <-gate:
		case <-ctx.Done():
		}
		h.mu.Lock()
	}
	_, known := h.saved[p.SessionID]
	switch {
	case req.Method == acp.MethodInitialize:
		return jsontext.Value(h.initialize), nil
	case len(h.busy) > 0 && (req.Method == acp.MethodSessionLoad || req.Method == acp.MethodSessionResume):
		err := h.busy[0]
		h.busy = h.busy[1:]
		return nil, err
	case h.deaf:
		return nil, acp.ErrInternal("the disk is full")
	case req.Method == acp.MethodSessionNew:
		h.made++
		id := fmt.Sprintf("s%d", h.made)
		h.saved[id] = nil
		return jsontext.Value(fmt.Sprintf(`{"sessionId":%q,"modes":%s%s}`, id, askAndPlan, h.more)), nil
	case !known && h.vague:
		return nil, acp.ErrInternal("Invalid session identifier")
	case !known:
		return nil, acp.ErrSessionNotFound(acp.SessionID(p.SessionID))
	}
	say := func(text string) {
		n := acp.SessionNotification{SessionID: acp.SessionID(p.SessionID), Update: acp.AgentText(text)}
		_ = req.Conn().Notify(ctx, acp.MethodSessionUpdate, &n)
	}
	if h.child && req.Method != acp.MethodSessionResume {
		child := acp.SessionID(p.SessionID + "/child")
		for _, n := range []acp.SessionNotification{
			{SessionID: acp.SessionID(p.SessionID), Update: &acp.SubagentUpdate{SessionID: child}},
			{SessionID: child, Update: acp.AgentText("report")},
		} {
			_ = req.Conn().Notify(ctx, acp.MethodSessionUpdate, &n)
		}
	}
	switch req.Method {
	case acp.MethodSessionResume, acp.MethodSessionLoad:
		for _, text := range h.saved[p.SessionID] {
			if req.Method == acp.MethodSessionLoad {
				say(text)
			}
		}
		if h.silent {
			return jsontext.Value(`{}`), nil
		}
		return jsontext.Value(fmt.Sprintf(`{"modes":%s%s}`, askAndPlan, h.more)), nil
	case acp.MethodSessionSetConfigOption:
		return jsontext.Value(`{"configOptions":[{"id":"x","name":"X","type":"boolean","currentValue":true}]}`), nil
	case acp.MethodSessionSetMode, acp.MethodSessionClose, "session/set_model":
		return jsontext.Value(`{}`), nil
	case acp.MethodSessionPrompt:
		text := fmt.Sprintf("answer%d", len(h.saved[p.SessionID])+1)
		h.saved[p.SessionID] = append(h.saved[p.SessionID], text)
		say(text)
		if h.calls {
			n := acp.SessionNotification{SessionID: acp.SessionID(p.SessionID), Update: &acp.ToolCall{ToolCallID: "t", Title: "Run", Status: acp.ToolCallStatusInProgress}}
			_ = req.Conn().Notify(ctx, acp.MethodSessionUpdate, &n)
		}
		if h.breaks != nil {
			return nil, h.breaks
		}
		if h.block != nil {
			block := h.block
			h.mu.Unlock()
			<-block
			h.mu.Lock()
		}
		return jsontext.Value(`{"stopReason":"end_turn"}`), nil
	}
	return nil, jsonrpc.ErrMethodNotFound
}

// heard is what the agents have been asked since the last time.
func (h *house) heard() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	text := strings.Join(h.requests, ", ")
	h.requests = nil
	return text
}

const askAndPlan = `{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"plan","name":"Plan"}]}`

// Three kinds of agent: by what they have to open a session again.
const (
	resumes   = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"resume":{},"close":{}}}}`
	loads     = `{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}`
	doNeither = `{"protocolVersion":1}`
)

// A diary is the events of a supervisor.
type diary struct{ events chan client.SupervisorEvent }

func newDiary() *diary { return &diary{make(chan client.SupervisorEvent, 1000)} }

func (d *diary) note(e client.SupervisorEvent) { d.events <- e }

// until returns the events up to the first one of a type, as text.
func until[E client.SupervisorEvent](t testing.TB, d *diary) (e E, all string) {
	t.Helper()
	for {
		next := within(t, "an event", d.events)
		all += describe(next) + "; "
		if e, ok := next.(E); ok {
			return e, all
		}
	}
}

func describe(e client.SupervisorEvent) string {
	switch e := e.(type) {
	case *client.AgentRestarting:
		return fmt.Sprintf("restarting after %d in %v", e.Failures, e.Pause)
	case *client.SessionResumed:
		return fmt.Sprintf("%s by %s", e.Session.ID(), e.Method)
	case *client.SessionReplaced:
		return fmt.Sprintf("%s for %s", e.Session.ID(), e.Old)
	case *client.SessionLost:
		return fmt.Sprintf("%s lost", e.Session.ID())
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e), "*client."))
}

// supervise supervises the agents of a house.
func supervise(t testing.TB, h *house, u client.Handler, o client.SupervisorOptions) (*client.Supervisor, *diary) {
	t.Helper()
	d := newDiary()
	o.Event, o.Client.Logger = d.note, quiet
	v, err := client.Supervise(context.Background(), client.LaunchStream(h.dial), u, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = v.Close()
		_ = v.Wait()
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.conn != nil {
			_ = h.conn.Close()
		}
	})
	return v, d
}

// keep opens a session that is kept, and has one answer in it.
func keep(t testing.TB, v *client.Supervisor) *client.SupervisedSession {
	t.Helper()
	s, err := v.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	return s
}

func run(t testing.TB, s *client.SupervisedSession) {
	t.Helper()
	if r, err := s.Run(context.Background(), acp.Text("go")); err != nil || r.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("Run: %+v, %v", r, err)
	}
}
