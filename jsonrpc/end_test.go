package jsonrpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A dyingStream reports a reason of its own at the end of input, as a subprocess does.
type dyingStream struct {
	jsonrpc.Stream
	reason error
}

func (s dyingStream) Read(limit int) ([]jsonrpc.Frame, error) {
	frames, err := s.Stream.Read(limit)
	if err == io.EOF {
		err = s.reason
	}
	return frames, err
}

// W8 F83: at the end of input every pending call fails with the reason, and only after what came before was delivered.
func TestW8_EndOfInputFailsEveryCallWithTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := transport.Pipe()
		reason := errors.New("exit status 3: out of cheese")
		var handled atomic.Int64
		handler := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			time.Sleep(time.Second) // in the bubble's time
			handled.Add(1)
			return nil, nil
		})
		conn := jsonrpc.NewConn(dyingStream{ours, reason}, handler, jsonrpc.Options{KeyMember: "session"})
		type result struct {
			handled int64
			err     error
		}
		results := make(chan result, 2)
		for _, params := range []any{note{Session: "s"}, nil} {
			go func() {
				err := conn.Call(context.Background(), "prompt", params, nil)
				results <- result{handled.Load(), err}
			}()
			synctest.Wait()
		}
		update := []byte(`{"jsonrpc":"2.0","method":"update","params":{"session":"s"}}`)
		_ = theirs.Write([][]byte{update, update, update})
		_ = theirs.Close()
		for _, want := range []int64{0, 3} { // the call without a session does not wait
			r := <-results
			var closed *jsonrpc.ClosedError
			if !errors.Is(r.err, jsonrpc.ErrClosed) || !errors.Is(r.err, reason) || !errors.As(r.err, &closed) || !strings.Contains(r.err.Error(), "out of cheese") {
				t.Errorf("error %v, want ErrClosed with the reason", r.err)
			}
			if r.handled != want {
				t.Errorf("a call failed after %d of the updates, want %d", r.handled, want)
			}
		}
		if err := conn.Wait(); !errors.Is(err, reason) {
			t.Errorf("Wait: %v", err)
		}
		if err := conn.Call(context.Background(), "prompt", nil, nil); !errors.Is(err, reason) {
			t.Errorf("a call afterwards: %v", err)
		}
		if err := conn.Notify(context.Background(), "prompt", nil); !errors.Is(err, reason) {
			t.Errorf("a notification afterwards: %v", err)
		}
	})
}

// W8: Close is immediate also inside handlers of both kinds, with calls, handlers and writes under way.
func TestW8_CloseIsImmediateAndSafeInsideAHandler(t *testing.T) {
	for _, message := range []string{
		`{"jsonrpc":"2.0","method":"close","params":{"session":"s"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"close","params":{"session":"s"}}`,
	} {
		synctest.Test(t, func(t *testing.T) {
			waited := make(chan error, 1)
			handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
				switch req.Method {
				case "close":
					start := time.Now()
					_ = req.Conn().Close()
					_ = req.Conn().Close()
					if took := time.Since(start); took > 0 {
						t.Errorf("Close took %v", took)
					}
				case "work":
					<-ctx.Done()
					waited <- ctx.Err()
				case "never":
					t.Error("a message that waited was handled after Close")
				}
				return nil, nil
			})
			conn, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
			calls := make(chan error, 2)
			go func() { calls <- conn.Call(context.Background(), "ask", note{Session: "s"}, nil) }()
			go func() { calls <- conn.Call(context.Background(), "ask", nil, nil) }()
			peer.receive()
			peer.receive()
			messages := []string{`{"jsonrpc":"2.0","id":7,"method":"work"}`, message}
			if !strings.Contains(message, `"id"`) { // a request would run beside it
				messages = append(messages, `{"jsonrpc":"2.0","method":"never","params":{"session":"s"}}`)
			}
			peer.send(messages...)
			for range 2 {
				if err := <-calls; !errors.Is(err, jsonrpc.ErrClosed) || errors.Is(err, io.EOF) {
					t.Errorf("call: %v, want ErrClosed by this side", err)
				}
			}
			if err := <-waited; err == nil {
				t.Error("the other handler's context was not cancelled")
			}
			if err := conn.Wait(); err == nil || !strings.Contains(err.Error(), "by this side") {
				t.Errorf("Wait: %v", err)
			}
		})
	}
}

