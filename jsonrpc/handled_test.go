package jsonrpc_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// W5: who learns the name of a session only from an answer can wait for what came before it.
func TestW5_WhatCameBeforeAnAnswerThatNamesTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var handled atomic.Int32
		conn, peer := newPair(t, jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			time.Sleep(time.Second)
			handled.Add(1)
			return nil, nil
		}), jsonrpc.Options{KeyMember: "session"})
		const update = `{"jsonrpc":"2.0","method":"update","params":{"session":"new"}}`
		go func() {
			peer.receive() // an answer that comes before its request would be nobody's
			peer.send(update, update, `{"jsonrpc":"2.0","id":1,"result":"new"}`, update)
		}()
		var name string
		if err := conn.Call(context.Background(), "open", nil, &name); err != nil {
			t.Fatal(err)
		}
		if handled.Load() != 0 {
			t.Fatalf("%d updates were handled before the answer: the test proves nothing", handled.Load())
		}
		if err := conn.Handled(context.Background(), "other"); err != nil || handled.Load() != 0 {
			t.Errorf("waiting for another session: %v, after %d updates", err, handled.Load())
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := conn.Handled(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want the deadline", err)
		}
		if err := conn.Handled(context.Background(), name); err != nil || handled.Load() < 2 {
			t.Errorf("after %d updates: %v", handled.Load(), err)
		}
		if calls, _ := conn.InFlight(); calls > 0 {
			t.Errorf("%d calls are in flight", calls)
		}
		_ = conn.Close()
		if err := conn.Handled(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
}
