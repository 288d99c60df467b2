package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A house is where the agents of a test are started one after the other. They keep their sessions there.
type house struct {
	initialize string // the answer
	refuse     error  // of the next starts
	vague      bool   // a session that is not there is an internal error
	deaf       bool   // load, resume and new are refused with an internal error

	mu       sync.Mutex
	starts   []time.Time
	conn     *jsonrpc.Conn       // the agent that lives
	saved    map[string][]string // what was said in each session
	made     int
	requests []string // methods, with the session
	block    chan struct{}
}

func newHouse(initialize string) *house {
	return &house{initialize: initialize, saved: map[string][]string{}}
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
	}
	_ = req.Decode(&p)
	h.mu.Lock()
	defer h.mu.Unlock()
	if req.Method != acp.MethodInitialize {
		h.requests = append(h.requests, strings.TrimSpace(strings.TrimPrefix(req.Method, "session/")+" "+p.SessionID+p.ModeID))
	}
	_, known := h.saved[p.SessionID]
	switch {
	case req.Method == acp.MethodInitialize:
		return jsontext.Value(h.initialize), nil
	case h.deaf:
		return nil, acp.ErrInternal("the disk is full")
	case req.Method == acp.MethodSessionNew:
		h.made++
		id := fmt.Sprintf("s%d", h.made)
		h.saved[id] = nil
		return jsontext.Value(fmt.Sprintf(`{"sessionId":%q,"modes":%s}`, id, askAndPlan)), nil
	case !known && h.vague:
		return nil, acp.ErrInternal("Invalid session identifier")
	case !known:
		return nil, acp.ErrSessionNotFound(acp.SessionID(p.SessionID))
	}
	say := func(text string) {
		n := acp.SessionNotification{SessionID: acp.SessionID(p.SessionID), Update: acp.AgentText(text)}
		_ = req.Conn().Notify(ctx, acp.MethodSessionUpdate, &n)
	}
	switch req.Method {
	case acp.MethodSessionResume, acp.MethodSessionLoad:
		for _, text := range h.saved[p.SessionID] {
			if req.Method == acp.MethodSessionLoad {
				say(text)
			}
		}
		return jsontext.Value(fmt.Sprintf(`{"modes":%s}`, askAndPlan)), nil
	case acp.MethodSessionSetMode, acp.MethodSessionClose:
		return jsontext.Value(`{}`), nil
	case acp.MethodSessionPrompt:
		text := fmt.Sprintf("answer%d", len(h.saved[p.SessionID])+1)
		h.saved[p.SessionID] = append(h.saved[p.SessionID], text)
		say(text)
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
	s, err := v.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/work"})
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

// F72: after the agent's end its session goes on in the next one: resumed where the agent can do that, else loaded. The
// Handler sees nothing twice, the State has everything once, and the mode is what the user had chosen.
func TestF72_ASessionOutlivesItsAgent(t *testing.T) {
	for name, test := range map[string]struct{ initialize, asked, method string }{
		"resume": {resumes, "resume s1, set_mode s1plan", acp.MethodSessionResume},
		"load":   {loads, "load s1, set_mode s1plan", acp.MethodSessionLoad},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h, u := newHouse(test.initialize), &user{}
				v, d := supervise(t, h, u, client.SupervisorOptions{})
				s := keep(t, v)
				first, _ := s.Session(context.Background())
				if err := first.SetMode(context.Background(), "plan"); err != nil {
					t.Fatal(err)
				}
				h.heard()
				h.crash()
				resumed, all := until[*client.SessionResumed](t, d)
				if want := "agentstarted; agentcrashed; restarting after 1 in 1s; agentstarted; s1 by " + test.method + "; "; all != want {
					t.Errorf("the events are %q, want %q", all, want)
				}
				if got := h.heard(); got != test.asked || resumed.Unrestored != nil {
					t.Errorf("the new agent was asked %q; %v", got, resumed.Unrestored)
				}
				run(t, s)
				if got := u.all(); got != "s1:answer1 s1:answer2" {
					t.Errorf("the handler has heard %q", got)
				}
				texts := ""
				for _, m := range s.State().Messages().Slice() {
					if m.Role == client.RoleAgent {
						texts += m.Text() + " "
					}
				}
				if texts != "answer1 answer2 " || s.State().Mode() != "plan" {
					t.Errorf("the State has %q in mode %s", texts, s.State().Mode())
				}
				if now, _ := s.Session(context.Background()); now == first || now.ID() != first.ID() || v.Session("s1") != s {
					t.Error("the session is not another one of the same id")
				}
			})
		})
	}
}

