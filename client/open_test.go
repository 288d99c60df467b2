package client_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// F27
func TestW12_UpdatesBeforeTheAnswerThatNamesTheSessionAreHeld(t *testing.T) {
	u := &user{}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	var s *client.Session
	both(t, func() (err error) {
		s, err = c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() {
		m := a.expect("session/new")
		a.send(says("s", "1"), says("s", "2"), asks(9, "session/request_permission", askPermission))
		a.send(outcome(m, `{"sessionId":"s","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]}}`), says("s", "3"))
		if m := a.next(); !strings.Contains(string(m.Result), `"yes"`) {
			t.Errorf("the early permission request was answered with %s %v", m.Result, m.Error)
		}
	})
	if !strings.HasPrefix(u.all(), "s:1 s:2") {
		t.Errorf("when NewSession returned the Handler had seen %q", u.all())
	}
	turn, p := prompt(t, s, a)
	a.send(outcome(p, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
	if u.all() != "s:1 s:2 s:3" {
		t.Errorf("the Handler saw %q", u.all())
	}
	if s.State().Mode() != "ask" {
		t.Errorf("the mode is %q", s.State().Mode())
	}
}

// W12: also when the answer comes at once, what came before it is handled before NewSession returns, and is no part of a
// turn that follows.
func TestW12_UpdatesBeforeAnAnswerAreHandledBeforeItReturns(t *testing.T) {
	for range 100 {
		u := &user{}
		c, a := connect(t, u, client.Options{}, noCapabilities)
		both(t, func() error {
			_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
			if u.all() != "s:1 s:2" {
				t.Errorf("when NewSession returned the Handler had seen %q", u.all())
			}
			return err
		}, func() {
			a.send(says("s", "1"), says("s", "2"), outcome(a.expect("session/new"), `{"sessionId":"s"}`))
		})
		_ = c.Close()
	}
}

// A lobby is a user who takes what belongs to no session.
type lobby struct {
	user
	strays chan string
}

func (l *lobby) UnknownSessionUpdate(_ context.Context, n *acp.SessionNotification) {
	l.strays <- string(n.SessionID) + ":" + textOf(n.Update)
}

func (l *lobby) UnknownSessionRequest(_ context.Context, id acp.SessionID, method string, _ acp.Raw) (any, error) {
	return nil, acp.ErrInvalidParams("%s for %s", method, id)
}

func TestW12_WhatBelongsToNoSessionGoesToTheConnectionHandler(t *testing.T) {
	l := &lobby{strays: make(chan string, 8)}
	c, a := connect(t, l, client.Options{}, noCapabilities)
	a.send(says("ghost", "boo"), asks(1, "session/request_permission", strings.Replace(askPermission, `"s"`, `"ghost"`, 1)))
	if got := within(t, "the stray update", l.strays); got != "ghost:boo" {
		t.Errorf("stray update %q", got)
	}
	if m := a.next(); m.Error == nil || m.Error.Message != "session/request_permission for ghost" {
		t.Errorf("the stray request was answered with %s %v", m.Result, m.Error)
	}
	err := bothFail(t, func() error {
		_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() {
		m := a.expect("session/new")
		a.send(says("early", "hello"), failure(m, -32603, "no"))
	})
	wantError(t, err, &acp.Error{Code: -32603})
	if got := within(t, "the update of the session that never was", l.strays); got != "early:hello" {
		t.Errorf("stray update %q", got)
	}
}

// F51: without a ConnectionHandler, too, a request is answered.
func TestW12_ARequestForAnUnknownSessionIsRefused(t *testing.T) {
	_, a := connect(t, &user{}, client.Options{}, noCapabilities)
	a.send(asks(1, "session/request_permission", askPermission))
	if m := a.next(); m.Error == nil || m.Error.Code != acp.CodeResourceNotFound {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
}

// An agent may wait for the answer to a request before it names the session that the request is for.
func TestW12_ARequestForASessionThatIsNotNamedYetDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, a := connect(t, &user{}, client.Options{}, noCapabilities)
		both(t, func() error {
			_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
			return err
		}, func() {
			m := a.expect("session/new")
			a.send(asks(1, "session/request_permission", askPermission))
			began := time.Now()
			if m := a.next(); m.Error == nil || time.Since(began) > time.Minute {
				t.Errorf("after %v: %s %v", time.Since(began), m.Result, m.Error)
			}
			a.send(outcome(m, `{"sessionId":"s"}`))
		})
	})
}

// Past the budget it is the call that fails, since nothing may be dropped and the answer could not be read.
func TestW12_AFloodBeforeTheAnswerFailsTheCallAndLosesNothing(t *testing.T) {
	const n, size = 300, 1 << 10
	l := &lobby{strays: make(chan string, n)}
	c, a := connect(t, l, client.Options{Budget: 128 << 10, MaxMessageBytes: 64 << 10}, noCapabilities)
	err := bothFail(t, func() error {
		_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() {
		a.expect("session/new")
		for range n {
			a.send(says("s", strings.Repeat("x", size)))
		}
	})
	wantError(t, err, jsonrpc.ErrOverloaded)
	for range n {
		within(t, "what was held", l.strays)
	}
}

// S000.5
func TestHistoryArrivesBeforeLoadSessionReturns(t *testing.T) {
	u := &user{}
	c, a := connect(t, u, client.Options{}, allCapabilities)
	var s *client.Session
	both(t, func() (err error) {
		s, err = c.LoadSession(context.Background(), acp.LoadSessionRequest{SessionID: "old", CWD: "/project"})
		return err
	}, func() {
		m := a.expect("session/load")
		a.send(says("old", "1"), says("old", "2"), outcome(m, `{}`)) // no sessionId in the result (F67)
	})
	if u.all() != "old:1 old:2" || s.ID() != "old" {
		t.Errorf("when LoadSession returned the Handler had seen %q of %q", u.all(), s.ID())
	}
	_, err := c.LoadSession(deadline(t), acp.LoadSessionRequest{SessionID: "old", CWD: "/project"})
	wantError(t, err, nil, "open already")
}

// F68, F73
func TestASessionThatTheAgentDoesNotHaveIsATypedError(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, allCapabilities)
	err := bothFail(t, func() error {
		_, err := c.LoadSession(context.Background(), acp.LoadSessionRequest{SessionID: "gone", CWD: "/project"})
		return err
	}, func() { a.send(failure(a.expect("session/load"), acp.CodeResourceNotFound, "no such session")) })
	wantError(t, err, &acp.Error{Code: acp.CodeResourceNotFound}, "no such session")
	if c.Session("gone") != nil {
		t.Error("the session is open")
	}
	both(t, func() error { // and the id can be tried again
		_, err := c.ResumeSession(context.Background(), acp.ResumeSessionRequest{SessionID: "gone", CWD: "/project"})
		return err
	}, func() { a.send(outcome(a.expect("session/resume"), `{}`)) })
}

// W11, F111: what the agent did not advertise is refused before anything is sent, with the capability that is missing.
func TestW11_WhatWasNotAdvertisedIsNotSent(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	ctx := deadline(t)
	http := &acp.MCPServerHTTP{Name: "h", URL: "http://localhost"}
	for capability, call := range map[string]func() error{
		"agentCapabilities.loadSession": func() error {
			_, err := c.LoadSession(ctx, acp.LoadSessionRequest{SessionID: "s", CWD: "/project"})
			return err
		},
		"sessionCapabilities.resume": func() error {
			_, err := c.ResumeSession(ctx, acp.ResumeSessionRequest{SessionID: "s", CWD: "/project"})
			return err
		},
		"sessionCapabilities.fork": func() error {
			_, err := c.ForkSession(ctx, acp.ForkSessionRequest{SessionID: "s", CWD: "/project"})
			return err
		},
		"sessionCapabilities.list": func() error {
			_, err := c.ListSessions(ctx, acp.ListSessionsRequest{})
			return err
		},
		"sessionCapabilities.delete": func() error { return c.DeleteSession(ctx, "s") },
		"auth.logout":                func() error { return c.Logout(ctx) },
		"providers":                  func() error { return c.Call(ctx, acp.MethodProvidersList, nil, nil) },
		"mcpCapabilities.http": func() error {
			_, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: "/project", MCPServers: []acp.MCPServer{http}})
			return err
		},
		"sessionCapabilities.additionalDirectories": func() error {
			_, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: "/project", AdditionalDirectories: []string{"/more"}})
			return err
		},
		"sessionCapabilities.systemPrompt": func() error {
			_, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: "/project", SystemPrompt: &acp.SystemPrompt{}})
			return err
		},
	} {
		wantError(t, call(), acp.ErrUnsupported, capability)
	}
	open(t, c, a) // the first thing that the agent sees
}

