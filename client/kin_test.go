package client_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// taskCall is how agents show a subagent that works, without the protocol's own updates.
const taskCall = `{"sessionUpdate":"tool_call","toolCallId":"t","title":"task","status":"in_progress","rawInput":{"subagent_type":"general"`

// F51: a subagent whose session is not open here asks in the session that it works for. Whose it is can stand in several
// places; where it stands in none, the question is refused, and so is what is no question.
func TestF51_AnUnknownSessionsQuestionsReachItsParent(t *testing.T) {
	asks := func(meta, callMeta string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"child"` + meta + `,"toolCall":{"toolCallId":"x"` + callMeta +
			`},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}}`
	}
	reads := `{"jsonrpc":"2.0","id":7,"method":"fs/read_text_file","params":{"sessionId":"child","path":"/project/none"}}`
	for name, test := range map[string]struct {
		updates []string
		request string
		want    string // part of the answer
	}{
		"the child that a call continues": {[]string{taskCall + `,"session_id":"child"}}`}, asks("", ""), `"yes"`},
		"the child that a call has named": {[]string{taskCall + `},"_meta":{"sessionId":"child"}}`}, asks("", ""), `"yes"`},
		"a child's file":                  {[]string{taskCall + `,"session_id":"child"}}`}, reads, `resource not found: /project/none`},
		"the only child without a name":   {[]string{taskCall + `}}`}, asks("", ""), `"yes"`},
		"a file of that child":            {[]string{taskCall + `}}`}, reads, `session not found`},
		"another child":                   {[]string{taskCall + `,"session_id":"other"}}`}, asks("", ""), `session not found`},
		"the question's own word":         {nil, asks(`,"_meta":{"parentSessionId":"s"}`, ""), `"yes"`},
		"its call's word":                 {nil, asks("", `,"_meta":{"a":1,"some.agent/task":{"parentSessionId":"s"}}`), `"yes"`},
		"the word of a stranger":          {nil, asks(`,"_meta":{"parentSessionId":"z"}`, ""), `session not found`},
		"no word at all":                  {nil, asks("", ""), `session not found`},
	} {
		t.Run(name, func(t *testing.T) {
			u := &user{permit: func(_ context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
				if s.ID() != "s" || req.SessionID != "child" {
					t.Errorf("asked in session %s for %s", s.ID(), req.SessionID)
				}
				return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
			}}
			c, a := connect(t, u, client.Options{Files: &client.Files{}}, noCapabilities)
			s := open(t, c, a)
			_, _ = prompt(t, s, a)
			var lines []string
			for _, body := range test.updates {
				lines = append(lines, update("s", body))
			}
			a.send(append(lines, test.request)...)
			m := a.next()
			answer := string(m.Result)
			if m.Error != nil {
				answer = m.Error.Error()
			}
			if string(m.ID) != "7" || !strings.Contains(answer, test.want) {
				t.Errorf("the answer is %s, want %s", answer, test.want)
			}
		})
	}
}

// F51: a subagent's call is not taken for the call of its parent that has the same id.
func TestF51_ACallOfASubagentIsNotItsParents(t *testing.T) {
	found := make(chan *client.ToolCall, 2)
	u := &user{permit: func(_ context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		found <- s.Asked(req)
		return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
	}}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	open(t, c, a)
	a.send(update("s", taskCall+`,"session_id":"child"}}`))
	for i, session := range []string{`"child"`, `"s"`} {
		a.send(asks(i, "session/request_permission", strings.Replace(askPermission, `"s"`, session, 1)))
		a.next()
		if call := within(t, "the question", found); (call == nil) != (session == `"child"`) {
			t.Errorf("the call that session %s asks about is %+v", session, call)
		}
	}
}

// F51: two sessions that could each be the one make a question that nobody can place, however late the second is heard of:
// as long as updates are waiting, there is no guess.
func TestF51_AQuestionOfOneOfTwoIsRefused(t *testing.T) {
	for _, busy := range []time.Duration{0, time.Second, time.Minute} {
		t.Run(busy.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { askFromOneOfTwo(t, busy) })
		})
	}
}

// askFromOneOfTwo has two sessions with a nameless subagent each, the second of which is busy for a while with what it was told before.
func askFromOneOfTwo(t *testing.T, busy time.Duration) {
	u := &user{hear: func(_ context.Context, s *client.Session, _ acp.SessionUpdate) {
		if s.ID() == "s2" {
			time.Sleep(busy)
		}
	}}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	first := open(t, c, a)
	var second *client.Session
	both(t, func() (err error) {
		second, err = c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() { a.send(outcome(a.expect("session/new"), `{"sessionId":"s2"}`)) })
	_, _ = prompt(t, first, a)
	_, _ = prompt(t, second, a)
	a.send(update("s", taskCall+`}}`), says("s2", "Wait."), update("s2", taskCall+`}}`),
		asks(1, "session/request_permission", strings.Replace(askPermission, `"s"`, `"child"`, 1)))
	if m := a.next(); m.Error == nil || m.Error.Code != acp.CodeResourceNotFound {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
}

// F51: the parent's cancel answers what its subagent has asked.
func TestF51_ACancelAnswersAnUnknownSessionsQuestion(t *testing.T) {
	asked := make(chan struct{}, 1)
	u := &user{permit: func(ctx context.Context, _ *client.Session, _ *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(update("s", taskCall+`,"session_id":"child"}}`), asks(1, "session/request_permission", strings.Replace(askPermission, `"s"`, `"child"`, 1)))
	within(t, "the question", asked)
	if err := turn.Cancel(deadline(t)); err != nil {
		t.Fatal(err)
	}
	a.expect("session/cancel")
	if m := a.next(); !strings.Contains(string(m.Result), "cancelled") {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
	a.send(outcome(p, `{"stopReason":"cancelled"}`))
	ends(t, turn, acp.StopReasonCancelled)
}
