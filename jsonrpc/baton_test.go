package jsonrpc_test

import (
	"context"
	"os"
	"runtime"
	"testing"

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
