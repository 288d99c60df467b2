package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// small is a budget that tests can fill. It allows messages of 16 KiB.
var small = jsonrpc.Options{KeyMember: "session", MaxMessageBytes: 16 << 10, Budget: 64 << 10}

// W6 F24: a flood to a slow handler loses nothing, ends nothing, and stays within the budget.
func TestW6_AFloodToASlowHandler(t *testing.T) {
	const count = 20_000
	var handled, most atomic.Int64
	all := make(chan struct{})
	opts := jsonrpc.Options{KeyMember: "session", MaxMessageBytes: 64 << 10, Budget: 256 << 10}
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		for start := time.Now(); time.Since(start) < 50*time.Microsecond; { // work, not sleep
		}
		if held, _ := req.Conn().Held(); int64(held) > most.Load() {
			most.Store(int64(held))
		}
		if !req.IsNotification() {
			return nil, nil
		}
		var p note
		if err := req.Decode(&p); err != nil {
			return nil, err
		}
		if n := handled.Add(1); p.N != int(n)-1 {
			t.Errorf("notification %d came as number %d", p.N, n)
		} else if n == count {
			close(all)
		}
		return nil, nil
	})
	sender, receiver := newConns(t, nil, handler, jsonrpc.Options{}, opts)
	for n := range count {
		if err := sender.Notify(t.Context(), "update", note{"s", n}); err != nil {
			t.Fatal(err)
		}
	}
	within(t, "all notifications handled", func() { <-all })
	if err := receiver.Err(); err != nil {
		t.Errorf("the connection has ended: %v", err)
	}
	// What one read brings may pass the budget.
	if limit := int64(2*opts.Budget + 64<<10); most.Load() > limit {
		t.Errorf("%d bytes were held at some time, with a budget of %d", most.Load(), opts.Budget)
	}
	if err := sender.Call(t.Context(), "still/there", nil, nil); err != nil {
		t.Errorf("a call afterwards: %v", err)
	}
}

// W6: handlers that call each other from inside notifications, ten levels deep.
func TestW6_HandlersThatCallEachOtherTenDeep(t *testing.T) {
	for _, method := range []string{"notify", "call"} {
		t.Run(method, func(t *testing.T) {
			bottom := make(chan int, 100)
			var handler jsonrpc.HandlerFunc = func(ctx context.Context, req *jsonrpc.Request) (any, error) {
				var p note
				if err := req.Decode(&p); err != nil {
					return nil, err
				}
				if p.N == 0 {
					bottom <- 0
					return nil, nil
				}
				p.N--
				if req.IsNotification() { // call, from inside a notification
					return nil, req.Conn().Call(ctx, "down", p, nil)
				}
				if method == "notify" { // and notify from inside the request, so that the next level is a notification too
					return nil, req.Conn().Notify(ctx, "down", p)
				}
				return nil, req.Conn().Call(ctx, "down", p, nil)
			}
			left, right := newConns(t, handler, handler, small, small)
			for range 50 {
				for _, side := range []*jsonrpc.Conn{left, right} {
					if err := side.Notify(t.Context(), "down", note{"s", 10}); err != nil {
						t.Fatal(err)
					}
				}
			}
			within(t, "the bottom, from both sides", func() {
				for range 100 {
					<-bottom
				}
			})
		})
	}
}

// W6: both sides flood each other from inside handlers with far more than budgets and pipe hold. Whoever writes is
// blocked by the other's not reading; reading goes on for the sake of the blocked.
func TestW6_BothSidesFloodEachOtherFromHandlers(t *testing.T) {
	payload := strings.Repeat("x", 8<<10)
	var total atomic.Int64
	all := make(chan struct{})
	const volleys, shots = 4, 60
	handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		switch req.Method {
		case "volley":
			for range shots {
				if err := req.Conn().Notify(ctx, "shot", map[string]string{"session": "s", "payload": payload}); err != nil {
					t.Errorf("notify inside a handler: %v", err)
				}
			}
		case "shot":
			if total.Add(1) == 2*volleys*shots {
				close(all)
			}
		}
		return nil, nil
	})
	opts := jsonrpc.Options{KeyMember: "session", MaxMessageBytes: 16 << 10, Budget: 1 << 20} // a quarter of what arrives, so that nobody fails
	a, b := transport.PipeSize(4 << 10)
	left, right := jsonrpc.NewConn(a, handler, opts), jsonrpc.NewConn(b, handler, opts)
	defer func() { _, _, _, _ = left.Close(), right.Close(), left.Wait(), right.Wait() }()
	for range volleys {
		for _, side := range []*jsonrpc.Conn{left, right} {
			if err := side.Notify(t.Context(), "volley", note{Session: "s"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	within(t, "all shots", func() { <-all })
}

// W6: a handler waits for an answer that stands behind more messages than four budgets hold. It fails, and everything
// else goes on.
func TestW6_PastFourBudgetsABlockedCallFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		var updates atomic.Int64
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			if req.Method == "update" {
				updates.Add(1)
				return nil, nil
			}
			failed <- req.Conn().Call(ctx, "ask", nil, nil)
			return nil, nil
		})
		conn, peer := newPair(t, handler, small)
		peer.send(`{"jsonrpc":"2.0","method":"start","params":{"session":"s"}}`)
		if got := peer.receive(); !strings.Contains(got, `"ask"`) {
			t.Fatalf("received %s", got)
		}
		update := fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"s","text":%q}}`, strings.Repeat("x", 4000))
		const count = 200 // 800 KB: a dozen budgets
		go peer.flood(count, update)
		if err := <-failed; !errors.Is(err, jsonrpc.ErrOverloaded) {
			t.Errorf("the handler's call failed with %v, want ErrOverloaded", err)
		}
		synctest.Wait()
		if got := updates.Load(); got != count {
			t.Errorf("%d updates were handled, want all %d", got, count)
		}
		if conn.Err() != nil {
			t.Errorf("the connection has ended: %v", conn.Err())
		}
	})
}

// W6: when a wait must fail, it is that of the session that fills the budget.
func TestW6_TheSessionOverItsShareFailsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outcomes := make(chan string, 2)
		handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			if req.Method == "start" {
				var p note
				_ = req.Decode(&p)
				err := req.Conn().Call(ctx, "ask", nil, nil)
				outcomes <- fmt.Sprintf("%s: %v", p.Session, errors.Is(err, jsonrpc.ErrOverloaded))
			}
			return nil, nil
		})
		_, peer := newPair(t, handler, small)
		peer.send(`{"jsonrpc":"2.0","method":"start","params":{"session":"modest"}}`)
		peer.receive()
		peer.send(`{"jsonrpc":"2.0","method":"start","params":{"session":"greedy"}}`)
		peer.receive()
		update := fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"greedy","text":%q}}`, strings.Repeat("x", 4000))
		for range 150 { // one at a time, so that what has failed makes room before there is more
			peer.send(update)
			synctest.Wait()
		}
		if got, want := <-outcomes, "greedy: true"; got != want {
			t.Errorf("first outcome %q, want %q", got, want)
		}
		select {
		case got := <-outcomes:
			t.Fatalf("the modest session did not wait: %q", got)
		default:
		}
		peer.send(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		if got, want := <-outcomes, "modest: false"; got != want {
			t.Errorf("second outcome %q, want %q", got, want)
		}
	})
}