// W8, F83: the turn that runs fails as soon as the agent ends, and is not begun again by anybody but the caller.
func TestW8_ATurnFailsAtOnceWhenASupervisedAgentEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, u := newHouse(resumes), &user{}
		v, d := supervise(t, h, u, client.SupervisorOptions{})
		s := keep(t, v)
		h.set(func() { h.block = make(chan struct{}) })
		turn, err := s.Prompt(context.Background(), acp.Text("go"))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		h.crash()
		_, err = turn.Wait()
		wantError(t, err, jsonrpc.ErrClosed)
		if took := time.Since(began); took != 0 {
			t.Errorf("the turn failed after %v", took)
		}
		if got := client.RecoveryOf(err).Action; got != client.ActionReconnect {
			t.Errorf("the recovery is %v", got)
		}
		h.set(func() {
			close(h.block)
			h.block = nil
		})
		until[*client.SessionResumed](t, d)
		if got := h.heard(); strings.Count(got, "prompt") != 2 {
			t.Errorf("the agents were asked %q", got)
		}
	})
}

// F72, F73: a session that the agent has lost is lost, and that is said. A new one takes its place only if the caller wants
// so, and that is said too.
func TestF73_ANewSessionTakesTheOldOnesPlaceOnlyWhenToldTo(t *testing.T) {
	for name, open := range map[string]func() *house{
		"forgotten":            func() *house { return newHouse(resumes) },
		"can't":                func() *house { return newHouse(doNeither) },
		"has no code for that": func() *house { h := newHouse(loads); h.vague = true; return h },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open()
				v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
				s := keep(t, v)
				h.forget("s1")
				h.crash()
				lost, all := until[*client.SessionLost](t, d)
				if !strings.HasSuffix(all, "agentstarted; s1 lost; ") || lost.Session != s {
					t.Errorf("the events are %q", all)
				}
				_, err := s.Run(context.Background(), acp.Text("go"))
				wantError(t, err, nil, "session s1 is lost")
				if got := h.heard(); strings.Contains(strings.TrimPrefix(got, "new"), "new") {
					t.Errorf("a new session was begun: %s", got)
				}
				if err := s.Replace(context.Background()); err != nil {
					t.Fatal(err)
				}
				replaced, _ := until[*client.SessionReplaced](t, d)
				if replaced.Old != "s1" || s.ID() != "s2" || s.State().Messages().Len() != 0 {
					t.Errorf("%+v", replaced)
				}
				run(t, s)
			})
		})
		t.Run(name+", when told to", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := open()
				v, d := supervise(t, h, &user{}, client.SupervisorOptions{NewSessions: true})
				s := keep(t, v)
				h.forget("s1")
				h.crash()
				replaced, _ := until[*client.SessionReplaced](t, d)
				if replaced.Old != "s1" || replaced.Err == nil || s.ID() != "s2" || v.Session("s2") != s {
					t.Errorf("%+v", replaced)
				}
				run(t, s)
			})
		})
	}
}

