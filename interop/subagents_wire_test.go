package interop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// origin is what a message says of the subagent that it comes from.
func origin(m object) object {
	meta, _ := m["_meta"].(object)
	about, _ := meta["patchbay.dev/subagent"].(object)
	return about
}

// F51, F76, S004.12: what a subagent wants to do is asked under the session that the SDK's client has opened, with the subagent named,
// and done or not as the user says. A client that knows subagents is told by their own updates that one waits, and sees its
// calls in the session that is its own; any other sees the call in its own session. No list has the subagent's.
func TestF51_SDKClientAnswersASubagent(t *testing.T) {
	for name, without := range map[string][]string{"as a tool call": {"subagents"}, "as a session": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var script []modeltest.Answer
			for range 2 {
				script = append(script, calls("task", `{"description":"Write it","prompt":"Write a.txt","subagent_type":"general"}`),
					calls("write", `{"path":"a.txt","text":"a"}`), done, done)
			}
			s := settle(t, "", script...)
			s.launch(without...)
			s.begin()
			for _, c := range []struct {
				answer, end string
				made        bool
			}{{"reject_once", "failed", false}, {"allow_once", "in_progress completed", true}} {
				want := account{Task: "pending in_progress in_progress in_progress completed", Asked: "pending " + c.end}
				if without == nil {
					want.States, want.Own = "running requires_action running idle", "pending "+c.end
				}
				r := s.answering(c.answer, "go")
				s.asked(r, true)
				for _, a := range r.Asked {
					same(t, a.Method+" is asked in", a.Params["sessionId"], any(s.session))
				}
				same(t, "what was seen", s.seen(r), want)
				same(t, "written", is(s.dir, "a.txt"), c.made)
			}
			listed, _ := s.list(object{})
			same(t, "the list", listed, []string{s.session})
			s.end()
		})
	}
}

// An account is what a client was told of a subagent: the states of the subagent itself, of the call that has started it, and of the
// call that was asked about, in the session of the parent and in its own.
type account struct{ States, Task, Asked, Own string }

// seen checks what a turn's question says about where it comes from, and returns what was told of the subagent that it names.
func (s *served) seen(r reply) (a account) {
	s.t.Helper()
	question := s.question(r)
	call := question["toolCall"].(object)
	same(s.t, "the question", call["title"], any("Write it (@general subagent): Write a.txt"))
	child := origin(question)["sessionId"]
	same(s.t, "its parent", origin(question)["parentSessionId"], any(s.session))
	if child == nil || child == s.session {
		s.t.Errorf("it is said to come from %v", child)
	}
	add := func(list *string, state any) {
		if state != nil {
			*list = strings.TrimSpace(fmt.Sprint(*list, " ", state))
		}
	}
	for _, u := range r.Updates {
		switch {
		case u.Update["sessionUpdate"] == "subagent_update":
			same(s.t, "the subagent", u.Update["sessionId"], child)
			add(&a.States, u.Update["state"].(object)["state"])
		case u.SessionID == child:
			add(&a.Own, u.Update["status"])
		case u.SessionID != s.session:
			s.t.Errorf("there is an update of the session %s", u.SessionID)
		case u.Update["toolCallId"] == call["toolCallId"]:
			add(&a.Asked, u.Update["status"])
		default:
			add(&a.Task, u.Update["status"])
		}
	}
	return a
}
