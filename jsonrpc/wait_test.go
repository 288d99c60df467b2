package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A blocker is a handler that a test steers: it waits for hold, calls "ask" with its own context, and waits for after.
type blocker struct {
	hold, after chan struct{}
	asked       chan error
}

func newBlocker() *blocker {
	return &blocker{hold: make(chan struct{}), after: make(chan struct{}), asked: make(chan error, 10)}
}

func (b *blocker) block(ctx context.Context, conn *jsonrpc.Conn) {
	<-b.hold
	b.asked <- conn.Call(ctx, "ask", nil, nil)
	<-b.after
}

// W5: a request's handler may call while an update of its session is being handled, and does not wait for that.
func TestW5_ARequestsOwnCallSkipsTheBarrierToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			if req.IsNotification() {
				<-hold
				return nil, nil
			}
			return "done", req.Conn().Call(ctx, "ask", note{Session: "s"}, nil)
		})
		_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
		peer.send(`{"jsonrpc":"2.0","id":7,"method":"prompt","params":{"session":"s"}}`)
		peer.receive()
		peer.send(`{"jsonrpc":"2.0","method":"update","params":{"session":"s"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		if got := peer.receive(); !strings.Contains(got, `"done"`) {
			t.Errorf("received %s", got)
		}
		close(hold)
	})
}

// W5: a program between two peers handles an update of one side before the answer that it passes on to the other.
func TestW5_AProxysCallWaitsForUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handled atomic.Int32
		hold, steered := make(chan struct{}), make(chan struct{})
		far, agent := newPair(t, jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			<-hold
			handled.Add(1)
			return nil, nil
		}), jsonrpc.Options{KeyMember: "session"})
		_, editor := newPair(t, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			err := far.Call(ctx, req.Method, note{Session: "s"}, nil)
			if req.IsNotification() {
				close(steered)
			}
			return handled.Load(), err
		}), jsonrpc.Options{KeyMember: "session"})
		editor.send(`{"jsonrpc":"2.0","id":7,"method":"prompt","params":{"session":"s"}}`)
		agent.receive()
		agent.send(`{"jsonrpc":"2.0","method":"update","params":{"session":"s"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		synctest.Wait()
		close(hold)
		if got, want := editor.receive(), `{"jsonrpc":"2.0","id":7,"result":1}`; got != want {
			t.Errorf("received %s, want %s", got, want)
		}
		// A notification's call waits for nothing, on whatever connection: its own session waits for it.
		hold = make(chan struct{})
		editor.send(`{"jsonrpc":"2.0","method":"steer","params":{"session":"s"}}`)
		agent.receive()
		agent.send(`{"jsonrpc":"2.0","method":"update","params":{"session":"s"}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
		<-steered
		close(hold)
	})
}

// W6: what waits for an update whose handler begins to wait for the peer is let go, and only for that time.
func TestW6_AHandlerThatWaitsForThePeerHoldsUpNoRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBlocker()
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			if req.Method == "block" {
				b.block(ctx, req.Conn())
			}
			return "ok", nil
		})
		conn, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
		peer.send(`{"jsonrpc":"2.0","method":"block","params":{"session":"s"}}`, `{"jsonrpc":"2.0","id":1,"method":"r","params":{"session":"s"}}`)
		synctest.Wait()
		if _, requests := conn.InFlight(); requests != 1 {
			t.Fatalf("%d requests wait, want one", requests)
		}
		close(b.hold) // the handler asks the peer, who first wants an answer to its own request
		got := []string{peer.receive(), peer.receive()}
		slices.Sort(got)
		if want := []string{`{"jsonrpc":"2.0","id":1,"method":"ask"}`, `{"jsonrpc":"2.0","id":1,"result":"ok"}`}; !slices.Equal(got, want) {
			t.Fatalf("received %q, want %q", got, want)
		}
		peer.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := <-b.asked; err != nil {
			t.Errorf("the handler's call: %v", err)
		}
		// The handler waits no more, but still runs: the next request waits for it again.
		peer.send(`{"jsonrpc":"2.0","id":2,"method":"r","params":{"session":"s"}}`)
		synctest.Wait()
		if _, requests := conn.InFlight(); requests != 1 {
			t.Errorf("the next request did not wait for the handler")
		}
		close(b.after)
		if got, want := peer.receive(), `{"jsonrpc":"2.0","id":2,"result":"ok"}`; got != want {
			t.Errorf("received %s, want %s", got, want)
		}
	})
}

// W6: the same for an answer that another connection's handler waits for, in both orders; a plain goroutine's call keeps
// its place.
func TestW6_AHandlerThatWaitsForThePeerHoldsUpNoProxy(t *testing.T) {
	for _, early := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBlocker()
			far, agent := newPair(t, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
				b.block(ctx, req.Conn())
				return nil, nil
			}), jsonrpc.Options{KeyMember: "session"})
			_, editor := newPair(t, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
				return "passed on", far.Call(ctx, req.Method, note{Session: "s"}, nil)
			}), jsonrpc.Options{KeyMember: "session"})
			plain := make(chan error, 1)
			editor.send(`{"jsonrpc":"2.0","id":7,"method":"prompt","params":{"session":"s"}}`)
			agent.receive()
			go func() { plain <- far.Call(context.Background(), "plain", note{Session: "s"}, nil) }()
			agent.receive()
			agent.send(`{"jsonrpc":"2.0","method":"block","params":{"session":"s"}}`)
			answers := func() { agent.send(`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`) }
			if early {
				answers()
				synctest.Wait()
			}
			close(b.hold)
			agent.receive() // ask, which is not answered
			if !early {
				answers()
			}
			if got := editor.receive(); !strings.Contains(got, "passed on") {
				t.Errorf("received %s", got)
			}
			synctest.Wait()
			select {
			case err := <-plain:
				t.Errorf("the plain call returned (%v) before the update was handled", err)
			default:
			}
			_ = far.Close()
			close(b.after)
		})
	}
}

// W6: a handler begins to wait while the reader has stopped: the reader goes on for it.
func TestW6_TheReaderGoesOnForAHandlerThatBeginsToWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, stuck := newBlocker(), make(chan struct{})
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			switch req.Method {
			case "block":
				b.block(ctx, req.Conn())
			case "update":
				<-stuck
			}
			return nil, nil
		})
		_, peer := newPair(t, handler, small)
		peer.send(`{"jsonrpc":"2.0","method":"block","params":{"session":"b"}}`)
		update := fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"a","text":%q}}`, strings.Repeat("x", 4000))
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for range 55 { // 220 KB: more than the budget and what the pipe holds, and less than four budgets
				peer.send(update)
			}
			peer.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		}()
		synctest.Wait()
		close(b.hold)
		if err := <-b.asked; err != nil {
			t.Errorf("the handler's call: %v", err)
		}
		close(b.after)
		close(stuck)
		<-sent
	})
}

