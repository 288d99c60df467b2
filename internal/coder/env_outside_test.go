//go:build unix

package coder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A scene is a session whose model makes calls that the test has written down.
type scene struct {
	*client
	coder *coder.Coder
	model *scripted
}

// stage starts one. Each of the calls is a name and an input with single quotes; the model makes them one after the other.
func stage(t *testing.T, c *client, calls ...string) *scene {
	t.Helper()
	m := &scripted{}
	for i := 0; i < len(calls); i += 2 {
		m.answers = append(m.answers, []any{
			&model.Call{ID: "call", Name: calls[i], Input: acp.Raw(strings.ReplaceAll(calls[i+1], "'", `"`))}, model.Stop{Reason: model.StopCalls},
		})
	}
	m.forever = []any{model.Text("done"), model.Stop{Reason: model.StopEnd}}
	if c.permit == nil {
		c.permit = answers(acp.PermissionOptionKindAllowOnce)
	}
	s := &scene{c, coder.With(m), m}
	c.connect(t, s.coder)
	c.dir = realDir(t)
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	return s
}

// results are what the model has been told about its calls.
func (s *scene) results() []string {
	s.model.mu.Lock()
	defer s.model.mu.Unlock()
	var list []string
	for _, r := range s.model.requests {
		for _, result := range r.Messages[len(r.Messages)-1].Results {
			text := result.Text
			if result.Failed {
				text = "failed: " + text
			}
			list = append(list, text)
		}
	}
	return list
}

func (s *scene) wantResults(want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, s.results()); diff != "" {
		s.Errorf("the model is told (-want +got):\n%s", diff)
	}
}

const whichColour = `{'question':'Which?','options':[{'label':'Red','description':'like blood'},{'label':'Blue'}]}`

// forms makes a client that takes forms and answers so.
func forms(answer func(*acp.CreateElicitationRequest) string) *client {
	c := &client{}
	c.can.Elicitation = &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}}
	c.handle = map[string]func([]byte) (any, error){
		acp.MethodElicitationCreate: func(params []byte) (any, error) {
			var req acp.CreateElicitationRequest
			if err := json.Unmarshal(params, &req); err != nil {
				return nil, err
			}
			return acp.Raw(answer(&req)), nil
		},
	}
	return c
}

// F145: the tool ask becomes a form where the client has forms. What the user does with it is a result.
func TestF145_AskByAForm(t *testing.T) {
	for answer, want := range map[string]string{
		`{"action":"accept","content":{"choice":"Blue"}}`:  "The user chose: Blue\n",
		`{"action":"decline"}`:                             "The user declined to answer\n",
		`{"action":"cancel"}`:                              "The user closed the question without an answer\n",
		`{"action":"accept","content":{"choice":"Green"}}`: `failed: asking the user: the client chose "Green", which was not offered`,
		`{"action":"accept","content":{"choice":7}}`:       `failed: asking the user: the client answered 7 for a choice`,
		`{"action":"ponder"}`:                              `failed: asking the user: the client's answer is not known`,
	} {
		s := stage(t, forms(func(req *acp.CreateElicitationRequest) string {
			scope, ok := req.Scope.(*acp.ElicitationSessionScope)
			if !ok || scope.ToolCallID == "" || req.Message != "Which?" {
				t.Errorf("asked %+v", req)
			}
			return answer
		}), "ask", whichColour)
		s.turn("go", acp.StopReasonEndTurn)
		s.wantResults(want)
	}
}

// The form has a field for each way to answer.
func TestF145_FormsOfQuestions(t *testing.T) {
	for input, c := range map[string]struct{ schema, answer, want string }{
		`{'question':'Why?'}`: {
			`{"properties":{"answer":{"title":"Answer","type":"string"}},"required":["answer"]}`,
			`{"answer":" because "}`, "The user answered\nbecause",
		},
		`{'question':'Which?','options':[{'label':'Red'}],'free_text':true}`: {
			`{"properties":{"choice":{"oneOf":[{"const":"Red","title":"Red"}],"title":"Choose one","type":"string"},"answer":{"title":"Or in your own words","type":"string"}}}`,
			`{"answer":"none"}`, "The user answered\nnone",
		},
		`{'question':'Which?','options':[{'label':'Red'},{'label':'Blue'}],'multiple':true}`: {
			`{"properties":{"choice":{"items":{"anyOf":[{"const":"Red","title":"Red"},{"const":"Blue","title":"Blue"}]},"title":"Choose any","type":"array"}}}`,
			`{"choice":["Red","Blue"]}`, "The user chose: Red; Blue\n",
		},
	} {
		s := stage(t, forms(func(req *acp.CreateElicitationRequest) string {
			schema, err := json.Marshal(req.Mode.(*acp.ElicitationFormMode).RequestedSchema)
			if err != nil {
				t.Fatal(err)
			}
			var got, want any
			if json.Unmarshal(schema, &got) != nil || json.Unmarshal([]byte(c.schema), &want) != nil {
				t.Fatalf("%s", schema)
			}
			delete(got.(map[string]any), "type")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: form (-want +got):\n%s", input, diff)
			}
			return `{"action":"accept","content":` + c.answer + `}`
		}), "ask", input)
		s.turn("go", acp.StopReasonEndTurn)
		s.wantResults(c.want)
	}
}

