package client_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// shut has requests of a method wait until open is called.
func (h *house) shut(method string) (open func()) {
	gate := make(chan struct{})
	h.set(func() { h.gates[method] = gate })
	return func() {
		h.set(func() { delete(h.gates, method) })
		close(gate)
	}
}

// F73: a prompt that the agent has worked on is not given once more, whatever it then says of the session.
func TestF73_APromptThatWasWorkedOnIsNotGivenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		v, _ := supervise(t, h, &user{}, client.SupervisorOptions{NewSessions: true})
		s := keep(t, v)
		h.set(func() { h.breaks = &acp.Error{Code: acp.CodeResourceNotFound, Message: "resource not found"} })
		h.heard()
		_, err := s.Run(context.Background(), acp.Text("go"))
		wantError(t, err, h.breaks)
		if got := h.heard(); got != "prompt s1" {
			t.Errorf("the agent was asked %q", got)
		}
	})
}

// F116: nor is it when the agent finds in the midst of its work that the user has to sign in.
func TestF116_AfterWorkNobodySignsInForTheSamePrompt(t *testing.T) {
	o := client.Options{Auth: func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) {
		t.Error("the user was asked to sign in")
		return "key", nil
	}}
	for name, work := range map[string]string{
		"said":  says("s", "I have deleted it."),
		"asked": asks(1, "session/request_permission", askPermission),
	} {
		t.Run(name, func(t *testing.T) {
			c, a := connect(t, &user{}, o, allCapabilities)
			turn, p := prompt(t, open(t, c, a), a)
			a.send(work)
			if name == "asked" {
				a.next()
			}
			a.send(failure(p, acp.CodeAuthRequired, "your token has expired"))
			within(t, "the turn", turn.Done())
			_, err := turn.Wait()
			wantError(t, err, &acp.Error{Code: acp.CodeAuthRequired}, "expired")
		})
	}
}

// Whoever asks for a session that has to be opened again may leave meanwhile. It is opened all the same.
func TestASessionIsOpenedAgainThoughItsCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(loads)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		s := keep(t, v)
		h.forget("s1")
		open := h.shut(acp.MethodSessionLoad)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := s.Run(ctx, acp.Text("go"))
		wantError(t, err, context.DeadlineExceeded)
		h.set(func() { h.saved["s1"] = nil })
		open()
		if _, all := until[*client.SessionResumed](t, d); strings.Contains(all, "lost") {
			t.Errorf("the events are %q", all)
		}
		run(t, s)
	})
}

// Close in the midst of opening a session again is no loss of the session.
func TestCloseLosesNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(loads)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		keep(t, v)
		h.shut(acp.MethodSessionLoad)
		h.crash()
		time.Sleep(2 * time.Second)
		_ = v.Close()
		if err := v.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
		close(d.events)
		all := ""
		for e := range d.events {
			all += describe(e) + "; "
		}
		if want := "agentstarted; agentcrashed; restarting after 1 in 1s; agentstarted; "; all != want {
			t.Errorf("the events are %q, want %q", all, want)
		}
	})
}

// F72: what the user has chosen is not forgotten when an agent dies before it has put the session back to that, nor when it does
// not say how the session is.
func TestF72_AChoiceOutlivesAnAgentThatDiesTooSoon(t *testing.T) {
	for name, silent := range map[string]bool{"dies": false, "says nothing": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(resumes)
				v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
				s := keep(t, v)
				now, _ := s.Session(context.Background())
				if err := now.SetMode(context.Background(), "plan"); err != nil {
					t.Fatal(err)
				}
				h.set(func() { h.silent = silent })
				if !silent {
					h.shut(acp.MethodSessionSetMode)
					h.crash()
					time.Sleep(2 * time.Second)
					h.set(func() { clear(h.gates) })
				}
				h.heard()
				h.crash()
				resumed, _ := until[*client.SessionResumed](t, d)
				if got := h.heard(); got != "resume s1, set_mode s1plan" || resumed.Unrestored != nil || s.State().Mode() != "plan" {
					t.Errorf("the agent was asked %q, and the mode is %s: %v", got, s.State().Mode(), resumed.Unrestored)
				}
			})
		})
	}
}