// W6: a handler that waits for room to write fails like one that waits for an answer.
func TestW6_PastFourBudgetsABlockedNotificationFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			if req.Method == "start" {
				for {
					if err := req.Conn().Notify(ctx, "flood", []string{strings.Repeat("y", 8<<10)}); err != nil {
						failed <- err
						return nil, nil
					}
				}
			}
			return nil, nil
		})
		conn, peer := newPair(t, handler, small)
		peer.send(`{"jsonrpc":"2.0","method":"start","params":{"session":"s"}}`)
		go peer.flood(200, fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"s","text":%q}}`, strings.Repeat("x", 4000)))
		if err := <-failed; !errors.Is(err, jsonrpc.ErrOverloaded) {
			t.Errorf("the notification failed with %v, want ErrOverloaded", err)
		}
		if conn.Err() != nil {
			t.Errorf("the connection has ended: %v", conn.Err())
		}
	})
}

// W6: if failing the greedy session's wait does not help, the others fail too, after a second: nothing waits for ever.
func TestW6_InTheEndEveryWaitFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outcomes, stuck := make(chan string, 2), make(chan struct{})
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			if req.Method != "start" {
				return nil, nil
			}
			var p note
			_ = req.Decode(&p)
			err := req.Conn().Call(ctx, "ask", nil, nil)
			outcomes <- fmt.Sprintf("%s: %v", p.Session, errors.Is(err, jsonrpc.ErrOverloaded))
			if p.Session == "greedy" {
				<-stuck // handles none of its messages
			}
			return nil, nil
		})
		_, peer := newPair(t, handler, small)
		for _, name := range []string{"modest", "greedy"} {
			peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"start","params":{"session":%q}}`, name))
			peer.receive()
		}
		go peer.flood(150, fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"greedy","text":%q}}`, strings.Repeat("x", 4000)))
		start := time.Now()
		for _, want := range []string{"greedy: true", "modest: true"} {
			if got := <-outcomes; got != want {
				t.Errorf("outcome %q, want %q", got, want)
			}
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("the modest session waited %v", took)
		}
		close(stuck)
	})
}

// W6: running requests never stop the reader, since their cancel may come next; beyond their limit one is refused.
func TestW6_TooManyRunningRequestsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		conn, peer := newPair(t, handler, small)
		text := strings.Repeat("x", 12<<10)
		n := 0
		for ; n < 1000; n++ { // 12 MB
			peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompt","params":{"text":%q}}`, n, text))
			synctest.Wait()
			if _, running := conn.InFlight(); running <= n {
				break
			}
		}
		if got := peer.receive(); !strings.Contains(got, fmt.Sprintf(`"id":%d,"error":{"code":-32603`, n)) || n < 200 {
			t.Errorf("after %d requests: %.200s", n, got)
		}
		peer.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":5}}`)
		if got := peer.receive(); !strings.Contains(got, `"id":5,"error":{"code":-32800`) {
			t.Errorf("received %.200s", got)
		}
		peer.send(`{"jsonrpc":"2.0","id":"next","method":"prompt"}`)
		synctest.Wait()
		if _, running := conn.InFlight(); running != n {
			t.Errorf("%d requests run, want %d", running, n)
		}
	})
}

