package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// F50: closing, deleting and archiving a session cancel its turn first: its answer leaves before the other one.
func TestEndingASessionCancelsItsTurn(t *testing.T) {
	for method, want := range map[string]string{
		"session/close":   "[turn close s]",
		"session/delete":  "[turn delete s]",
		"session/archive": "[turn close s archive s]",
	} {
		t.Run(method, func(t *testing.T) {
			a := &full{onNew: func(context.Context, *agent.Session) (*acp.NewSessionResponse, error) {
				return &acp.NewSessionResponse{SessionID: "s"}, nil
			}}
			var session *agent.Session
			a.PromptFunc = func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
				session = turn.Session()
				defer a.note("turn")
				if err := turn.Text("running"); err != nil {
					t.Error(err)
				}
				return untilCancelled(ctx, turn)
			}
			p := start(t, a, options(), `{}`)
			p.newSession()
			turn := p.ask("session/prompt", prompt("s", "hi"))
			p.says("running")
			end := p.ask(method, in("s"))
			p.stopped(turn, "cancelled")
			p.result(end)
			if got := fmt.Sprint(a.notes()); got != want {
				t.Errorf("the agent saw %s, want %s", got, want)
			}
			if err := session.Text(t.Context(), "late"); !errors.Is(err, agent.ErrSessionClosed) {
				t.Errorf("the session says %v", err)
			}
			p.failure(p.ask("session/prompt", prompt("s", "hi")), acp.CodeResourceNotFound, "s")
		})
	}
}

// A session that the agent itself ends is closed as if its client had: with its turn, and for good.
func TestASessionIsEndedByTheAgent(t *testing.T) {
	a := &full{}
	a.PromptFunc = func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		defer a.note("turn")
		if err := turn.Text("running"); err != nil {
			t.Error(err)
		}
		return untilCancelled(ctx, turn)
	}
	conn, p := connect(t, a, options())
	p.call("initialize", `{"protocolVersion":1}`)
	id := p.newSession()
	turn := p.ask("session/prompt", prompt(id, "hi"))
	p.says("running")
	session := conn.Session(acp.SessionID(id))
	if err := session.End(t.Context(), "it is needed elsewhere"); err != nil {
		t.Fatal(err)
	}
	p.stopped(turn, "cancelled")
	if got, want := fmt.Sprint(a.notes()), "[turn close "+id+"]"; got != want {
		t.Errorf("the agent saw %s, want %s", got, want)
	}
	p.failure(p.ask("session/prompt", prompt(id, "hi")), acp.CodeResourceNotFound, id)
	if err := session.End(t.Context(), "again"); err == nil {
		t.Error("it was ended twice")
	}
}

// Loading a session that is open cancels its turn, and the new one takes its place.
func TestLoadingAnOpenSessionCancelsItsTurn(t *testing.T) {
	a := &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		if turn.PromptText() == "wait" {
			return untilCancelled(ctx, turn)
		}
		return "", nil
	}}
	conn, p := connect(t, a, options())
	p.call("initialize", `{"protocolVersion":1}`)
	session := p.newSession()
	turn := p.ask("session/prompt", prompt(session, "wait"))
	load := p.ask("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":"/elsewhere","mcpServers":[]}`, session))
	p.stopped(turn, "cancelled")
	p.says("replayed")
	p.result(load)
	if s := conn.Session(acp.SessionID(session)); s.CWD() != "/elsewhere" || len(conn.Sessions()) != 1 {
		t.Errorf("the session is %+v", s)
	}
	p.stopped(p.ask("session/prompt", prompt(session, "hi")), "end_turn")
}

// A session that is open stays open if the client cancels loading it once more, whatever the author makes of the cancel.
func TestACancelledLoadLeavesAnOpenSessionOpen(t *testing.T) {
	for name, loads := range map[string]error{"loaded": nil, "gave up": context.Canceled} {
		t.Run(name, func(t *testing.T) {
			loading := make(chan struct{})
			a := &full{onLoad: func(ctx context.Context, s *agent.Session) error {
				close(loading)
				<-ctx.Done()
				return loads
			}}
			p := start(t, a, options(), `{}`)
			session := p.newSession()
			load := p.ask("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":"/proj","mcpServers":[]}`, session))
			wait(t, "session/load", loading)
			p.send(notification("$/cancel_request", `{"requestId":`+load+`}`))
			p.failure(load, acp.CodeRequestCancelled)
			p.stopped(p.ask("session/prompt", prompt(session, "hi")), "end_turn")
			if got := a.notes(); len(got) > 0 {
				t.Errorf("the agent saw %s", got)
			}
		})
	}
}

