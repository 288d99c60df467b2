package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

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
			_, err := v.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
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

// A start that the agent asks to wait for has that time, up to a bound: who asks for more is not started again.
func TestARestartWaitsAsLongAsItIsAskedTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		_, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		busy := func(seconds string) {
			h.set(func() { h.refuse = answered(-32603, `{"retryable":true,"retryAfter":`+seconds+`}`) })
		}
		busy("15")
		h.crash()
		until[*client.AgentRestarting](t, d)
		if waits, _ := until[*client.AgentRestarting](t, d); waits.Pause != 15*time.Second {
			t.Errorf("it waits for %v", waits.Pause)
		}
		busy("3600")
		if _, all := until[*client.SupervisorGaveUp](t, d); all != "supervisorgaveup; " {
			t.Errorf("the events are %q", all)
		}
	})
}

// W5: what an agent has said last is handled before the next one says anything, however long that takes.
func TestW5_AnAgentsLastWordsComeBeforeTheNextOnesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, u := newHouse(resumes), &user{}
		v, d := supervise(t, h, u, client.SupervisorOptions{})
		s := keep(t, v)
		u.hear = func(context.Context, *client.Session, acp.SessionUpdate) { time.Sleep(10 * time.Second) }
		began := time.Now()
		turn, err := s.Prompt(context.Background(), acp.Text("go"))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.crash()
		_, _ = turn.Wait()
		until[*client.SessionResumed](t, d)
		if took := time.Since(began); took != 11*time.Second {
			t.Errorf("the next agent was there after %v", took)
		}
	})
}

// F46: the tool calls that an agent has left open by dying have failed, in a State that goes on.
func TestF46_CallsEndWithTheirAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		h.calls = true
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		s := keep(t, v)
		if got := s.State().ToolCall("t").Status; got != acp.ToolCallStatusInProgress {
			t.Fatalf("the call is %s", got)
		}
		h.crash()
		until[*client.SessionResumed](t, d)
		if got := s.State().ToolCall("t").Status; got != acp.ToolCallStatusFailed {
			t.Errorf("the call is %s", got)
		}
	})
}