// S000.4, F109, F111: servers of every kind that the agent takes go to it, and a list also where there are none.
func TestASessionIsGivenItsServersAndAlwaysAList(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, allCapabilities)
	servers := []acp.MCPServer{
		&acp.MCPServerStdio{Name: "io", Command: "/bin/mcp", Args: []string{"-v"}, Env: []acp.EnvVariable{{Name: "A", Value: "b"}}},
		&acp.MCPServerHTTP{Name: "h", URL: "http://localhost", Headers: []acp.HTTPHeader{{Name: "X", Value: "y"}}},
		&acp.MCPServerSSE{Name: "e", URL: "http://localhost"},
	}
	for i, list := range [][]acp.MCPServer{servers, nil} {
		both(t, func() error {
			_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project", MCPServers: list})
			return err
		}, func() {
			m := a.expect("session/new")
			want := []string{`"mcpServers":[{`, `"args":["-v"]`, `"env":[{"name":"A","value":"b"}]`, `"type":"http"`, `"headers":[{"name":"X","value":"y"}]`, `"type":"sse"`}
			if list == nil {
				want = []string{`"mcpServers":[]`}
			}
			for _, text := range want {
				if !strings.Contains(string(m.Params), text) {
					t.Errorf("session/new lacks %s: %s", text, m.Params)
				}
			}
			a.send(outcome(m, fmt.Sprintf(`{"sessionId":"s%d"}`, i)))
		})
	}
}

