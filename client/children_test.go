package client_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

var showsSubagents = client.Options{Shows: client.Shows{Subagents: true}}

// A registry is a lobby that notes which sessions have ended.
type registry struct {
	lobby
	mu    sync.Mutex
	ended []string
}

func (r *registry) SessionEnded(s *client.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = append(r.ended, string(s.ID()))
}

// S004.11: a child session that only a tool call names is a Session as one that the agent has announced, from its first update
// on, wherever the call says its name.
func TestS004_11_AChildThatACallNamesIsASession(t *testing.T) {
	const done = `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed",`
	for name, told := range map[string]string{
		"the result's metadata":  done + `"rawOutput":{"metadata":{"sessionId":"child"}}}`,
		"the result's text":      done + `"rawOutput":{"output":"Done.\n\n<task_metadata>\nsession_id: child\n</task_metadata>"}}`,
		"what the call shows":    done + `"content":[{"type":"content","content":{"type":"text","text":"<task_metadata>\nsession_id: child\n</task_metadata>"}}]}`,
		"its extension":          `{"sessionUpdate":"tool_call_update","toolCallId":"t","_meta":{"sessionId":"child"}}`,
		"the session it goes on": taskCall + `,"session_id":"child"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			u := &user{}
			c, a := connect(t, u, showsSubagents, noCapabilities)
			s := open(t, c, a)
			turn, p := prompt(t, s, a)
			a.send(update("s", taskCall+"}}"), update("s", told), says("child", "hi"))
			eventually(t, "the child's update", func() bool { return strings.Contains(u.all(), "child:hi") })
			child := c.Session("child")
			if child == nil || child.Parent() != s || child.CWD() != s.CWD() || child.State().Messages().Len() != 1 {
				t.Errorf("the child is %+v", child)
			}
			a.send(outcome(p, `{"stopReason":"end_turn"}`))
			ends(t, turn, acp.StopReasonEndTurn)
			_ = s.Close(deadline(t))
			within(t, "the child's end", child.Done())
		})
	}
}

// S004.11: nor does it have to wait until a session is there that is being opened meanwhile.
func TestS004_11_ANamedChildIsKnownWhileAnotherSessionIsOpened(t *testing.T) {
	u := &user{}
	c, a := connect(t, u, showsSubagents, noCapabilities)
	open(t, c, a)
	both(t, func() error {
		_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() {
		m := a.expect("session/new")
		a.send(update("s", taskCall+`,"session_id":"child"}}`), says("child", "hi"))
		eventually(t, "the child's update", func() bool { return strings.Contains(u.all(), "child:hi") })
		a.send(outcome(m, `{"sessionId":"s2"}`))
	})
}

// A client that doesn't show subagents has no sessions of theirs.
func TestWithoutSubagentsANamedChildIsAStranger(t *testing.T) {
	l := &lobby{strays: make(chan string, 1)}
	c, a := connect(t, l, client.Options{}, noCapabilities)
	open(t, c, a)
	a.send(update("s", taskCall+`,"session_id":"child"}}`), says("child", "hi"))
	if got := within(t, "the child's update", l.strays); got != "child:hi" {
		t.Errorf("got %q", got)
	}
	if c.Session("child") != nil {
		t.Error("the child is a session")
	}
}

func childUpdate(n int, state string) string {
	return update("s", fmt.Sprintf(`{"sessionUpdate":"subagent_update","sessionId":"c%d","state":%s}`, n, state))
}

const working, resting = `{"state":"running"}`, `{"state":"idle","stopReason":"end_turn"}`

// S004.11: however many subagents an agent has, there is a bound to the sessions that a client keeps: those that have done their
// work are forgotten, which is said, and what comes for one later is not lost.
func TestS004_11_ChildSessionsAreBounded(t *testing.T) {
	r := &registry{lobby: lobby{strays: make(chan string, 100)}}
	c, a := connect(t, r, showsSubagents, noCapabilities)
	open(t, c, a)
	a.send(childUpdate(0, working))
	for n := 1; n <= 2500; n++ {
		a.send(childUpdate(n, working), says(fmt.Sprintf("c%d", n), "hi"), childUpdate(n, resting))
		if n%100 == 0 { // the parent's updates so far have been handled when its question is answered
			a.send(asks(n, "session/request_permission", askPermission))
			a.next()
		}
	}
	eventually(t, "few sessions", func() bool { return len(c.Sessions()) <= 1001 })
	r.mu.Lock()
	first, count := r.ended[0], len(r.ended)
	r.mu.Unlock()
	if c.Session("c0") == nil || c.Session("c2500") == nil || first != "c1" || count < 1500 {
		t.Errorf("%d sessions have ended, %s first", count, first)
	}
	if c.Session("c1") != nil {
		t.Error("the first child that has done its work is still there")
	}
	a.send(says("c1", "late"))
	if got := within(t, "what came late", r.strays); got != "c1:late" {
		t.Errorf("got %q", got)
	}
}

// S004.11: nor is a subagent forgotten, though it has done its work, as long as one that it has started works, something that it
// has said waits to be handled, or a question of its is open.
func TestS004_11_WhatIsNotDoneIsNotForgotten(t *testing.T) {
	release := make(chan struct{})
	r := &registry{lobby: lobby{strays: make(chan string, 100)}}
	r.hear = func(_ context.Context, s *client.Session, _ acp.SessionUpdate) {
		if s.ID() == "c2" {
			<-release
		}
	}
	r.permit = func(_ context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
		if s.ID() == "c3" {
			<-release
		}
		return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
	}
	c, a := connect(t, r, showsSubagents, noCapabilities)
	open(t, c, a)
	ask := func(session string, id int) {
		a.send(asks(id, "session/request_permission", strings.Replace(askPermission, `"s"`, fmt.Sprintf("%q", session), 1)))
	}
	a.send(childUpdate(1, working), update("c1", `{"sessionUpdate":"subagent_update","sessionId":"grandchild","state":{"state":"running"}}`),
		childUpdate(2, working), says("c2", "hi"), childUpdate(3, working))
	ask("c3", 9999)
	for n := 1; n <= 2000; n++ {
		a.send(childUpdate(n, resting))
		if n%100 == 0 {
			ask("s", n)
			a.next()
		}
	}
	for _, id := range []acp.SessionID{"c1", "grandchild", "c2", "c3"} {
		if c.Session(id) == nil {
			t.Errorf("%s is forgotten", id)
		}
	}
	if c.Session("c4") != nil || len(c.Sessions()) > 1001 {
		t.Errorf("there are %d sessions", len(c.Sessions()))
	}
	close(release)
	if m := a.next(); m.Error != nil || !strings.Contains(string(m.Result), "yes") {
		t.Errorf("the child's question is answered with %s %v", m.Result, m.Error)
	}
}

// S004.11: subagents that work are not forgotten. When there are far too many, the rest has no sessions, and what they say goes
// where all goes that belongs to none.
func TestS004_11_WorkingChildrenAreKept(t *testing.T) {
	r := &registry{lobby: lobby{strays: make(chan string, 100)}}
	c, a := connect(t, r, showsSubagents, noCapabilities)
	open(t, c, a)
	for n := 1; n <= 2500; n++ {
		a.send(childUpdate(n, working))
	}
	a.send(says("c2500", "hi"), asks(1, "session/request_permission", askPermission))
	a.next()
	if got := within(t, "the last one's words", r.strays); got != "c2500:hi" {
		t.Errorf("got %q", got)
	}
	if n := len(c.Sessions()); n != 2001 || len(r.ended) != 0 || c.Session("c1") == nil {
		t.Errorf("there are %d sessions, and %d have ended", n, len(r.ended))
	}
	for n := 1; n <= 1500; n++ {
		a.send(childUpdate(n, resting))
	}
	eventually(t, "few sessions", func() bool { return len(c.Sessions()) <= 1001 })
	a.send(childUpdate(2501, working), says("c2501", "and me"))
	eventually(t, "another child", func() bool { return c.Session("c2501") != nil })
}

// F51: a request that names no session at all is nobody's, also if there is a subagent whose session is not known.
func TestF51_NoNameIsNoSubagents(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{Files: &client.Files{}}, noCapabilities)
	open(t, c, a)
	a.send(update("s", taskCall+"}}"), asks(1, "fs/read_text_file", `{"sessionId":"","path":"/project/none"}`))
	if m := a.next(); m.Error == nil || !strings.Contains(m.Error.Error(), "session not found") {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
}

// F72: the history of a subagent is part of its parent's, and is not shown twice either.
func TestF72_AChildsHistoryIsNotShownTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, u := newHouse(loads), &user{}
		h.child = true
		v, d := supervise(t, h, u, client.SupervisorOptions{Client: showsSubagents})
		s := keep(t, v)
		h.crash()
		until[*client.SessionResumed](t, d)
		synctest.Wait()
		if got := strings.Count(u.all(), "s1/child:report"); got != 1 {
			t.Errorf("the handler has heard %q", u.all())
		}
		now, _ := s.Session(context.Background())
		if child := now.Client().Session("s1/child"); child == nil || child.State().Messages().Len() != 1 {
			t.Errorf("the child is %+v", child)
		}
	})
}
