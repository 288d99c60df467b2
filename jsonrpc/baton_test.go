package jsonrpc_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// osPipes returns two streams over pipes of the operating system.
func osPipes(t testing.TB) (_, _ *transport.ByteStream) {
	r1, w1, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r2, w2, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return transport.New(r1, w2, transport.Options{}), transport.New(r2, w1, transport.Options{})
}

// On a stream from outside the reader runs handlers itself. When one takes its time, in whatever way, another goroutine
// reads on: the cancel of a handler that does nothing but wait for it arrives.
func TestReadingGoesOnWhileAHandlerRuns(t *testing.T) {
	for name, wait := range map[string]func(context.Context){
		"blocked": func(ctx context.Context) { <-ctx.Done() },
		"busy": func(ctx context.Context) {
			for ctx.Err() == nil {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			left, right := osPipes(t)
			started := make(chan struct{}, 1)
			conn := jsonrpc.NewConn(left, nil, jsonrpc.Options{})
			other := jsonrpc.NewConn(right, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
				switch req.Method {
				case "wait":
					started <- struct{}{}
					wait(ctx)
				case "exit":
					runtime.Goexit()
				}
				return "ok", nil
			}), jsonrpc.Options{})
			defer func() { _, _, _, _ = conn.Close(), other.Close(), conn.Wait(), other.Wait() }()
			within(t, "the cancelled handlers", func() {
				for range rounds(200) {
					ctx, cancel := context.WithCancel(context.Background())
					done := make(chan error, 1)
					go func() { done <- conn.Call(ctx, "wait", nil, nil) }()
					<-started
					cancel()
					<-done
					if err := conn.Call(context.Background(), "quick", nil, nil); err != nil {
						t.Errorf("a call afterwards: %v", err)
					}
					if err := conn.Call(context.Background(), "exit", nil, nil); err == nil {
						t.Error("no error from a handler that has ended its goroutine")
					}
				}
			})
		})
	}
}

// newOSConns returns two connections over pipes of the operating system, on which calls read their own answers.
func newOSConns(t testing.TB, left, right jsonrpc.Handler) (_, _ *jsonrpc.Conn) {
	a, b := osPipes(t)
	l, r := jsonrpc.NewConn(a, left, jsonrpc.Options{KeyMember: "session"}), jsonrpc.NewConn(b, right, jsonrpc.Options{KeyMember: "session"})
	t.Cleanup(func() { _, _, _, _ = l.Close(), r.Close(), l.Wait(), r.Wait() })
	return l, r
}

// W7: a call that reads for itself ends with its context all the same, and neither it nor the connection loses anything.
func TestW7_CallThatReadsForItself(t *testing.T) {
	conn, _ := newOSConns(t, nil, newStage())
	within(t, "the calls", func() {
		for i := range rounds(300) {
			if err := conn.Call(context.Background(), "echo", nil, nil); err != nil {
				t.Fatal(err) // from here on nobody reads but the next call
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%7)*100*time.Microsecond)
			if err := conn.Call(ctx, "stubborn", nil, nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v, want a deadline exceeded", err)
			}
			cancel()
		}
	})
	if calls, _ := conn.InFlight(); calls > 0 {
		t.Errorf("%d calls are in flight", calls)
	}
}

// What comes while no call waits is read without one.
func TestReadingGoesOnBetweenCalls(t *testing.T) {
	heard := make(chan struct{}, 1)
	conn, peer := newOSConns(t, jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
		heard <- struct{}{}
		return nil, nil
	}), newStage())
	within(t, "the notifications", func() {
		for range rounds(200) {
			if err := conn.Call(context.Background(), "echo", nil, nil); err != nil {
				t.Fatal(err)
			}
			if err := peer.Notify(context.Background(), "note", nil); err != nil {
				t.Fatal(err)
			}
			<-heard
		}
	})
}

// W8: an end between two calls is noticed, whoever brings it about.
func TestW8_EndBetweenCalls(t *testing.T) {
	for name, end := range map[string]func(conn, peer *jsonrpc.Conn) error{
		"ours":   func(conn, _ *jsonrpc.Conn) error { return conn.Close() },
		"theirs": func(_, peer *jsonrpc.Conn) error { return peer.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			conn, peer := newOSConns(t, nil, newStage())
			if err := conn.Call(context.Background(), "echo", nil, nil); err != nil {
				t.Fatal(err)
			}
			if err := end(conn, peer); err != nil {
				t.Fatal(err)
			}
			within(t, "the end", func() { _ = conn.Wait() })
		})
	}
}

// Whoever reads, no answer is lost: many callers, some of which give up, requests from both sides, handlers that call
// back, and notifications between them.
func TestReadersTakeTurns(t *testing.T) {
	var notes atomic.Int64
	handler := func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		switch req.Method {
		case "note":
			notes.Add(1)
			return nil, nil
		case "back":
			if err := req.Conn().Notify(ctx, "note", nil); err != nil {
				return nil, err
			}
			return req.Params, req.Conn().Call(ctx, "echo", req.Params, nil)
		}
		return req.Params, nil
	}
	left, right := newOSConns(t, jsonrpc.HandlerFunc(handler), jsonrpc.HandlerFunc(handler))
	n := rounds(2000)
	within(t, "the calls", func() {
		var wg sync.WaitGroup
		for i, conn := range []*jsonrpc.Conn{left, left, left, right} {
			wg.Go(func() {
				for k := range n {
					method := []string{"echo", "back"}[k%2]
					params := fmt.Appendf(nil, `{"i":%d,"session":"%d"}`, k, i)
					ctx, cancel := context.Background(), context.CancelFunc(func() {})
					if i == 0 {
						ctx, cancel = context.WithTimeout(ctx, time.Duration(k%100)*time.Microsecond)
					}
					got, err := conn.CallRaw(ctx, method, params)
					cancel()
					if errors.Is(err, context.DeadlineExceeded) && i == 0 {
						continue
					}
					if err != nil || string(got) != string(params) {
						t.Errorf("%s %s returned %s, %v", method, params, got, err)
						return
					}
				}
			})
		}
		wg.Wait()
	})
	if notes.Load() == 0 {
		t.Error("no notification was handled")
	}
}
