package jsonrpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// W2 F16 F17 F18 F19: a message of the full 64 MiB passes, in both directions (of 2 MiB under the race detector).
func TestW2_AMessageOfTheFullLimitPasses(t *testing.T) {
	limit := jsonrpc.DefaultMaxMessageBytes
	var opts jsonrpc.Options
	if raceEnabled {
		limit = 2 << 20
		opts.MaxMessageBytes = limit
	}
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) { return req.Params, nil })
	conn, _ := newConns(t, nil, handler, opts, opts)
	frame := len(`{"jsonrpc":"2.0","id":1,"method":"echo","params":[""]}`)
	params := jsontext.Value(`["` + strings.Repeat("x", limit-frame) + `"]`)
	echo, err := conn.CallRaw(t.Context(), "echo", params)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(echo, params) {
		t.Error("the text came back changed")
	}
	// One byte more fails here, before anything is sent, and hurts nobody.
	_, err = conn.CallRaw(t.Context(), "echo", jsontext.Value(`["x`+string(params[2:])))
	var tooLarge *jsonrpc.TooLargeError
	if !errors.As(err, &tooLarge) || tooLarge.Size != int64(limit)+1 || tooLarge.Limit != limit || !strings.Contains(err.Error(), "echo") {
		t.Errorf("error %v, want one that names method, size and limit", err)
	}
	if err := conn.Call(t.Context(), "echo", []string{"y"}, nil); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

// W2: larger messages from the peer are skipped: a request is answered, an answer fails its call, a notification is
// reported, and the connection lives.
func TestW2_LargerMessagesAreSkippedAndSaid(t *testing.T) {
	diagnostics := make(chan jsonrpc.Diagnostic, 10)
	conn, peer := newPair(t, newStage(), jsonrpc.Options{
		MaxMessageBytes: 1000,
		AnswerNoise:     true,
		Diagnose:        func(d jsonrpc.Diagnostic) { diagnostics <- d },
	})
	long := strings.Repeat("x", 2000)

	peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","params":{"text":%q,"id":9,"method":"inner"},"method":"echo","id":"a"}`, long))
	if got := peer.receive(); !contains([]byte(got), []byte(`{"id":"a","error":{"code":-32600,"data":{"limit":1000}}}`)) || !strings.Contains(got, "limit of 1000 bytes") {
		t.Errorf("answer to a large request: %s", got)
	}
	if d := <-diagnostics; d.Kind != jsonrpc.Oversize || d.Method != "echo" {
		t.Errorf("diagnostic %v", d)
	}

	peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"note","params":{"text":%q}}`, long))
	if d := <-diagnostics; d.Kind != jsonrpc.Oversize || d.Method != "note" || !strings.Contains(d.Err.Error(), "notification note") {
		t.Errorf("diagnostic %v", d)
	}

	done := make(chan error, 1)
	go func() { done <- conn.Call(context.Background(), "ask", nil, nil) }()
	peer.receive()
	peer.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":%q}`, long))
	var tooLarge *jsonrpc.TooLargeError
	if err := <-done; !errors.As(err, &tooLarge) || tooLarge.Limit != 1000 {
		t.Errorf("the call with the large answer: %v", err)
	}

	peer.send(long)
	if got := peer.receive(); !contains([]byte(got), []byte(`{"id":null,"error":{"code":-32600}}`)) {
		t.Errorf("answer to large noise: %s", got)
	}
	if d := <-diagnostics; d.Kind != jsonrpc.Oversize {
		t.Errorf("diagnostic %v", d)
	}

	peer.send(`{"jsonrpc":"2.0","id":2,"method":"echo","params":["alive"]}`)
	if got, want := peer.receive(), `{"jsonrpc":"2.0","id":2,"result":["alive"]}`; got != want {
		t.Errorf("received %s, want %s", got, want)
	}
}

// W2: an answer of ours over the limit becomes an error that says so.
func TestW2_AnAnswerOverTheLimit(t *testing.T) {
	handler := jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		if req.Method == "fail" {
			return nil, errors.New(strings.Repeat("long", 1000))
		}
		return strings.Repeat("x", 5000), nil
	})
	_, peer := newPair(t, handler, jsonrpc.Options{MaxMessageBytes: 3000})
	peer.send(`{"jsonrpc":"2.0","id":1,"method":"read"}`)
	if got := peer.receive(); !contains([]byte(got), []byte(`{"id":1,"error":{"code":-32603}}`)) || !strings.Contains(got, "limit of 3000 bytes") {
		t.Errorf("received %s", got)
	}
	peer.send(`{"jsonrpc":"2.0","id":2,"method":"fail"}`)
	if got := peer.receive(); !contains([]byte(got), []byte(`{"id":2,"error":{"code":-32603}}`)) || !strings.Contains(got, "longlong") {
		t.Errorf("received %s", got)
	}
}
