package jsonrpc_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// What is sent after Start has returned follows the request on the wire (T3 stands on this).
func TestStartReturnsWhenTheRequestIsOnItsWay(t *testing.T) {
	conn, peer := newPair(t, nil, jsonrpc.Options{})
	pending, err := conn.Start(context.Background(), "first", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Notify(context.Background(), "second", nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "second"} {
		if got := peer.receive(); !strings.Contains(got, want) {
			t.Fatalf("got %s, want %s", got, want)
		}
	}
	peer.send(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
	var got string
	if err := pending.Wait(context.Background(), &got); err != nil || got != "done" {
		t.Errorf("got %q, %v", got, err)
	}
}

// W7: the context of Wait cancels the request as that of Call does, and an answer that is there is not lost to it.
func TestW7_WaitForAStartedRequest(t *testing.T) {
	conn, peer := newPair(t, nil, jsonrpc.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	pending, err := conn.Start(ctx, "slow", nil)
	if err != nil {
		t.Fatal(err)
	}
	peer.receive()
	cancel()
	if err := pending.Wait(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancellation", err)
	}
	if got := peer.receive(); !strings.Contains(got, "$/cancel_request") || !strings.Contains(got, `"requestId":1`) {
		t.Errorf("the peer was sent %s", got)
	}
	if calls, _ := conn.InFlight(); calls > 0 {
		t.Errorf("%d calls are in flight", calls)
	}
	if _, err := conn.Start(ctx, "late", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a request with a context that has ended: %v", err)
	}
	_ = conn.Close()
	if _, err := conn.Start(context.Background(), "late", nil); !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("a request after Close: %v", err)
	}
}
