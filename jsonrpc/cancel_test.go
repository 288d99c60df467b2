package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// W7: the caller returns at once, the peer is told, and an answer that comes later is discarded.
func TestW7_CancellingACallTellsThePeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		diagnostics := 0
		conn, peer := newPair(t, nil, jsonrpc.Options{Diagnose: func(jsonrpc.Diagnostic) { diagnostics++ }})
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error, 1)
		go func() { done <- conn.Call(ctx, "work", nil, nil) }()
		if got, want := peer.receive(), `{"jsonrpc":"2.0","id":1,"method":"work"}`; got != want {
			t.Fatalf("received %s, want %s", got, want)
		}
		reason := errors.New("the user pressed stop")
		cancel(reason)
		if err := <-done; !errors.Is(err, context.Canceled) || !errors.Is(err, reason) || errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("error %v, want one that is context.Canceled and has the cause", err)
		}
		if got, want := peer.receive(), `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`; got != want {
			t.Errorf("received %s, want %s", got, want)
		}
		peer.send(`{"jsonrpc":"2.0","id":1,"result":"late"}`)
		synctest.Wait()
		if diagnostics != 0 {
			t.Errorf("%d diagnostics about an answer that is merely late", diagnostics)
		}
		if calls, _ := conn.InFlight(); calls != 0 {
			t.Errorf("%d calls are still pending", calls)
		}
		go func() { done <- conn.Call(t.Context(), "work", nil, nil) }()
		peer.receive()
		peer.send(`{"jsonrpc":"2.0","id":2,"result":null}`)
		if err := <-done; err != nil {
			t.Errorf("the next call: %v", err)
		}
	})
}

// W7: a call on a pipe that nobody reads keeps its deadline, whether its message is too large for the pipe, waits behind
// others, or can't even be queued.
func TestW7_ADeadlineHoldsOnAPipeThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, _ := newPair(t, nil, jsonrpc.Options{})
		large := strings.Repeat("x", 300<<10)
		for n := range 50 { // 15 MB in all, far more than may wait
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			var err error
			if n%2 == 0 {
				err = conn.Call(ctx, "work", []string{large}, nil)
			} else {
				err = conn.Notify(ctx, "work", []string{large})
			}
			cancel()
			if n%2 == 0 && !errors.Is(err, context.DeadlineExceeded) || err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("call %d: error %v, want the deadline", n, err)
			}
			if took := time.Since(start); took > time.Second {
				t.Fatalf("call %d returned after %v, want one second at most", n, took)
			}
		}
		if _, backlog := conn.Held(); backlog > 2<<20 {
			t.Errorf("%d bytes wait for the writer", backlog)
		}
	})
}

// W7 F40: a cancel in the same write as its request is never lost, nor does it hit another request.
func TestW7_ACancelInTheSameWriteAsItsRequest(t *testing.T) {
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method == "quick" {
			return "untouched", nil
		}
		<-ctx.Done()
		return "stopped", nil
	})
	for _, key := range []string{"", "s"} {
		_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
		for n := range rounds(500) {
			peer.send(
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompt","params":{"session":%q}}`, 2*n, key),
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":%d}}`, 2*n))
			if got, want := peer.receive(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32800,"message":"request cancelled"}}`, 2*n); got != want {
				t.Fatalf("round %d: received %s, want %s", n, got, want)
			}
			peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"quick","params":{"session":%q}}`, 2*n+1, key))
			if got, want := peer.receive(), fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"untouched"}`, 2*n+1); got != want {
				t.Fatalf("round %d: received %s, want %s", n, got, want)
			}
		}
	}
}

// W7: a cancel is acted on while the session's queue, and even the whole budget, is full.
func TestW7_ACancelPassesEverythingThatWaits(t *testing.T) {
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method == "slow" {
			<-req.Conn().Done()
		}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	_, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
	peer.send(`{"jsonrpc":"2.0","id":1,"method":"prompt","params":{"session":"s"}}`)
	for range 1000 {
		peer.send(`{"jsonrpc":"2.0","method":"slow","params":{"session":"s"}}`)
	}
	peer.send(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`)
	within(t, "the cancelled request's answer", func() {
		if got := peer.receive(); !strings.Contains(got, "-32800") {
			t.Errorf("received %s", got)
		}
	})
}

// W7: an end to end cancel: the other side's handler sees it, with a cause.
func TestW7_TheOtherSidesHandlerIsCancelled(t *testing.T) {
	started, causes := make(chan struct{}, 1), make(chan error, 1)
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		started <- struct{}{}
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return nil, ctx.Err()
	})
	conn, other := newConns(t, nil, handler, jsonrpc.Options{}, jsonrpc.Options{})
	for range rounds(200) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- conn.Call(ctx, "work", nil, nil) }()
		<-started
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
		within(t, "the handler's cancel", func() {
			if cause := <-causes; cause == nil || !strings.Contains(cause.Error(), "cancelled by the peer") {
				t.Errorf("cause %v", cause)
			}
		})
	}
	within(t, "requests forgotten", func() {
		for {
			if _, requests := other.InFlight(); requests == 0 {
				return
			}
		}
	})
}

// W7, T1: a cancel that arrives as something else than $/cancel_request wins likewise, up to the moment in which the answer
// is handed to the writer.
func TestW7_CancelledByThePeerInAnotherWay(t *testing.T) {
	var last *jsonrpc.Request
	conn, peer := newPair(t, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		if last != nil {
			last.CancelledByPeer() // has been answered
		}
		last = req
		switch req.Method {
		case "graceful":
			req.OnCancelled(func(result any, _ error) (any, error) { return map[string]any{"instead of": result}, nil })
		case "plain":
			return "done", nil
		}
		req.CancelledByPeer()
		if ctx.Err() == nil {
			t.Error("the context has not ended")
		}
		return "done", nil
	}), jsonrpc.Options{})
	for i, test := range []struct{ method, want string }{
		{"abrupt", `"code":-32800`},
		{"graceful", `"result":{"instead of":"done"}`},
		{"plain", `"result":"done"`},
	} {
		peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, i, test.method))
		if got := peer.receive(); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", test.method, got, test.want)
		}
	}
	if _, requests := conn.InFlight(); requests > 0 {
		t.Errorf("%d requests are in flight", requests)
	}
}
