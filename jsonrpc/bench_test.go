package jsonrpc_test

import (
	"context"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

func benchConns(b *testing.B, handler jsonrpc.Handler) *jsonrpc.Conn {
	left, right := osPipes(b)
	opts := jsonrpc.Options{KeyMember: "session"}
	l, r := jsonrpc.NewConn(left, nil, opts), jsonrpc.NewConn(right, handler, opts)
	b.Cleanup(func() { _, _, _, _ = l.Close(), r.Close(), l.Wait(), r.Wait() })
	return l
}

var params = jsontext.Value(`{"session":"s-1","text":"hello, world"}`)

// BenchmarkCall is a round trip over pipes of the operating system, within one process.
func BenchmarkCall(b *testing.B) {
	conn := benchConns(b, jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) { return params, nil }))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := conn.CallRaw(context.Background(), "echo", params); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNotify is a stream of notifications over pipes of the operating system, until the last one is handled.
func BenchmarkNotify(b *testing.B) {
	var handled sync.WaitGroup
	conn := benchConns(b, jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
		handled.Done()
		return nil, nil
	}))
	b.ReportAllocs()
	for b.Loop() {
		handled.Add(1)
		if err := conn.NotifyRaw(context.Background(), "update", params); err != nil {
			b.Fatal(err)
		}
	}
	handled.Wait()
}