// F145: without forms, a choice becomes a permission request, and what can't be chosen is not asked at all.
func TestF145_AskWithoutForms(t *testing.T) {
	c := &client{permit: func(_ context.Context, asked *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		for _, o := range asked.Options {
			if o.Name == "Blue" {
				return acp.PermissionSelected(o.OptionID)
			}
		}
		t.Errorf("asked %+v", asked)
		return acp.PermissionCancelled()
	}}
	s := stage(t, c, "ask", whichColour, "ask", `{'question':'Why?'}`)
	s.turn("go", acp.StopReasonEndTurn)
	got := s.results()
	if len(got) != 2 || got[0] != "The user chose: Blue\n" || !strings.HasPrefix(got[1], "failed: Can't ask: the client has no way to ask the user this\n") {
		t.Errorf("the model is told %q", got)
	}
	if len(c.asked) != 1 {
		t.Errorf("%d requests", len(c.asked))
	}
}

// The plan that the model makes is the session's.
func TestPlansReachTheClient(t *testing.T) {
	s := stage(t, &client{}, "plan", `{'entries':[{'content':'a','status':'in_progress'}]}`, "plan", `{'entries':[{'content':'a','status':'completed','priority':'low'}]}`)
	got := s.script(s.turn("go", acp.StopReasonEndTurn))
	if !strings.Contains(got, "plan a medium in_progress\n") || !strings.Contains(got, "plan a low completed\n") {
		t.Error(got)
	}
}

// What a command writes is shown in its call while it runs, each time in the place of the last.
func TestOutputIsStreamedToTheClient(t *testing.T) {
	s := stage(t, &client{}, "shell", `{'command':'echo one; until [ -e gate ]; do sleep 0.01; done; echo two'}`)
	shows := func(text string) func(acp.SessionUpdate) bool {
		return func(u acp.SessionUpdate) bool {
			update, ok := u.(*acp.ToolCallUpdate)
			return ok && strings.Contains(lastText(update), text)
		}
	}
	go func() {
		s.await(shows("```\none\n```"))
		if err := os.WriteFile(filepath.Join(s.dir, "gate"), nil, 0o666); err != nil {
			t.Error(err)
		}
	}()
	var shown []string
	for _, u := range s.turn("go", acp.StopReasonEndTurn) {
		if update, ok := u.(*acp.ToolCallUpdate); ok && len(update.Content.Or(nil)) > 0 {
			if n := len(update.Content.Or(nil)); n != 1 {
				t.Errorf("%d blocks of content", n)
			}
			shown = append(shown, lastText(update))
		}
	}
	if want := "The command ended with status 0\n\n```\none\ntwo\n```"; len(shown) < 2 || shown[0] != "```\none\n```" || shown[len(shown)-1] != want {
		t.Errorf("shown: %q", shown)
	}
}

func lastText(u *acp.ToolCallUpdate) string {
	content := u.Content.Or(nil)
	if len(content) == 0 {
		return ""
	}
	block, _ := content[len(content)-1].(*acp.Content)
	if block == nil {
		return ""
	}
	text, _ := block.Content.(*acp.TextContent)
	if text == nil {
		return ""
	}
	return text.Text
}

// F175: the keys of providers are the agent's and not its commands'.
func TestF175_CommandsGetNoKeys(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "MY_API_KEY"} {
		t.Setenv(name, "word")
	}
	s := stage(t, &client{}, "shell", `{'command':'env | grep _API_KEY='}`)
	s.turn("go", acp.StopReasonEndTurn)
	s.wantResults("The command ended with status 0\nMY_API_KEY=word\n")
}

// F92: a command in the background outlives its turn, and ends when its session is closed, and when its client goes.
func TestF92_BackgroundJobsEnd(t *testing.T) {
	for name, end := range map[string]func(*scene){
		"session closed": func(s *scene) {
			s.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: s.session}, &acp.CloseSessionResponse{})
		},
		"session deleted": func(s *scene) {
			s.must(acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: s.session}, &acp.DeleteSessionResponse{})
		},
		"client gone": func(s *scene) {
			_ = s.rpc.Close()
			_ = s.agent.Wait()
			s.coder.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := stage(t, &client{}, "shell", `{'background':true,'command':'echo $$ > pid; exec sleep 1000'}`, "job", `{'action':'list'}`)
			s.turn("go", acp.StopReasonEndTurn)
			s.wantResults("The command runs in the background as job_1\n", "1 job in the background\njob_1 (running): echo $$ > pid; exec sleep 1000\n")
			pid := s.read("pid")
			if !alive(pid) {
				t.Fatal("it ended with its turn")
			}
			end(s)
			if alive(pid) {
				t.Error("it is alive")
			}
		})
	}
}

