package jsonrpc_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// What a request covers is a matter of the order of the wire, however late it is handled.
func TestARequestCoversWhatIsReadBetweenItAndItsAnswer(t *testing.T) {
	hold, handled := make(chan struct{}), make(chan string, 10)
	var pending *jsonrpc.Pending
	var covered []string
	conn, peer := newPair(t, jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method == "sync" {
			return nil, nil
		}
		<-hold
		if pending.Covers(req) {
			covered = append(covered, req.Method)
		}
		handled <- req.Method
		return nil, nil
	}), jsonrpc.Options{KeyMember: "session"})
	note := func(name string) string { return `{"jsonrpc":"2.0","method":"` + name + `","params":{"session":"s"}}` }
	pending, err := conn.Prepare("prompt", map[string]string{"session": "s"})
	if err != nil {
		t.Fatal(err)
	}
	read := func(id string) { // what was sent before has been read once this is answered
		peer.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"sync"}`)
		for !strings.Contains(peer.receive(), `"id":`+id) {
		}
	}
	peer.send(note("early"))
	read("100")
	if err := pending.Send(context.Background()); err != nil {
		t.Fatal(err)
	}
	peer.receive()
	peer.send(note("one"), note("two"))
	if pending.Answered() {
		t.Error("the request is answered before its answer")
	}
	peer.send(`{"jsonrpc":"2.0","id":1,"result":"done"}`, note("late"))
	read("101")
	if !pending.Answered() {
		t.Error("the answer has been read, and the request is not answered")
	}
	close(hold)
	for _, want := range []string{"early", "one", "two", "late"} {
		within(t, want, func() {
			if got := <-handled; got != want {
				t.Errorf("%s was handled, want %s", got, want)
			}
		})
	}
	if err := pending.Wait(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if want := []string{"one", "two"}; !slices.Equal(covered, want) {
		t.Errorf("the request covers %q, want %q", covered, want)
	}
}

// W2: a request that is too large is refused before anybody has prepared for it.
func TestW2_PreparingALargeRequest(t *testing.T) {
	conn, _ := newPair(t, nil, jsonrpc.Options{MaxMessageBytes: 1 << 10})
	var large *jsonrpc.TooLargeError
	if _, err := conn.Prepare("prompt", map[string]string{"s": strings.Repeat("x", 2<<10)}); !errors.As(err, &large) {
		t.Errorf("Prepare: %v, want a TooLargeError", err)
	}
}

// A prepared request that can't be sent leaves nothing behind.
func TestSendingAPreparedRequestTooLate(t *testing.T) {
	conn, _ := newPair(t, nil, jsonrpc.Options{})
	for _, want := range []error{context.Canceled, jsonrpc.ErrClosed} {
		pending, err := conn.Prepare("prompt", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		if want == jsonrpc.ErrClosed {
			_ = conn.Close()
		} else {
			cancel()
		}
		if err := pending.Send(ctx); !errors.Is(err, want) {
			t.Errorf("Send: %v, want %v", err, want)
		}
		cancel()
	}
	if calls, _ := conn.InFlight(); calls > 0 {
		t.Errorf("%d calls are in flight", calls)
	}
}
