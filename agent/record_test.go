package agent_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// A tape is a recorder that notes what it is told, and fails where it is told to.
type tape struct {
	mu    sync.Mutex
	lines []string
	fail  func(line string) error
}

func (r *tape) note(format string, args ...any) error {
	line := fmt.Sprintf(format, args...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fail != nil {
		if err := r.fail(line); err != nil {
			return err
		}
	}
	r.lines = append(r.lines, line)
	return nil
}

func (r *tape) Begin(prompt []acp.ContentBlock) error {
	return r.note("begin %s", prompt[0].(*acp.TextContent).Text)
}

func (r *tape) Update(list ...acp.SessionUpdate) error {
	for _, u := range list {
		if err := r.update(u); err != nil {
			return err
		}
	}
	return nil
}

func (r *tape) update(u acp.SessionUpdate) error {
	if chunk, ok := u.(*acp.AgentMessageChunk); ok {
		return r.note("text %s", chunk.Content.(*acp.TextContent).Text)
	}
	if call, ok := u.(*acp.ToolCallUpdate); ok {
		status, _ := call.Status.Get()
		return r.note("call %s", status)
	}
	return r.note("%s", strings.TrimPrefix(reflect.TypeOf(u).String(), "*acp."))
}

func (r *tape) End(stop acp.StopReason, failure error) error {
	return r.note("end %s %v", stop, failure)
}

func (r *tape) has() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines)
}

// recorded starts an agent whose sessions are recorded, and a session.
func recorded(t *testing.T, r *tape, f func(*agent.Turn) (acp.StopReason, error)) (*agent.Conn, *peer, string) {
	t.Helper()
	return recordedBy(t, r, f)
}

func recordedBy(t *testing.T, r agent.Recorder, f func(*agent.Turn) (acp.StopReason, error)) (*agent.Conn, *peer, string) {
	t.Helper()
	conn, p := connect(t, agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) { return f(turn) }), options())
	p.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+oneLine(everything)+`}`)
	session := p.newSession()
	conn.Session(acp.SessionID(session)).SetRecorder(r)
	return conn, p, session
}

// Every type of update is recorded, once and in order, between the prompt and the end of its turn; what is open at the end is
// recorded as it is closed. What is repeated is not recorded again.
func TestEverythingIsRecordedOnce(t *testing.T) {
	r := &tape{}
	conn, p, session := recorded(t, r, func(turn *agent.Turn) (acp.StopReason, error) {
		call := func(err error) {
			if err != nil {
				t.Error(err)
			}
		}
		call(turn.Text("a"))
		call(turn.Thought("b"))
		call(turn.Plan())
		call(turn.Commands())
		call(turn.Mode("m"))
		call(turn.ConfigOptions())
		call(turn.Title("t"))
		call(turn.Usage(acp.UsageUpdate{}))
		call(turn.Notice(acp.Notice{Title: "n"}))
		call(turn.Compaction(acp.CompactionUpdate{CompactionID: "c", Status: acp.CompactionStatusCompleted}))
		call(turn.CompactionSummary("c", acp.Text("s")))
		call(turn.Subagent(acp.SubagentUpdate{}))
		call(turn.Update(acp.UserText("u")))
		first, err := turn.ToolCall(acp.ToolCall{Title: "one"})
		call(err)
		call(first.Start())
		_, err = turn.ToolCall(acp.ToolCall{Title: "two", Status: acp.ToolCallStatusCompleted})
		call(err)
		return "", nil
	})
	id := p.ask("session/prompt", prompt(session, "hi"))
	for string(p.next().ID) != id {
	}
	s := conn.Session(acp.SessionID(session))
	if err := errors.Join(s.Text(t.Context(), "between"), s.Repeat(t.Context(), acp.AgentText("again"))); err != nil {
		t.Error(err)
	}
	want := []string{
		"begin hi", "text a", "AgentThoughtChunk", "Plan", "AvailableCommandsUpdate", "CurrentModeUpdate", "ConfigOptionUpdate",
		"SessionInfoUpdate", "UsageUpdate", "Notice", "CompactionUpdate", "CompactionSummaryChunk", "SubagentUpdate",
		"UserMessageChunk", "ToolCall", "call in_progress", "ToolCall", "call failed", "end end_turn <nil>", "text between",
	}
	if got := r.has(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What can't be recorded is not sent, and whoever wanted to send it is told; the end of a tool call is sent all the same (T2).
func TestWhatCantBeRecordedIsNotSent(t *testing.T) {
	full := errors.New("the disk is full")
	r := &tape{fail: func(line string) error {
		if strings.HasPrefix(line, "begin no") || line == "text a" || line == "Plan" || strings.HasPrefix(line, "call") {
			return full
		}
		return nil
	}}
	_, p, session := recorded(t, r, func(turn *agent.Turn) (acp.StopReason, error) {
		call, err := turn.ToolCall(acp.ToolCall{Title: "one"})
		if err != nil {
			t.Error(err)
		}
		for _, err := range []error{turn.Text("a"), turn.Plan(), call.Complete(), turn.Session().Plan(t.Context())} {
			if !errors.Is(err, full) {
				t.Errorf("got %v", err)
			}
		}
		return "", turn.Text("b")
	})
	if got := p.call("session/prompt", prompt(session, "no")); got.Error == nil || !strings.Contains(got.text, "the disk is full") {
		t.Errorf("a prompt that can't be recorded: %s", got.text)
	}
	id := p.ask("session/prompt", prompt(session, "hi"))
	var kinds []string
	for m := p.next(); string(m.ID) != id; m = p.next() {
		kinds = append(kinds, m.kind())
	}
	if want := []string{"tool_call", "agent_message_chunk", "tool_call_update"}; !slices.Equal(kinds, want) {
		t.Errorf("sent: %q, want %q", kinds, want)
	}
}

// What the client has seen is recorded already, in the order in which it saw it, whoever sends at the same time.
func TestRecordedBeforeItIsSent(t *testing.T) {
	r := &tape{}
	_, p, session := recorded(t, r, func(turn *agent.Turn) (acp.StopReason, error) {
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				for j := range 25 {
					_ = turn.Text(fmt.Sprint(i*100 + j))
				}
			})
		}
		all.Wait()
		return "", nil
	})
	id := p.ask("session/prompt", prompt(session, "hi"))
	n := 1
	for m := p.next(); string(m.ID) != id; m = p.next() {
		if lines := r.has(); len(lines) <= n || lines[n] != "text "+m.chunk() {
			t.Fatalf("%s was sent as number %d; recorded: %q", m.chunk(), n, lines)
		}
		n++
	}
	if lines := r.has(); lines[len(lines)-1] != "end end_turn <nil>" {
		t.Errorf("the answer came before the end was recorded: %q", lines[n:])
	}
}
