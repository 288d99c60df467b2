package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// W5 F23: one queue a session, in the order of arrival, however many sessions there are.
func TestW5_NotificationsOfASessionKeepTheirOrder(t *testing.T) {
	const sessions, each = 50, 200
	var mu sync.Mutex
	got := map[string][]int{}
	all := make(chan struct{})
	var count atomic.Int64
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		var p note
		if err := req.Decode(&p); err != nil {
			return nil, err
		}
		mu.Lock()
		got[p.Session] = append(got[p.Session], p.N)
		mu.Unlock()
		if count.Add(1) == sessions*each {
			close(all)
		}
		return nil, nil
	})
	sender, _ := newConns(t, nil, handler, jsonrpc.Options{}, jsonrpc.Options{KeyMember: "session"})
	for n := range each {
		for s := range sessions {
			if err := sender.Notify(t.Context(), "note", note{fmt.Sprint(s), n}); err != nil {
				t.Fatal(err)
			}
		}
	}
	within(t, "all notifications handled", func() { <-all })
	for s, numbers := range got {
		if len(numbers) != each || !slices.IsSorted(numbers) {
			t.Errorf("session %s got %v", s, numbers)
		}
	}
}

type note struct {
	Session string `json:"session"`
	N       int    `json:"n"`
}

// W5: a request starts after its session's earlier notifications, and then runs beside later ones.
func TestW5_ARequestWaitsForEarlierUpdatesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []string // the connection's order is what makes this safe
		hold, late := make(chan struct{}), make(chan struct{})
		handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
			switch req.Method {
			case "early":
				<-hold
				log = append(log, "early handled")
			case "ask":
				log = append(log, "request started")
				<-late // a notification that arrived after the request
			case "late":
				close(late)
			}
			return "ok", nil
		})
		_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
		peer.send(
			`{"jsonrpc":"2.0","method":"early","params":{"session":"s"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"ask","params":{"session":"s"}}`,
			`{"jsonrpc":"2.0","method":"late","params":{"session":"s"}}`)
		synctest.Wait()
		if len(log) != 0 {
			t.Fatalf("before the earlier notification was handled: %q", log)
		}
		close(hold)
		if got, want := peer.receive(), `{"jsonrpc":"2.0","id":1,"result":"ok"}`; got != want {
			t.Errorf("received %s, want %s", got, want)
		}
		if want := []string{"early handled", "request started"}; !slices.Equal(log, want) {
			t.Errorf("order %q, want %q", log, want)
		}
	})
}

// W5 F25 F26: a call returns after the notifications of its session that came before the answer, even in the same read.
func TestW5_AnAnswerComesAfterEarlierUpdatesOfItsSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handled atomic.Int32
		hold := make(chan struct{})
		handler := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			<-hold
			handled.Add(1)
			return nil, nil
		})
		conn, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
		type result struct {
			handled int32
			err     error
		}
		call := func(params any) chan result {
			done := make(chan result, 1)
			go func() {
				err := conn.Call(t.Context(), "prompt", params, nil)
				done <- result{handled.Load(), err}
			}()
			synctest.Wait()
			return done
		}
		same, other, none := call(note{Session: "s"}), call(note{Session: "other"}), call(nil)
		peer.send(
			`{"jsonrpc":"2.0","method":"update","params":{"session":"s","n":1}}`,
			`{"jsonrpc":"2.0","method":"update","params":{"session":"s","n":2}}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`,
			`{"jsonrpc":"2.0","id":2,"result":{}}`,
			`{"jsonrpc":"2.0","id":3,"result":{}}`,
			`{"jsonrpc":"2.0","method":"update","params":{"session":"s","n":3}}`)
		for name, done := range map[string]chan result{"another session": other, "no session": none} {
			if r := <-done; r.err != nil || r.handled != 0 {
				t.Errorf("a call of %s returned %v after %d updates; it should wait for none", name, r.err, r.handled)
			}
		}
		synctest.Wait()
		select {
		case r := <-same:
			t.Fatalf("the call returned after %d updates, before those that came before its answer", r.handled)
		default:
		}
		close(hold)
		if r := <-same; r.err != nil || r.handled < 2 {
			t.Errorf("the call returned %v after %d updates, want 2 or more", r.err, r.handled)
		}
	})
}

// W5: a call with the context of a notification's handler does not wait for the handler itself.
func TestW5_AHandlersOwnCallSkipsTheBarrier(t *testing.T) {
	answers := make(chan string, 1)
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Hour) // a derived context
		defer cancel()
		var answer string
		if err := req.Conn().Call(ctx, "ask", note{Session: "s"}, &answer); err != nil {
			answer = err.Error()
		}
		answers <- answer
		return nil, nil
	})
	_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
	peer.send(`{"jsonrpc":"2.0","method":"update","params":{"session":"s"}}`)
	if got := peer.receive(); !strings.Contains(got, `"ask"`) {
		t.Fatalf("received %s", got)
	}
	peer.send(
		`{"jsonrpc":"2.0","method":"update","params":{"session":"s"}}`,
		`{"jsonrpc":"2.0","id":1,"result":"yes"}`)
	within(t, "the handler's call", func() {
		if got := <-answers; got != "yes" {
			t.Errorf("answer %q", got)
		}
	})
}