func TestPathsMustBeAbsolute(t *testing.T) {
	c, _ := connect(t, &user{}, client.Options{}, allCapabilities)
	_, err := c.NewSession(deadline(t), acp.NewSessionRequest{CWD: "work"})
	wantError(t, err, nil, "absolute", `"work"`)
	_, err = c.NewSession(deadline(t), acp.NewSessionRequest{CWD: `C:\work`, AdditionalDirectories: []string{"more"}})
	wantError(t, err, nil, "absolute", `"more"`)
}

// S002.10
func TestSessionsAreListedDeletedAndClosed(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, allCapabilities)
	s := open(t, c, a)
	both(t, func() error {
		list, err := c.ListSessions(context.Background(), acp.ListSessionsRequest{CWD: "/project"})
		if err == nil && (len(list.Sessions) != 1 || list.NextCursor != "more") {
			t.Errorf("the list is %+v", list)
		}
		return err
	}, func() {
		a.send(outcome(a.expect("session/list"), `{"sessions":[{"sessionId":"s","cwd":"/project"}],"nextCursor":"more"}`))
	})
	both(t, func() error { return c.DeleteSession(context.Background(), "other") }, func() {
		a.send(outcome(a.expect("session/delete"), `{}`))
	})
	turn, p := prompt(t, s, a)
	both(t, func() error { return s.Close(context.Background()) }, func() {
		a.expect("session/cancel") // first of all
		a.send(outcome(p, `{"stopReason":"cancelled"}`))
		a.send(outcome(a.expect("session/close"), `{}`))
	})
	ends(t, turn, acp.StopReasonCancelled)
	within(t, "the session's end", s.Done())
	_, err := s.Prompt(deadline(t), acp.Text("hello?"))
	wantError(t, err, client.ErrSessionClosed)
	wantError(t, s.SetMode(deadline(t), "ask"), client.ErrSessionClosed)
	if c.Session("s") != nil {
		t.Error("the session is still there")
	}
}