// A session that is closed while it is opened again is closed there too; an agent that does not answer to that holds up
// the other sessions for a while only.
func TestAClosedSessionDoesNotHoldUpTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{ReopenTimeout: 5 * time.Second})
		s, other := keep(t, v), keep(t, v)
		open := h.shut(acp.MethodSessionResume)
		h.crash()
		time.Sleep(2 * time.Second)
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		h.shut(acp.MethodSessionClose)
		open()
		for resumed, _ := until[*client.SessionResumed](t, d); resumed.Session != other; {
			resumed, _ = until[*client.SessionResumed](t, d)
		}
		synctest.Wait()
		if got := h.heard(); !strings.Contains(got, "close s1") {
			t.Errorf("the agent was asked %q", got)
		}
		run(t, other)
	})
}

// An agent that can't open a session at the moment is asked again; one that says so for good, in whatever code, is not, and the
// session is replaced only for a reason that does not pass.
func TestWhatAnAgentAnswersToLoadDecidesWhatBecomesOfASession(t *testing.T) {
	busy := &acp.Error{Code: acp.CodeInternalError, Message: "rate limit", Data: acp.Raw(`{"retryable":true,"retryAfter":3}`)}
	for _, test := range []struct {
		codes   client.Codes
		answers []error
		want    string
	}{
		{nil, []error{busy, busy}, "s1 by session/load"},
		{nil, []error{busy, busy, busy, busy, busy}, "s1 lost"},
		{nil, []error{busy, acp.ErrSessionNotFound("s1")}, "s2 for s1"},
		{nil, []error{&acp.Error{Code: acp.CodeInternalError}}, "s2 for s1"},
		{nil, []error{&acp.Error{Code: acp.CodeInvalidParams}}, "s2 for s1"},
		{nil, []error{&acp.Error{Code: acp.CodeMethodNotFound}}, "s2 for s1"},
		{nil, []error{&acp.Error{Code: acp.CodeAuthRequired}}, "s1 lost"},
		{nil, []error{&acp.Error{Code: acp.CodeRequestCancelled}}, "s1 lost"},
		{client.CodesS001, []error{&acp.Error{Code: -32000}}, "s2 for s1"},          // session not found
		{client.CodesS001, []error{&acp.Error{Code: -32009}}, "s1 by session/load"}, // timeout
		{client.CodesS000, []error{&acp.Error{Code: -32001}}, "s1 by session/load"}, // request timeout
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newHouse(loads)
			v, d := supervise(t, h, &user{}, client.SupervisorOptions{NewSessions: true, Client: client.Options{Codes: test.codes}})
			keep(t, v)
			h.set(func() { h.busy = test.answers })
			h.crash()
			until[*client.AgentRestarting](t, d)
			until[*client.AgentStarted](t, d)
			time.Sleep(time.Minute)
			if got := describe(<-d.events); got != test.want || len(d.events) > 0 {
				t.Errorf("after %v with %v: %q, want %q", test.answers, test.codes, got, test.want)
			}
		})
	}
}

// A session that an agent does not open holds up the others no longer than it takes.
func TestASlowSessionDoesNotHoldUpTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(loads)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		slow, other := keep(t, v), keep(t, v)
		h.set(func() { h.slow = string(slow.ID()) })
		began := time.Now()
		h.crash()
		resumed, _ := until[*client.SessionResumed](t, d)
		if took := time.Since(began); resumed.Session != other || took != time.Second {
			t.Errorf("%s was opened after %v", resumed.Session.ID(), took)
		}
		run(t, other)
	})
}

// Who replaces a session before the Supervisor comes to open it again has the new one, which is opened once.
func TestASessionIsReplacedBeforeItIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(loads)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		others := []*client.SupervisedSession{keep(t, v), keep(t, v), keep(t, v), keep(t, v)}
		replaced := keep(t, v)
		open := h.shut(acp.MethodSessionLoad)
		h.crash()
		time.Sleep(2 * time.Second)
		if err := replaced.Replace(context.Background()); err != nil {
			t.Fatal(err)
		}
		open()
		synctest.Wait()
		until[*client.SessionReplaced](t, d)
		for range others {
			until[*client.SessionResumed](t, d)
		}
		if len(d.events) > 0 {
			t.Errorf("then comes %s", describe(<-d.events))
		}
		run(t, replaced)
	})
}

// F72: an agent that remembers nothing may give a new session the name of another one that is still to be opened. Each gets one
// of its own.
func TestF72_NewSessionsComeAfterThoseThatMayBeThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(loads)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{NewSessions: true})
		var all []*client.SupervisedSession
		for range 6 {
			all = append(all, keep(t, v))
		}
		open := h.shut(acp.MethodSessionLoad)
		h.burn()
		h.crash()
		time.Sleep(2 * time.Second)
		open()
		names := map[acp.SessionID]bool{}
		for range all {
			replaced, events := until[*client.SessionReplaced](t, d)
			if strings.Contains(events, "lost") {
				t.Errorf("the events are %q", events)
			}
			names[replaced.Session.ID()] = true
		}
		if len(names) != 6 {
			t.Errorf("the sessions are %v", names)
		}
		for _, s := range all {
			run(t, s)
		}
	})
}

