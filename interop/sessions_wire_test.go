package interop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// kept are the updates of a reply that are part of what was said and done: not what is told anew whenever a session is
// opened. Pieces of a message are joined, since how many there are means nothing.
func kept(r reply) (list []object) {
	for _, u := range r.Updates {
		kind := u.Update["sessionUpdate"].(string)
		if kind == "available_commands_update" || kind == "session_info_update" {
			continue
		}
		if n := len(list); n > 0 && strings.HasSuffix(kind, "_chunk") && list[n-1]["sessionUpdate"] == kind && list[n-1]["messageId"] == u.Update["messageId"] {
			before, after := list[n-1]["content"].(object), u.Update["content"].(object)
			before["text"] = textOf(before) + textOf(after)
			continue
		}
		list = append(list, u.Update)
	}
	return list
}

// byUser is what the user said, as it is shown again, but for its id.
func byUser(u object) string {
	if u["sessionUpdate"] != "user_message_chunk" {
		return ""
	}
	return textOf(u["content"])
}

// reopen starts another agent, which opens the session.
func (s *served) reopen(method string) reply {
	s.t.Helper()
	s.launch()
	return s.about(method, object{"cwd": s.dir, "mcpServers": []object{}})
}

// S000.5, F63, F64, F77: the SDK's client has its agent killed in the middle of a question, and finds the session whole in
// another process: all that it saw, with the same ids, before the answer, and the call that was open has failed. To resume it
// shows nothing, and the model is told all the same.
func TestF64_SDKClientFindsAKilledSessionWhole(t *testing.T) {
	t.Parallel()
	s := settle(t, "",
		modeltest.Answer{Thought: "how?", Text: "I write it.", Calls: []modeltest.Called{
			{Name: "write", Input: `{"path":"a.txt","text":"one\n"}`},
			{Name: "plan", Input: `{"entries":[{"content":"write it","status":"completed"}]}`},
			{Name: "shell", Input: `{"command":"cat a.txt"}`},
		}},
		modeltest.Answer{Text: "That was the first turn."},
		modeltest.Answer{Text: "And now", Calls: []modeltest.Called{{Name: "write", Input: `{"path":"b.txt","text":"two\n"}`}}},
		done)
	s.launch()
	s.begin()
	live := kept(s.turn("the first"))
	second := prompt(s.session, "the second")
	second.When = []any{"session/request_permission", step{Kill: "SIGKILL"}}
	r := s.client.do(second)
	if r.Error == nil {
		t.Errorf("the turn of an agent that was killed ended with %v", r.Result)
	}
	live = append(live, kept(r)...)
	s.killed()

	for range 2 { // to load it changes nothing
		r = s.reopen("session/load")
		same(t, "the last thing that came", r.Wire[len(r.Wire)-1], "answer")
		var shown []object
		var asked []string
		for _, u := range kept(r) {
			if text := byUser(u); text != "" {
				asked = append(asked, text)
				continue
			}
			shown = append(shown, u)
		}
		same(t, "prompts", asked, []string{"the first", "the second"})
		if len(shown) != len(live)+1 {
			t.Fatalf("loading shows %d updates of %d and the end of the call:\n%v", len(shown), len(live), strings.Join(r.lines(), "\n"))
		}
		same(t, "what is shown again", shown[:len(live)], live)
		last := shown[len(live)]
		same(t, "the call that was open", []any{last["status"], last["toolCallId"]}, []any{"failed", live[len(live)-1]["toolCallId"]})
		s.client.end()
	}

	r = s.reopen("session/resume")
	same(t, "resuming shows", kept(r), []object(nil))
	s.turn("the third")
	told := fmt.Sprint(s.model.Last().Messages)
	contains(t, told, "the first", "That was the first turn.", "the second", "And now", "the third")
	same(t, "b.txt was written", is(s.dir, "b.txt"), false)
	s.end()
}

// list lists sessions, and returns their ids and the cursor of the next page.
func (s *served) list(params object) (ids []string, next any) {
	s.t.Helper()
	r := s.client.must(step{Request: "session/list", Params: params})
	for _, each := range r.Result["sessions"].([]any) {
		ids = append(ids, each.(object)["sessionId"].(string))
	}
	return ids, r.Result["nextCursor"]
}