// F73: an agent that is well may have forgotten a session, too. The prompt is given once more, in a new session.
func TestF73_AStaleSessionIsReplacedInMidLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{NewSessions: true})
		s := keep(t, v)
		h.forget("s1")
		h.heard()
		run(t, s)
		if _, all := until[*client.SessionReplaced](t, d); all != "agentstarted; s2 for s1; " {
			t.Errorf("the events are %q", all)
		}
		if got := h.heard(); got != "prompt s1, resume s1, load s1, new, prompt s2" {
			t.Errorf("the agent was asked %q", got)
		}
	})
	synctest.Test(t, func(t *testing.T) { // not told to
		h := newHouse(resumes)
		v, _ := supervise(t, h, &user{}, client.SupervisorOptions{})
		s := keep(t, v)
		h.forget("s1")
		_, err := s.Run(context.Background(), acp.Text("go"))
		wantError(t, err, acp.ErrSessionNotFound("s1"))
	})
}

// A session that can't be opened is lost until the next start, which may open it.
func TestWhatFailsToOpenIsTriedAgainByTheNextAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(loads)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		s := keep(t, v)
		h.set(func() { h.deaf = true })
		h.crash()
		lost, _ := until[*client.SessionLost](t, d)
		wantError(t, lost.Err, nil, "the disk is full")
		h.set(func() { h.deaf = false })
		h.crash()
		until[*client.SessionResumed](t, d)
		run(t, s)
	})
}

// The pauses grow up to a bound, an agent that has lived for a while begins anew, and in the end it is over: everyone who
// waits is told why.
func TestRestartsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{Healthy: 10 * time.Second})
		s := keep(t, v)
		for _, live := range []time.Duration{11 * time.Second, 9 * time.Second, 11 * time.Second} {
			time.Sleep(live)
			h.crash()
			until[*client.SessionResumed](t, d)
		}
		time.Sleep(time.Second)
		h.set(func() { h.starts, h.refuse = nil, errors.New("no route to host") })
		began := time.Now()
		h.crash()
		ended, all := until[*client.SupervisorGaveUp](t, d)
		if want := "agentcrashed; restarting after 2 in 2s; restarting after 3 in 4s; restarting after 4 in 8s; supervisorgaveup; "; all != want {
			t.Errorf("the events are %q, want %q", all, want)
		}
		if took := time.Since(began); took != 14*time.Second || len(h.starts) != 3 {
			t.Errorf("it gave up after %v and %d starts", took, len(h.starts))
		}
		_, err := s.Session(context.Background())
		for _, err := range []error{err, v.Wait(), ended.Err} {
			wantError(t, err, client.ErrGaveUp, "5 failures", "no route to host")
		}
		if got := client.RecoveryOf(err).Action; got != client.ActionTellUser {
			t.Errorf("the recovery is %v", got)
		}
	})
}

// Whoever waits for an agent that is being started has the time of their context, and Close ends all waiting at once.
func TestNobodyWaitsForEverForARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{Restart: client.Retry{First: time.Hour}})
		s := keep(t, v)
		h.crash()
		until[*client.AgentRestarting](t, d)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := s.Prompt(ctx, acp.Text("go"))
		wantError(t, err, context.DeadlineExceeded)
		failed := make(chan error, 2)
		go func() {
			_, err := s.Run(context.Background(), acp.Text("go"))
			failed <- err
		}()
		go func() {
			_, err := v.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/work"})
			failed <- err
		}()
		synctest.Wait()
		_ = v.Close()
		for range 2 {
			wantError(t, <-failed, jsonrpc.ErrClosed)
		}
		if err := v.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
		if _, err := v.Client(context.Background()); err == nil {
			t.Error("a closed supervisor has a connection")
		}
	})
}

func TestAClosedSessionIsNotOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		s, other := keep(t, v), keep(t, v)
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		h.heard()
		h.crash()
		until[*client.SessionResumed](t, d)
		if got := h.heard(); got != "resume s2" {
			t.Errorf("the agent was asked %q", got)
		}
		_, err := s.Prompt(context.Background(), acp.Text("go"))
		wantError(t, err, client.ErrSessionClosed)
		if all := v.Sessions(); len(all) != 1 || all[0] != other {
			t.Errorf("there are %d sessions", len(all))
		}
	})
}
