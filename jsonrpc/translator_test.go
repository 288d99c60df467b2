package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// toy is a dialect that does everything a translator may do. Its peer
//
//   - says "sum" for the request "add" and wants a string result: both are changed on their way;
//   - sends "part" notifications that are held until "end" comes, and then are one "whole": held and joined;
//   - sends "ping" requests that the translator answers itself: answered;
//   - must be asked for a "token" before it takes a "work" request: the request is delayed, a request invented, and the
//     peer's answer to that consumed;
//   - knows no "local" request: our own call is answered without the wire;
//   - gets one "pair" notification as two: split.
//
// It has no lock: that its methods are never called at once is the connection's promise.
type toy struct {
	parts []string
	delay []jsonrpc.Message
	token string
	asked bool
}

func (d *toy) Inbound(m jsonrpc.Message) (up, back []jsonrpc.Message) {
	switch {
	case m.Method == "sum":
		m.Method = "add"
	case m.Method == "part":
		d.parts = append(d.parts, string(m.Params))
		return nil, nil
	case m.Method == "end":
		whole := jsonrpc.Message{Method: "whole", Value: slices.Clone(d.parts), Key: "s"}
		d.parts = nil
		return []jsonrpc.Message{whole}, nil
	case m.Method == "ping":
		return nil, []jsonrpc.Message{{ID: m.ID, Result: jsontext.Value(`"pong"`)}}
	case m.Method == "explode":
		panic("bytes that the author did not think of")
	case m.IsAnswer() && m.ID == jsonrpc.StringID("toy-token"):
		d.token = string(m.Result)
		back, d.delay = d.delay, nil
		return nil, back
	}
	return []jsonrpc.Message{m}, nil
}

func (d *toy) Outbound(m jsonrpc.Message) (out, back []jsonrpc.Message) {
	switch {
	case m.IsAnswer() && m.Error == nil:
		if n, ok := m.Value.(int); ok {
			m.Value = fmt.Sprint(n)
		}
	case m.Method == "local":
		return nil, []jsonrpc.Message{{ID: m.ID, Value: map[string]int{"answer": 42}}}
	case m.Method == "pair":
		left, right := m, m
		left.Method, right.Method = "left", "right"
		return []jsonrpc.Message{left, right}, nil
	case m.Method == "work" && d.token == "":
		d.delay = append(d.delay, m)
		if d.asked {
			return nil, nil
		}
		d.asked = true
		return []jsonrpc.Message{{ID: jsonrpc.StringID("toy-token"), Method: "token"}}, nil
	}
	return []jsonrpc.Message{m}, nil
}

func TestTranslatorStandsBetweenWireAndHandlers(t *testing.T) {
	wholes := make(chan []string, 1)
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		switch req.Method {
		case "add":
			var n []int
			if err := req.Decode(&n); err != nil {
				return nil, err
			}
			return n[0] + n[1], nil
		case "whole":
			var parts []string
			if err := req.Decode(&parts); err != nil { // a decoded value, not text
				return nil, err
			}
			wholes <- parts
			return nil, nil
		}
		return nil, jsonrpc.ErrMethodNotFound
	})
	conn, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session", Translator: &toy{}})

	expect := func(want string) {
		t.Helper()
		if got := peer.receive(); got != want {
			t.Errorf("received %s, want %s", got, want)
		}
	}
	peer.send(`{"jsonrpc":"2.0","id":1,"method":"sum","params":[1,2]}`)
	expect(`{"jsonrpc":"2.0","id":1,"result":"3"}`)
	peer.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	expect(`{"jsonrpc":"2.0","id":2,"result":"pong"}`)
	peer.send(`{"jsonrpc":"2.0","method":"part","params":[1]}`, `{"jsonrpc":"2.0","method":"part","params":[2]}`, `{"jsonrpc":"2.0","method":"end"}`)
	within(t, "the joined notification", func() {
		if got := <-wholes; !slices.Equal(got, []string{"[1]", "[2]"}) {
			t.Errorf("joined %q", got)
		}
	})
	if err := conn.Notify(t.Context(), "pair", []int{1}); err != nil {
		t.Fatal(err)
	}
	expect(`{"jsonrpc":"2.0","method":"left","params":[1]}`)
	expect(`{"jsonrpc":"2.0","method":"right","params":[1]}`)
	var local struct {
		Answer int `json:"answer"`
	}
	if err := conn.Call(t.Context(), "local", nil, &local); err != nil || local.Answer != 42 {
		t.Errorf("local call: %v, %v", local, err)
	}
	peer.send(`{"jsonrpc":"2.0","id":3,"method":"explode"}`)
	if got := peer.receive(); !strings.Contains(got, "-32603") {
		t.Errorf("after a panic: %s", got)
	}

	results := make(chan string, 2)
	for range 2 {
		go func() {
			var s string
			if err := conn.Call(context.Background(), "work", note{Session: "s"}, &s); err != nil {
				s = err.Error()
			}
			results <- s
		}()
	}
	expect(`{"jsonrpc":"2.0","id":"toy-token","method":"token"}`)
	peer.send(`{"jsonrpc":"2.0","id":"toy-token","result":"secret"}`)
	ids := map[string]bool{}
	for range 2 {
		got := peer.receive()
		id := got[len(`{"jsonrpc":"2.0","id":`):strings.Index(got, `,"method":"work"`)]
		ids[id] = true
		peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":"worked"}`, id))
	}
	within(t, "the delayed calls", func() {
		for range 2 {
			if got := <-results; got != "worked" {
				t.Errorf("delayed call: %s", got)
			}
		}
	})
	if len(ids) != 2 {
		t.Errorf("ids %v", ids)
	}
}