// read waits until a file has something in it.
func (s *scene) read(name string) string {
	s.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-tick.C {
		if text, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil && strings.HasSuffix(string(text), "\n") {
			return strings.TrimSpace(string(text))
		}
	}
	s.Fatalf("%s never came", name)
	return ""
}

// A console is a client's terminals, each with an output that the test writes.
type console struct {
	mu      sync.Mutex
	output  string
	cut     bool
	ended   chan struct{}
	created []acp.CreateTerminalRequest
}

func (o *console) write(output string, cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.output, o.cut = output, cut
}

func (o *console) client() *client {
	c := &client{}
	c.can.Terminal = true
	end := sync.OnceFunc(func() { close(o.ended) })
	c.handle = map[string]func([]byte) (any, error){
		acp.MethodTerminalCreate: func(params []byte) (any, error) {
			var req acp.CreateTerminalRequest
			if err := json.Unmarshal(params, &req); err != nil {
				return nil, err
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.created = append(o.created, req)
			return &acp.CreateTerminalResponse{TerminalID: "term"}, nil
		},
		acp.MethodTerminalOutput: func([]byte) (any, error) {
			o.mu.Lock()
			defer o.mu.Unlock()
			return &acp.TerminalOutputResponse{Output: o.output, Truncated: o.cut}, nil
		},
		acp.MethodTerminalWaitForExit: func([]byte) (any, error) {
			<-o.ended
			return &acp.WaitForTerminalExitResponse{Signal: "SIGTERM"}, nil
		},
		acp.MethodTerminalKill:    func([]byte) (any, error) { end(); return &acp.KillTerminalResponse{}, nil },
		acp.MethodTerminalRelease: func([]byte) (any, error) { end(); return &acp.ReleaseTerminalResponse{}, nil },
	}
	return c
}

// F158: a background job is in a terminal of the client's too, which is shown in its call and lives until it is stopped.
func TestF158_BackgroundJobInTheClientsTerminal(t *testing.T) {
	o := &console{ended: make(chan struct{})}
	s := stage(t, o.client(), "shell", `{'background':true,'command':'serve','cwd':'.'}`)
	got := s.turn("go", acp.StopReasonEndTurn)
	s.wantScript(got, "\nRun `serve` in the background | shell execute pending\n  in_progress\n  [terminal term]\n  completed [terminal term] [The command runs in the background as job_1]\n")
	look := func(what string) string {
		s.model.mu.Lock()
		s.model.requests = nil
		s.model.answers = [][]any{{&model.Call{ID: "call", Name: "job", Input: acp.Raw(what)}, model.Stop{Reason: model.StopCalls}}}
		s.model.mu.Unlock()
		s.turn("go", acp.StopReasonEndTurn)
		return s.results()[0]
	}
	const output = `{"action":"output","id":"job_1"}`
	for _, step := range []struct {
		output string
		cut    bool
		want   string
	}{
		{"", false, "job_1 is running and has written nothing new\n"},
		{"one\n", false, "job_1 is running\none\n"},
		{"one\n", false, "job_1 is running and has written nothing new\n"},
		{"one\ntwo\n", false, "job_1 is running\ntwo\n"},
		{"ne\ntwo\nthree\n", true, "job_1 is running; it has written too much since you looked last, and this is the end of it\nne\ntwo\nthree\n"},
		{"wo\nne\ntwo\nthree\nfour\n", true, "job_1 is running\nfour\n"},
	} {
		o.write(step.output, step.cut)
		if got := look(output); got != step.want {
			t.Errorf("%q: got %q, want %q", step.output, got, step.want)
		}
	}
	o.write("wo\nne\ntwo\nthree\nfour\nbye\n", true)
	if got, want := look(`{"action":"stop","id":"job_1"}`), "job_1 was stopped\nbye\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(o.created) != 1 || o.created[0].CWD != s.dir || *o.created[0].OutputByteLimit != 256<<10 || len(o.created[0].Env) == 0 {
		t.Errorf("created %+v", o.created)
	}
}

// A command that is out of time is killed in the client's terminal, and what it has written reaches the model.
func TestTimeLimitInTheClientsTerminal(t *testing.T) {
	o := &console{ended: make(chan struct{}), output: "\x1b[1mso far\x1b[0m\n"}
	s := stage(t, o.client(), "shell", `{'command':'serve','timeout_seconds':1}`)
	got := s.script(s.turn("go", acp.StopReasonEndTurn))
	s.wantResults("failed: The command was still running after 1 seconds and was ended; this is its output so far\nso far\n")
	if !strings.Contains(got, "failed [terminal term] [The command was still running") {
		t.Error(got)
	}
}