// W8: after the input has ended, answers that nobody reads don't keep the connection from ending.
func TestW8_AStalledPeerDoesNotKeepTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			return strings.Repeat("y", 60<<10), nil
		})
		here, there := net(t)
		conn := jsonrpc.NewConn(here, handler, jsonrpc.Options{})
		peer := &rawPeer{t: t, stream: there}
		for n := range 60 { // 3.6 MB of answers: some handlers wait for room
			peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"read"}`, n))
		}
		synctest.Wait()
		start := time.Now()
		there.closeInput()
		_ = conn.Wait()
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("the connection ended after %v", took)
		}
	})
}

// W9: what a handler leaves behind may fail as well.
func TestW9_HooksOfAHandlerThatDie(t *testing.T) {
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		req.AfterAnswer(func() { panic("afterwards") })
		req.OnCancelled(func(any, error) (any, error) { panic("on cancel") })
		if req.Method == "wait" {
			<-ctx.Done()
		}
		return "ok", nil
	})
	_, peer := newPair(t, handler, jsonrpc.Options{})
	peer.send(`{"jsonrpc":"2.0","id":1,"method":"quick"}`)
	if got, want := peer.receive(), `{"jsonrpc":"2.0","id":1,"result":"ok"}`; got != want {
		t.Errorf("received %s, want %s", got, want)
	}
	peer.send(`{"jsonrpc":"2.0","id":2,"method":"wait"}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}`)
	if got := peer.receive(); !strings.Contains(got, `"id":2,"error":{"code":-32603`) {
		t.Errorf("received %s", got)
	}
}

// W3 W4: an id as long as a message is no id.
func TestW4_AnEndlessID(t *testing.T) {
	_, peer := newPair(t, newStage(), jsonrpc.Options{MaxMessageBytes: 1 << 16, AnswerNoise: true})
	peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"echo"}`, strings.Repeat("i", 1<<16-60)))
	if got := peer.receive(); !strings.Contains(got, `"id":null,"error":{"code":-32600`) {
		t.Errorf("received %.100s", got)
	}
}

// W6: the entries of a batch count one by one.
func TestW6_ABatchDoesNotPassTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		var handled atomic.Int32
		handler := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			<-hold
			handled.Add(1)
			return nil, nil
		})
		conn, peer := newPair(t, handler, small)
		entry := `{"jsonrpc":"2.0","method":"x"},`
		go peer.send("[" + strings.Repeat(entry, 500) + entry[:len(entry)-1] + "]")
		synctest.Wait()
		if held, _ := conn.Held(); held > 100<<10 {
			t.Errorf("%d bytes are held, with a budget of 64 KiB", held)
		}
		close(hold)
		synctest.Wait()
		if got := handled.Load(); got != 501 {
			t.Errorf("%d entries were handled, want 501", got)
		}
	})
}