// The seam comes before order, barriers and cancellation: what a translator holds is not yet there.
func TestTranslatorMessagesObeyTheRules(t *testing.T) {
	cancelled := make(chan struct{})
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	})
	_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session", Translator: renameCancel{}})
	peer.send(`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"session":"s"}}`, `{"jsonrpc":"2.0","method":"stop","params":{"id":1}}`)
	within(t, "the cancel", func() { <-cancelled })
	if got := peer.receive(); !strings.Contains(got, "-32800") {
		t.Errorf("answer %s", got)
	}
}

// renameCancel is a dialect whose peers cancel requests by "stop".
type renameCancel struct{}

func (renameCancel) Inbound(m jsonrpc.Message) (up, back []jsonrpc.Message) {
	if m.Method == "stop" {
		m.Method, m.Params = "$/cancel_request", jsontext.Value(strings.Replace(string(m.Params), `"id"`, `"requestId"`, 1))
	}
	return []jsonrpc.Message{m}, nil
}

func (renameCancel) Outbound(m jsonrpc.Message) (out, back []jsonrpc.Message) {
	return []jsonrpc.Message{m}, nil
}

// Both ends work through translators at once, under load, in the order of the wire, and end cleanly.
func TestTranslatorsUnderLoad(t *testing.T) {
	var mu sync.Mutex
	var got []int
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		var p note
		if err := req.Decode(&p); err != nil {
			return nil, err
		}
		if req.IsNotification() {
			mu.Lock()
			got = append(got, p.N)
			mu.Unlock()
		}
		return p.N, nil
	})
	left, right := newConns(t, handler, handler, jsonrpc.Options{KeyMember: "session", Translator: renameCancel{}}, jsonrpc.Options{KeyMember: "session", Translator: renameCancel{}})
	const count = 2000
	var calls sync.WaitGroup
	for i := range 4 {
		calls.Add(1)
		conn := []*jsonrpc.Conn{left, right}[i%2]
		go func() {
			defer calls.Done()
			for n := range count / 4 {
				var answer int
				if err := conn.Call(context.Background(), "ask", note{N: n}, &answer); err != nil || answer != n {
					t.Errorf("call %d: %d, %v", n, answer, err)
					return
				}
			}
		}()
	}
	for n := range count {
		if err := left.Notify(t.Context(), "update", note{"s", n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := left.Call(t.Context(), "ask", note{"s", 0}, nil); err != nil { // behind all updates
		t.Fatal(err)
	}
	calls.Wait()
	mu.Lock()
	defer mu.Unlock()
	if len(got) != count || !slices.IsSorted(got) {
		t.Errorf("%d updates, in order: %v", len(got), slices.IsSorted(got))
	}
	_ = left.Close()
	if err := right.Wait(); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("Wait: %v", err)
	}
}