// W6: reading pauses while the budget is spent and no handler waits for the peer, so that a peer can't fill memory; and
// goes on when there is room.
func TestW6_ReadingPausesWhileTheBudgetIsSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		handler := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			<-hold
			return nil, nil
		})
		conn, peer := newPair(t, handler, small)
		const count = 500 // 2 MB
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for range count {
				peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"update","params":{"session":"s","text":%q}}`, strings.Repeat("x", 4000)))
			}
		}()
		synctest.Wait()
		if held, _ := conn.Held(); held < 64<<10 || held > 192<<10 {
			t.Errorf("%d bytes are held, with a budget of 64 KiB", held)
		}
		close(hold)
		<-sent
		synctest.Wait()
		if held, _ := conn.Held(); held != 0 {
			t.Errorf("%d bytes are held after everything was handled", held)
		}
	})
}

// W6: requests without end to a peer that never reads an answer are not answered into memory without end.
func TestW6_APeerThatNeverReadsAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handler := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			return strings.Repeat("y", 12<<10), nil
		})
		conn, peer := newPair(t, handler, small)
		go func() {
			defer func() { _ = recover() }()
			for n := 0; ; n++ {
				if peer.stream.Write([][]byte{fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"read"}`, n)}) != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if _, backlog := conn.Held(); backlog > 6<<20 { // one for the answers, four for refusals
			t.Errorf("%d bytes wait for a peer that does not read", backlog)
		}
		_ = conn.Close()
		_ = peer.stream.Close()
	})
}

// W6: waits on one connection count for the handler's own, as they must where a program stands between two peers.
func TestW6_AProxyBetweenTwoFloods(t *testing.T) {
	payload := strings.Repeat("x", 4<<10)
	opts := jsonrpc.Options{KeyMember: "session", MaxMessageBytes: 16 << 10, Budget: 1 << 20} // half of what arrives, so that nobody fails
	var arrived atomic.Int64
	all := make(chan struct{})
	const count = 400
	end := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method == "shot" && arrived.Add(1) == 2*count {
			close(all)
		}
		return nil, nil
	})
	var near, far *jsonrpc.Conn
	var ready sync.WaitGroup
	ready.Add(1)
	forward := func(to func() *jsonrpc.Conn) jsonrpc.Handler {
		return jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
			ready.Wait()
			return nil, to().NotifyRaw(ctx, req.Method, req.Params)
		})
	}
	a1, a2 := transport.PipeSize(4 << 10)
	b1, b2 := transport.PipeSize(4 << 10)
	near = jsonrpc.NewConn(a2, forward(func() *jsonrpc.Conn { return far }), opts)
	far = jsonrpc.NewConn(b1, forward(func() *jsonrpc.Conn { return near }), opts)
	ready.Done()
	alice, bob := jsonrpc.NewConn(a1, end, opts), jsonrpc.NewConn(b2, end, opts)
	defer func() {
		for _, c := range []*jsonrpc.Conn{alice, bob, near, far} {
			_ = c.Close()
			_ = c.Wait()
		}
	}()
	for _, from := range []*jsonrpc.Conn{alice, bob} {
		go func() {
			for range count {
				if err := from.Notify(context.Background(), "shot", map[string]string{"session": "s", "payload": payload}); err != nil {
					t.Errorf("notify: %v", err)
				}
			}
		}()
	}
	within(t, "all shots at both ends", func() { <-all })
}