// W8: Close fails a call whose answer has come but waits behind a handler that never returns until then.
func TestW8_CloseFreesACallBehindABusyHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		handler := jsonrpc.HandlerFunc(func(context.Context, *jsonrpc.Request) (any, error) {
			<-hold // heeds no context
			return nil, nil
		})
		conn, peer := newPair(t, handler, jsonrpc.Options{KeyMember: "session"})
		done := make(chan error, 1)
		go func() { done <- conn.Call(context.Background(), "ask", note{Session: "s"}, nil) }()
		peer.receive()
		peer.send(`{"jsonrpc":"2.0","method":"update","params":{"session":"s"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		synctest.Wait()
		_ = conn.Close()
		<-done // deadlocks the bubble if it is not freed
		close(hold)
	})
}

// W8: what was accepted before Close is still written; a peer that reads nothing does not keep Wait from returning.
func TestW8_CloseWritesWhatWasAcceptedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn, peer := newPair(t, nil, jsonrpc.Options{})
		const count = 100
		for range count { // 400 KB: more than the pipe holds
			if err := conn.Notify(t.Context(), "note", []string{strings.Repeat("x", 4000)}); err != nil {
				t.Fatal(err)
			}
		}
		_ = conn.Close()
		for range count {
			peer.receive()
		}
		_ = conn.Wait()
	})
	synctest.Test(t, func(t *testing.T) {
		conn, _ := newPair(t, nil, jsonrpc.Options{})
		for range 100 {
			_ = conn.Notify(t.Context(), "note", []string{strings.Repeat("x", 4000)})
		}
		start := time.Now()
		_ = conn.Close()
		_ = conn.Wait()
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("Wait returned after %v", took)
		}
	})
}

// W8 F80: at the end of input handlers are cancelled, at once or after their grace, and their answers still leave.
func TestW8_HandlersEndWithTheInput(t *testing.T) {
	for _, grace := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			handler := jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
				if req.Method == "quick" {
					select {
					case <-time.After(time.Second):
						return "finished", nil
					case <-ctx.Done():
						return "cut short", nil
					}
				}
				<-ctx.Done()
				return "cancelled", nil
			})
			here, there := net(t)
			conn := jsonrpc.NewConn(here, handler, jsonrpc.Options{HandlerGrace: grace})
			peer := &rawPeer{t: t, stream: there}
			peer.send(`{"jsonrpc":"2.0","id":1,"method":"quick"}`, `{"jsonrpc":"2.0","id":2,"method":"endless"}`)
			synctest.Wait()
			start := time.Now()
			there.closeInput()
			_ = conn.Wait()
			if took := time.Since(start); took != grace {
				t.Errorf("with a grace of %v the connection ended after %v", grace, took)
			}
			want := map[bool]string{true: "finished", false: "cut short"}[grace > 0]
			answers := peer.receive() + peer.receive()
			if !strings.Contains(answers, want) || !strings.Contains(answers, "cancelled") {
				t.Errorf("answers %s, want %q and cancelled", answers, want)
			}
		})
	}
}

// net is a pair of streams whose directions can be closed one by one.
func net(t *testing.T) (here jsonrpc.Stream, there *halfStream) {
	in, out := transport.Pipe()
	back, forth := transport.Pipe()
	t.Cleanup(func() { _, _, _, _ = in.Close(), out.Close(), back.Close(), forth.Close() })
	return &halfStream{Stream: out, writes: back}, &halfStream{Stream: forth, writes: in}
}

type halfStream struct {
	jsonrpc.Stream
	writes jsonrpc.Stream
}

func (s *halfStream) Write(messages [][]byte) error { return s.writes.Write(messages) }
func (s *halfStream) closeInput()                   { _ = s.writes.Close() }
func (s *halfStream) Close() error {
	_ = s.writes.Close()
	return s.Stream.Close()
}

// W8: a peer whose input is gone but who does not end is left after a moment, with the reason.
func TestW8_APeerThatCannotBeWrittenTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net(t)
		conn := jsonrpc.NewConn(here, nil, jsonrpc.Options{})
		done := make(chan error, 1)
		go func() { done <- conn.Call(context.Background(), "ask", nil, nil) }()
		synctest.Wait()
		_ = there.Stream.Close() // reads no more, yet keeps its side open
		err := conn.Notify(t.Context(), "note", nil)
		for err == nil {
			synctest.Wait()
			err = conn.Notify(t.Context(), "note", nil)
		}
		if err := <-done; !errors.Is(err, jsonrpc.ErrClosed) || !strings.Contains(err.Error(), "write") {
			t.Errorf("the pending call: %v", err)
		}
		_ = conn.Wait()
	})
}
