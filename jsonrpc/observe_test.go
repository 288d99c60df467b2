package jsonrpc_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// F176: the observer sees every frame of both directions, in the order of the wire and as it is there, noise and what
// was too large included.
func TestObserveSeesEveryFrame(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	done := make(chan struct{})
	opts := jsonrpc.Options{KeyMember: "session", MaxMessageBytes: 200, Translator: renameCancel{}, Observe: func(tr jsonrpc.Traffic) {
		mu.Lock()
		defer mu.Unlock()
		line := map[bool]string{true: "< ", false: "> "}[tr.Outgoing] + string(tr.Data)
		if tr.TooLarge != nil {
			line = "> too large: " + string(tr.TooLarge.Method)
		}
		if seen = append(seen, line); len(seen) == 7 {
			close(done)
		}
	}}
	conn, peer := newPair(t, newStage(), opts)
	peer.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":["a"]}`)
	peer.receive()
	peer.send(`a banner`, `{"jsonrpc":"2.0","method":"note","params":["`+string(make([]byte, 300))+`"]}`, `{"jsonrpc":"2.0","id":2,"method":"echo","params":["b"]}`)
	peer.receive()
	if err := conn.Notify(t.Context(), "note", []int{1}); err != nil {
		t.Fatal(err)
	}
	within(t, "seven frames", func() { <-done })
	want := []string{
		`> {"jsonrpc":"2.0","id":1,"method":"echo","params":["a"]}`,
		`< {"jsonrpc":"2.0","id":1,"result":["a"]}`,
		`> a banner`,
		`> too large: "note"`,
		`> {"jsonrpc":"2.0","id":2,"method":"echo","params":["b"]}`,
		`< {"jsonrpc":"2.0","id":2,"result":["b"]}`,
		`< {"jsonrpc":"2.0","method":"note","params":[1]}`,
	}
	if !slices.Equal(seen, want) {
		t.Errorf("seen\n%q\nwant\n%q", seen, want)
	}
}

// S003.8: messages of many goroutines never mix on the wire.
func TestWritesNeverInterleave(t *testing.T) {
	conn, peer := newPair(t, nil, jsonrpc.Options{})
	text := string(slices.Repeat([]byte("x"), 3000))
	var senders sync.WaitGroup
	for i := range 20 {
		senders.Add(1)
		go func() {
			defer senders.Done()
			for range 50 {
				if err := conn.Notify(t.Context(), "note", []any{i, text}); err != nil {
					t.Errorf("notify: %v", err)
				}
			}
		}()
	}
	for range 1000 {
		got := peer.receive()
		if len(got) < 3000 || got[:27] != `{"jsonrpc":"2.0","method":"` || got[len(got)-3:] != `"]}` {
			t.Fatalf("received %.100q…", got)
		}
	}
	senders.Wait()
}