// W5 F30 S001.17: a session that is busy holds up no other, nor its own answers and cancels.
func TestW5_SessionsDoNotWaitForEachOther(t *testing.T) {
	hold := make(chan struct{})
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method == "block" {
			select {
			case <-hold:
			case <-ctx.Done():
			}
		}
		return req.Method, nil
	})
	_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
	peer.send(
		`{"jsonrpc":"2.0","method":"block","params":{"session":"a"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"list","params":{"session":"a"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"block","params":{"session":"b"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"list","params":{"session":"b"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"list"}`)
	got := []string{peer.receive(), peer.receive()}
	slices.Sort(got)
	want := []string{`{"jsonrpc":"2.0","id":3,"result":"list"}`, `{"jsonrpc":"2.0","id":4,"result":"list"}`}
	if !slices.Equal(got, want) {
		t.Errorf("while a is busy: %q, want %q", got, want)
	}
	close(hold)
	got = []string{peer.receive(), peer.receive()}
	slices.Sort(got)
	want = []string{`{"jsonrpc":"2.0","id":1,"result":"list"}`, `{"jsonrpc":"2.0","id":2,"result":"block"}`}
	if !slices.Equal(got, want) {
		t.Errorf("afterwards: %q, want %q", got, want)
	}
}

// W5 T2: messages leave in the order they were handed over, and an answer after what its handler sent.
func TestW5_TheWireKeepsTheOrderOfTheSender(t *testing.T) {
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		for n := range 100 {
			if err := req.Conn().Notify(ctx, "update", note{"s", n}); err != nil {
				return nil, err
			}
		}
		req.AfterAnswer(func() { _ = req.Conn().Notify(context.Background(), "after", nil) })
		return "end", nil
	})
	_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
	for range 20 {
		peer.send(`{"jsonrpc":"2.0","id":1,"method":"go","params":{"session":"s"}}`)
		for n := range 100 {
			if got, want := peer.receive(), fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"s","n":%d}}`, n); got != want {
				t.Fatalf("received %s, want %s", got, want)
			}
		}
		if got, want := peer.receive(), `{"jsonrpc":"2.0","id":1,"result":"end"}`; got != want {
			t.Fatalf("received %s, want %s", got, want)
		}
		if got, want := peer.receive(), `{"jsonrpc":"2.0","method":"after"}`; got != want {
			t.Fatalf("received %s, want %s", got, want)
		}
	}
}

// W5: Preempt sees messages as they are read, before their turn, and can finish a notification.
func TestW5_PreemptComesBeforeTheQueue(t *testing.T) {
	hold := make(chan struct{})
	seen := make(chan string, 10)
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		switch req.Method {
		case "block":
			<-hold
		case "prompt":
			<-ctx.Done()
			return nil, context.Cause(ctx)
		case "stop":
			t.Error("a preempted notification reached the handler")
		}
		return nil, nil
	})
	var prompt *jsonrpc.Request
	opts := jsonrpc.Options{KeyMember: "session", Preempt: func(req *jsonrpc.Request) bool {
		seen <- req.Method
		switch req.Method {
		case "prompt":
			prompt = req
		case "stop":
			prompt.Cancel(errors.New("stopped by hand"))
			return true
		}
		return false
	}}
	_, peer := newPair(t, handler, opts)
	peer.send(
		`{"jsonrpc":"2.0","method":"block","params":{"session":"s"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"session":"s"}}`,
		`{"jsonrpc":"2.0","method":"stop","params":{"session":"s"}}`)
	within(t, "all three seen", func() {
		for _, want := range []string{"block", "prompt", "stop"} {
			if got := <-seen; got != want {
				t.Errorf("saw %s, want %s", got, want)
			}
		}
	})
	close(hold)
	if got := peer.receive(); !strings.Contains(got, "stopped by hand") {
		t.Errorf("answer %s", got)
	}
}

// W5: what belongs to no session is in order too, and its requests start at once.
func TestW5_MessagesWithoutASession(t *testing.T) {
	hold := make(chan struct{})
	var log []string
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		if req.IsNotification() {
			<-hold
			log = append(log, req.Method)
		}
		if req.Method == "last" {
			return nil, req.Conn().Notify(context.Background(), "done", nil)
		}
		return "ok", nil
	})
	_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
	peer.send(`{"jsonrpc":"2.0","method":"one"}`, `{"jsonrpc":"2.0","method":"two"}`, `{"jsonrpc":"2.0","id":1,"method":"ask"}`, `{"jsonrpc":"2.0","method":"last"}`)
	if got, want := peer.receive(), `{"jsonrpc":"2.0","id":1,"result":"ok"}`; got != want {
		t.Errorf("received %s, want %s", got, want)
	}
	close(hold)
	peer.receive()
	if want := []string{"one", "two", "last"}; !slices.Equal(log, want) {
		t.Errorf("order %q, want %q", log, want)
	}
}

// F173: queues of sessions that are idle are let go.
func TestManySessionsLeaveNothingBehind(t *testing.T) {
	done := make(chan struct{}, 1)
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method == "last" {
			done <- struct{}{}
		}
		return nil, nil
	})
	conn, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
	for n := range 20_000 {
		peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"s%d"}}`, n))
	}
	peer.send(`{"jsonrpc":"2.0","method":"last","params":{"session":"last"}}`)
	within(t, "the last notification", func() { <-done })
	deadline := time.Now().Add(patience)
	for conn.HeldQueues() > jsonrpc.MaxIdleQueues {
		if time.Now().After(deadline) {
			t.Fatalf("%d queues are kept", conn.HeldQueues())
		}
		time.Sleep(time.Millisecond) // polling
	}
}