// A session whose author can't close or load it stays as it is.
func TestASessionThatCannotEndStaysOpen(t *testing.T) {
	a := &full{onLoad: func(context.Context, *agent.Session) error { return errors.New("corrupt") }}
	p := start(t, a, options(), `{}`)
	session := p.newSession()
	load := p.ask("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":"/proj","mcpServers":[]}`, session))
	p.failure(load, acp.CodeInternalError, "corrupt")
	p.stopped(p.ask("session/prompt", prompt(session, "hi")), "end_turn")

	a.onClose = errors.New("busy")
	p.failure(p.ask("session/close", in(session)), acp.CodeInternalError, "busy")
	p.stopped(p.ask("session/prompt", prompt(session, "hi")), "end_turn")
	a.onClose = nil
	p.result(p.ask("session/close", in(session)))
	p.failure(p.ask("session/prompt", prompt(session, "hi")), acp.CodeResourceNotFound, session)
	if got, want := fmt.Sprint(a.notes()), fmt.Sprintf("[close %[1]s close %[1]s]", session); got != want {
		t.Errorf("the agent saw %s, want %s", got, want)
	}
}

// Between turns a session may ask its client for everything that a turn may.
func TestASessionAsksBetweenTurns(t *testing.T) {
	conn, p := connect(t, nothing, options())
	p.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+oneLine(everything)+`}`)
	s := conn.Session(acp.SessionID(p.newSession()))
	// The answer that opens the session may arrive a moment before this side knows that it has left. A turn waits for that.
	p.result(p.ask("session/prompt", `{"sessionId":"`+string(s.ID())+`","prompt":[]}`))
	ctx := t.Context()
	steps := []struct {
		method, result string
		do             func() (any, error)
		want           string
	}{
		{"fs/read_text_file", `{"content":"text"}`, func() (any, error) { return s.ReadTextFile(ctx, "a", 0, 0) }, "text"},
		{"fs/write_text_file", `{}`, func() (any, error) { return nil, s.WriteTextFile(ctx, "a", "b") }, "<nil>"},
		{"terminal/create", `{"terminalId":"t1"}`, func() (any, error) {
			term, err := s.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "ls"})
			return term.ID(), err
		}, "t1"},
		{"elicitation/create", `{"action":"cancel"}`, func() (any, error) {
			answer, err := s.Elicit(ctx, acp.CreateElicitationRequest{Mode: &acp.ElicitationFormMode{}})
			return fmt.Sprintf("%T", answer.Action), err
		}, "*acp.ElicitationCancelAction"},
		{"session/request_permission", `{"outcome":{"outcome":"selected","optionId":"allow_once"}}`, func() (any, error) {
			option, err := s.RequestPermission(ctx, acp.ToolCallUpdate{ToolCallID: "c"}, acp.PermissionOptions(acp.PermissionOptionKindAllowOnce)...)
			return option.Kind, err
		}, "allow_once"},
	}
	for _, step := range steps {
		done := make(chan string, 1)
		go func() {
			got, err := step.do()
			if err != nil {
				got = err
			}
			done <- fmt.Sprint(got)
		}()
		question := p.asked(step.method)
		if question.Params.SessionID != string(s.ID()) && step.method != "elicitation/create" {
			t.Errorf("got %s", question.text)
		}
		p.reply(question, step.result)
		if got := <-done; got != step.want {
			t.Errorf("%s returned %s, want %s", step.method, got, step.want)
		}
	}
	if s.Turn() != nil {
		t.Error("there is a turn")
	}
}

// Closing a session ends what it asks of its client outside of turns, and the client is told that nobody waits.
func TestClosingASessionEndsItsQuestions(t *testing.T) {
	questions := map[string]func(context.Context, *agent.Session) error{
		"session/request_permission": func(ctx context.Context, s *agent.Session) error {
			_, err := s.RequestPermission(ctx, acp.ToolCallUpdate{ToolCallID: "c"}, acp.PermissionOptions(acp.PermissionOptionKindAllowOnce)...)
			return err
		},
		"elicitation/create": func(ctx context.Context, s *agent.Session) error {
			_, err := s.Elicit(ctx, acp.CreateElicitationRequest{Mode: formOf("")})
			return err
		},
		"terminal/create": func(ctx context.Context, s *agent.Session) error {
			_, err := s.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "ls"})
			return err
		},
	}
	for method, ask := range questions {
		t.Run(method, func(t *testing.T) {
			asked := make(chan error, 1)
			a := &full{}
			a.closing = func(ctx context.Context, s *agent.Session) error {
				if err := <-asked; !errors.Is(err, agent.ErrSessionClosed) {
					t.Errorf("the question ended with %v", err)
				}
				_, err := s.ReadTextFile(ctx, "a", 0, 0) // it is not closed yet
				return err
			}
			conn, p := connect(t, a, options())
			p.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+oneLine(everything)+`}`)
			s := conn.Session(acp.SessionID(p.newSession()))
			p.stopped(p.ask("session/prompt", prompt(string(s.ID()), "hi")), "end_turn")
			go func() { asked <- ask(context.Background(), s) }()
			question := p.asked(method)
			end := p.ask("session/close", in(string(s.ID())))
			if method != "terminal/create" { // which is waited for, so that the terminal does not stay
				if m := p.next(); m.Method != "$/cancel_request" || !strings.Contains(m.text, string(question.ID)) {
					t.Errorf("got %s", m.text)
				}
			}
			p.reply(p.asked("fs/read_text_file"), `{"content":""}`)
			p.result(end)
			if method == "terminal/create" {
				p.reply(question, `{"terminalId":"t1"}`)
				p.takesAway("t1")
			}
			if err := ask(t.Context(), s); !errors.Is(err, agent.ErrSessionClosed) {
				t.Errorf("a closed session says %v", err)
			}
			p.silent()
		})
	}
}

// S002.9: modes are set by name, and a list of sessions is checked before the agent sees it.
func TestModesAndLists(t *testing.T) {
	p := start(t, &full{}, options(), `{}`)
	session := p.newSession()
	mode := func(mode string) string { return fmt.Sprintf(`{"sessionId":%q,"modeId":%q}`, session, mode) }
	if got := p.result(p.ask("session/set_mode", mode("code"))); len(got) != 0 {
		t.Errorf("got %v, want {}", got)
	}
	p.failure(p.ask("session/set_mode", mode("x")), acp.CodeInvalidParams, "x")

	if got := fmt.Sprint(p.result(p.ask("session/list", `{}`))); got != "map[sessions:[]]" {
		t.Errorf("got %s", got)
	}
	p.failure(p.ask("session/list", `{"cwd":"src"}`), acp.CodeInvalidParams, "src")
	p.failure(p.ask("session/list", `{"archived":"maybe"}`), acp.CodeInvalidParams, "maybe")
	p.failure(p.ask("session/set_title", `{"sessionId":"s","title":" "}`), acp.CodeInvalidParams, "title")
	if got := p.result(p.ask("session/set_title", `{"sessionId":"s","title":" A "}`))["title"]; got != "A" {
		t.Errorf("the title is %v", got)
	}
	if got := p.result(p.ask("session/status", in("s")))["status"]; got != "saved" {
		t.Errorf("the status is %v", got)
	}
}

// A session that is being closed takes no prompt, and is not closed twice.
func TestASessionIsClosedOnce(t *testing.T) {
	closing, release := make(chan struct{}), make(chan struct{})
	a := &full{PromptFunc: func(ctx context.Context, _ *agent.Turn) (acp.StopReason, error) {
		<-ctx.Done()
		close(closing)
		<-release
		return "", nil
	}}
	p := start(t, a, options(), `{}`)
	session := p.newSession()
	turn := p.ask("session/prompt", prompt(session, "hi"))
	end := p.ask("session/close", in(session))
	wait(t, "the cancel", closing)
	p.failure(p.ask("session/close", in(session)), acp.CodeInvalidRequest, "closed already")
	p.failure(p.ask("session/prompt", prompt(session, "hi")), acp.CodeInvalidRequest, session)
	close(release)
	p.stopped(turn, "cancelled")
	p.result(end)
	if got := fmt.Sprint(a.notes()); got != "[close "+session+"]" {
		t.Errorf("the agent saw %s", got)
	}
}
