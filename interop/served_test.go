package interop_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A served is `patchbay agent` with a scripted model, and a session of it, which the SDK's client drives. One process may come
// after the other.
type served struct {
	t         *testing.T
	client    *sdkClient
	model     *modeltest.Server
	session   string
	dir, home string
	traces    []string // of each process
	told      string   // all updates so far that no turn has brought
}

// settle prepares the places, a user's file that also says so, and a model that says these things, one after the other.
func settle(t *testing.T, file string, answers ...modeltest.Answer) *served {
	t.Helper()
	requirePeers(t)
	s := &served{t: t, dir: folder(t), home: folder(t), model: modeltest.New(t, modeltest.Script(answers...))}
	put(t, s.home, "config/patchbay/patchbay.toml", file+"\n"+formats[0].alike())
	return s
}

// launch starts the agent, for a client that can do everything, but for what is left out.
func (s *served) launch(without ...string) {
	s.t.Helper()
	trace := filepath.Join(s.home, fmt.Sprintf("trace-%d.ndjson", len(s.traces)))
	s.traces = append(s.traces, trace)
	s.client = connect(s.t, formats[0].environment(s.home, s.model), patchbay(s.t), "agent", "--trace", trace)
	s.client.must(hello(without...))
}

// hello is initialize without some capabilities.
func hello(without ...string) step {
	params := maps.Clone(initialize.Params.(object))
	able := maps.Clone(params["clientCapabilities"].(object))
	for _, name := range without {
		delete(able, name)
	}
	params["clientCapabilities"] = able
	return step{Request: initialize.Request, Params: params}
}

// begin makes a session.
func (s *served) begin(servers ...object) reply {
	s.t.Helper()
	r := s.client.must(step{Request: "session/new", Params: object{"cwd": s.dir, "mcpServers": append([]object{}, servers...)}})
	s.session, s.told = r.Result["sessionId"].(string), updatesOf(s.t, r)
	return r
}

// serving starts the agent with a model that says these things, one after the other, and a session with servers.
func serving(t *testing.T, servers []object, answers ...modeltest.Answer) *served {
	t.Helper()
	s := settle(t, "", answers...)
	s.launch()
	s.begin(servers...)
	return s
}

// await waits until the client has been told something.
func (s *served) await(text string) {
	s.t.Helper()
	if !strings.Contains(s.told, text) {
		s.told += updatesOf(s.t, s.client.must(step{Until: text}))
	}
}

// turn takes a turn in which all is allowed and forms are filled in.
func (s *served) turn(text string) reply {
	s.t.Helper()
	return s.answering("allow_once", text)
}

// answering takes a turn in which questions get an answer of this kind.
func (s *served) answering(kind, text string) reply {
	s.t.Helper()
	p := prompt(s.session, text)
	p.Answer, p.Content = kind, object{"name": "Ada", "check": true}
	r := s.client.must(p)
	same(s.t, text+": stop reason", r.Result["stopReason"], "end_turn")
	return r
}

// about asks something about the session, with further params.
func (s *served) about(method string, more object) reply {
	s.t.Helper()
	return s.client.must(s.request(method, more))
}

// request is a request about the session, with further params.
func (s *served) request(method string, more object) step {
	params := object{"sessionId": s.session}
	maps.Copy(params, more)
	return step{Request: method, Params: params}
}

// result is what the model has been told in its request n of the call before.
func (s *served) result(n int) modeltest.Returned {
	s.t.Helper()
	heard := s.model.Heard()
	if n < len(heard) {
		m := heard[n].Messages
		if last := m[len(m)-1]; len(last.Results) == 1 {
			return last.Results[0]
		}
	}
	s.t.Fatalf("the model has made no call before its request %d of %d", n, len(heard))
	return modeltest.Returned{}
}

// end ends the client and the agent, and checks each message between all clients and agents so far.
func (s *served) end() {
	s.t.Helper()
	s.client.end()
	for _, trace := range s.traces {
		for _, err := range invalid(without(wireOf(s.t, trace), "session/set_model")) { // it is no method of this schema any more
			s.t.Errorf("%s: %v", filepath.Base(trace), err)
		}
	}
}

// without leaves out the requests of a method, and their answers.
func without(messages []message, method string) (rest []message) {
	asked := map[string]bool{}
	for _, m := range messages {
		switch {
		case m.Method == method:
			asked[string(m.ID)] = true
		case m.Method == "" && asked[string(m.ID)]:
			delete(asked, string(m.ID))
		default:
			rest = append(rest, m)
		}
	}
	return rest
}

// kill kills the agent, and ends its client.
func (s *served) kill() {
	s.t.Helper()
	s.client.must(step{Kill: "SIGKILL"})
	s.killed()
}

// killed ends the client of an agent that was killed.
func (s *served) killed() {
	s.t.Helper()
	s.client.endAs(`{"code":null,"signal":"SIGKILL"}`)
}

// calls is an answer that makes one call.
func calls(name, input string) modeltest.Answer {
	return modeltest.Answer{Calls: []modeltest.Called{{Name: name, Input: input}}}
}

var done = modeltest.Answer{Text: "done"}

// turnsOf are turns of one call each.
func turnsOf(answers ...modeltest.Answer) (list []modeltest.Answer) {
	for _, a := range answers {
		list = append(list, a, done)
	}
	return list
}