// A session is kept open once.
func TestASessionIsKeptOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(loads)
		v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
		s := keep(t, v)
		h.set(func() { h.deaf = true })
		h.crash()
		until[*client.SessionLost](t, d)
		h.set(func() { h.deaf = false })
		again := func() (*client.SupervisedSession, error) {
			return v.LoadSession(context.Background(), acp.LoadSessionRequest{SessionID: s.ID(), CWD: "/project"})
		}
		_, err := again()
		wantError(t, err, nil, "kept open already")
		_ = s.Close(context.Background())
		wantError(t, s.Replace(context.Background()), client.ErrSessionClosed)
		if s, err = again(); err != nil {
			t.Fatal(err)
		}
		run(t, s)
	})
}

// Close ends all waiting at once, even while the last words of a dead agent are being handled.
func TestCloseEndsAllWaitingThoughAHandlerIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, u := newHouse(resumes), &user{}
		v, d := supervise(t, h, u, client.SupervisorOptions{})
		s := keep(t, v)
		u.hear = func(context.Context, *client.Session, acp.SessionUpdate) { time.Sleep(time.Hour) }
		if _, err := s.Prompt(context.Background(), acp.Text("go")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.crash()
		until[*client.AgentCrashed](t, d)
		time.AfterFunc(time.Second, func() { _ = v.Close() })
		began := time.Now()
		_, err := s.Session(context.Background())
		wantError(t, err, jsonrpc.ErrClosed)
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// F72: the model and the options that the user has chosen come back with the session.
func TestF72_TheModelAndTheOptionsComeBack(t *testing.T) {
	for name, silent := range map[string]bool{"as they were at first": false, "unsaid": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(resumes)
				h.more, h.silent = `,"models":{"currentModelId":"a","availableModels":[{"modelId":"a"},{"modelId":"b"}]},"configOptions":[`+
					`{"id":"x","name":"X","type":"boolean","currentValue":false}]`, silent
				v, d := supervise(t, h, &user{}, client.SupervisorOptions{})
				s := keep(t, v)
				now, _ := s.Session(context.Background())
				if err := errors.Join(now.SetModel(context.Background(), "b"), now.SetConfigOption(context.Background(), "x", &acp.SetConfigBoolean{Value: true})); err != nil {
					t.Fatal(err)
				}
				h.heard()
				h.crash()
				resumed, _ := until[*client.SessionResumed](t, d)
				if got := h.heard(); resumed.Unrestored != nil || !strings.HasPrefix(got, "resume s1, set_config_option s1x, set_model s1b") {
					t.Errorf("the agent was asked %q: %v", got, resumed.Unrestored)
				}
			})
		})
	}
}

// Events come one after the other, also of sessions that are opened at the same time.
func TestEventsComeOneAfterTheOther(t *testing.T) {
	h, last := newHouse(resumes), make(chan struct{})
	var busy sync.Mutex
	count := 0
	v, err := client.Supervise(deadline(t), client.LaunchStream(h.dial), &user{}, client.SupervisorOptions{
		Client:  client.Options{Logger: quiet},
		Restart: client.Retry{First: time.Microsecond},
		Event: func(client.SupervisorEvent) {
			if !busy.TryLock() {
				t.Error("two events come at the same time")
				return
			}
			defer busy.Unlock()
			for range 1000 {
				runtime.Gosched()
			}
			if count++; count == 24 {
				close(last)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		keep(t, v)
	}
	h.crash()
	within(t, "the last event", last)
	_, _ = v.Close(), v.Wait()
	h.crash()
}

// W8: what an agent has written before its end is handled, also what waits behind a slow handler.
func TestW8_ADeadAgentIsHeardOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, u := newHouse(resumes), &user{}
		h.child = true // which says more, and in a queue of its own
		v, d := supervise(t, h, u, client.SupervisorOptions{})
		s := keep(t, v)
		u.hear = func(context.Context, *client.Session, acp.SessionUpdate) { time.Sleep(time.Second) }
		if _, err := s.Prompt(context.Background(), acp.Text("go")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.crash()
		until[*client.SessionResumed](t, d)
		if got := u.all(); !strings.HasSuffix(got, "s1:answer2") {
			t.Errorf("the handler has heard %q", got)
		}
	})
}