// S004.6: the SDK's client reads a list page by page, of one folder or of all, the newest first.
func TestS004_6_SDKClientReadsListsOfSessions(t *testing.T) {
	t.Parallel()
	s := settle(t, "", done)
	s.launch()
	var want []string
	for i := range 52 {
		if i == 51 {
			s.dir = folder(t)
		}
		s.begin()
		s.about("session/set_title", object{"title": fmt.Sprint("number ", i)})
		want = append([]string{s.session}, want...)
	}
	first, next := s.list(object{})
	if next == nil {
		t.Fatal("the first page has no cursor")
	}
	second, end := s.list(object{"cursor": next})
	same(t, "both pages", append(first, second...), want)
	same(t, "the cursor of the last page", end, nil)
	here, next := s.list(object{"cwd": s.dir})
	same(t, "the sessions of a folder", here, want[:1])
	same(t, "its cursor", next, nil)
	r := s.client.do(step{Request: "session/list", Params: object{"cursor": "of another list"}})
	if r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("an unknown cursor: got %v and the error %+v", r.Result, r.Error)
	}
	s.end()
}

// S004.6, F68: the SDK's client names a session, asks how it is, puts it away and back, forks it and deletes it; and is told that
// there is none when it is gone.
func TestS004_6_SDKClientManagesItsSessions(t *testing.T) {
	t.Parallel()
	s := settle(t, "", done)
	s.launch()
	s.begin()
	is := func(what string, want string) {
		t.Helper()
		same(t, what, s.about("session/status", nil).Result["status"], want)
	}
	listed := func(filter string) []string {
		t.Helper()
		params := object{"cwd": s.dir}
		if filter != "" {
			params["archived"] = filter
		}
		ids, _ := s.list(params)
		return ids
	}
	r := s.turn("Remember the word pear")
	contains(t, strings.Join(r.lines(), "\n"), "session_info_update Remember the word pear")
	r = s.about("session/set_title", object{"title": "  My\n own "})
	same(t, "the title", r.Result["title"], "My own")
	same(t, "told", r.lines(), []string{"session_info_update My own"})
	same(t, "a title of the agent's", strings.Contains(strings.Join(s.turn("go on").lines(), "\n"), "session_info_update"), false)
	is("while it is open", "open")
	first := []string{s.session}

	s.about("session/archive", nil)
	is("in the archive", "saved")
	same(t, "the list", listed(""), []string(nil))
	same(t, "the archive", listed("only"), first)
	s.about("session/unarchive", nil)
	same(t, "the list", listed(""), first)

	r = s.about("session/fork", object{"cwd": s.dir, "mcpServers": []object{}})
	s.session = r.Result["sessionId"].(string)
	s.turn("which word?")
	contains(t, fmt.Sprint(s.model.Last().Messages), "Remember the word pear", "which word?")
	fork := s.session
	same(t, "the list", listed(""), []string{fork, first[0]})
	s.about("session/close", nil)
	is("after it was closed", "saved")
	s.about("session/delete", nil)
	same(t, "the list", listed(""), first)
	for _, method := range []string{"session/load", "session/resume", "session/fork", "session/status", "session/archive"} {
		params := object{}
		if method != "session/status" && method != "session/archive" {
			params = object{"cwd": s.dir, "mcpServers": []object{}}
		}
		if r := s.client.do(s.request(method, params)); r.Error == nil || r.Error.Code != -32002 {
			t.Errorf("%s of a session that is gone: got %v and the error %+v, want -32002", method, r.Result, r.Error)
		}
	}
	s.session = first[0]
	r = s.about("session/load", object{"cwd": s.dir, "mcpServers": []object{}})
	contains(t, strings.Join(r.lines(), "\n"), "user_message_chunk Remember the word pear", "user_message_chunk go on")
	s.end()
}

// F50, T4: where the SDK's client closes, archives, deletes or opens a session while it has a question open, the turn ends as
// cancelled and nothing is done, whatever it answers after that.
func TestF50_SDKClientEndsSessionsWhileItIsAsked(t *testing.T) {
	t.Parallel()
	s := settle(t, "", calls("write", `{"path":"a.txt","text":"a"}`))
	s.launch()
	opening := object{"cwd": s.dir, "mcpServers": []object{}}
	for method, params := range map[string]object{
		"session/close": nil, "session/archive": nil, "session/delete": nil, "session/load": opening, "session/resume": opening,
	} {
		for _, answer := range []string{"allow_once", "cancelled"} {
			s.begin()
			p := prompt(s.session, "go")
			p.Answer = answer
			p.When = []any{"session/request_permission", s.request(method, params)}
			r := s.client.must(p)
			if r.Then == nil || r.Then.Error != nil {
				t.Fatalf("%s: %+v", method, r.Then)
			}
			same(t, method+", "+answer+": stop reason", r.Result["stopReason"], "cancelled")
			want := []string{"pending", "failed"}
			if method == "session/load" { // shows it again
				want = append(want, want...)
			}
			same(t, method+": the call", r.states(), want)
		}
	}
	same(t, "a.txt was written", is(s.dir, "a.txt"), false)
	s.end()
}