// S004.1
func TestWhatTheAgentSaysOfItselfIsThere(t *testing.T) {
	c, _ := connect(t, &user{}, client.Options{}, `{"protocolVersion":1,"agentInfo":{"name":"opencode","version":"1.2"},`+
		`"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"fork":{},"list":{},"resume":{}}},`+
		`"authMethods":[{"id":"login","name":"Log in","description":"Run opencode auth login"},{"id":"x","name":"X","type":"magic"}]}`)
	sessions := c.Capabilities().SessionCapabilities
	if c.AgentInfo().Name != "opencode" || c.AgentInfo().Version != "1.2" || sessions.Fork == nil || sessions.List == nil || sessions.Resume == nil {
		t.Errorf("initialized with %+v", c.Initialized())
	}
	if m := c.AuthMethods()[0].(*acp.AuthMethodAgent); m.Description != "Run opencode auth login" {
		t.Errorf("the first method is %+v", m)
	}
	wantError(t, c.Authenticate(deadline(t), "x"), nil, "login", "one of type magic") // never taken for another
}

// S004.2, S004.6: models are what one real agent names in the answer that opens a session.
func TestModelsAreSetAndAForkHasItsOwn(t *testing.T) {
	const models = `"models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"b","name":"B"}]}`
	c, a := connect(t, &user{}, client.Options{}, allCapabilities)
	s := open(t, c, a)
	var fork *client.Session
	both(t, func() (err error) {
		fork, err = c.ForkSession(context.Background(), acp.ForkSessionRequest{SessionID: "s", CWD: "/project"})
		return err
	}, func() {
		m := a.expect("session/fork")
		a.send(says("fork", "history"), outcome(m, `{"sessionId":"fork",`+models+`}`))
	})
	both(t, func() error { return fork.SetModel(context.Background(), "b") }, func() {
		a.send(outcome(a.expect("session/set_model"), `{}`))
	})
	if got := fork.State().Models(); got.Current != "b" || len(got.Available) != 2 {
		t.Errorf("the models are %+v", got)
	}
	if fork.State().Messages().Len() != 1 || s.State().Messages().Len() != 0 {
		t.Error("the update before the fork's answer is not the fork's alone")
	}
	wantError(t, fork.SetModel(deadline(t), "c"), nil, `"c"`)
	wantError(t, s.SetModel(deadline(t), "a"), nil, "0 models")
}

// S004.6
func TestModesAndOptionsAreSet(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	both(t, func() error { return s.SetMode(context.Background(), "plan") }, func() {
		a.send(outcome(a.expect("session/set_mode"), `{}`))
	})
	if s.State().Mode() != "plan" {
		t.Errorf("the mode is %q", s.State().Mode())
	}
	both(t, func() error {
		return s.SetConfigOption(context.Background(), "model", &acp.SetConfigValueID{Value: "big"})
	}, func() {
		m := a.expect("session/set_config_option")
		if !strings.Contains(string(m.Params), `"value":"big"`) {
			t.Errorf("the request is %s", m.Params)
		}
		a.send(outcome(m, `{"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"big","options":[]}]}`))
	})
	if config := s.State().Config(); len(config) != 1 || config[0].ID != "model" {
		t.Errorf("the options are %+v", config)
	}
}
