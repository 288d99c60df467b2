package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

var envelopes = []string{
	`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"session":"s"}}`,
	`{"jsonrpc":"2.0","method":"panic","params":[]}`,
	`{"jsonrpc":"2.0","id":"a","result":{}}`,
	`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m","data":[1]}}`,
	`[{"jsonrpc":"2.0","id":1,"method":"echo"},1,[],{}]`,
	`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":1}}`,
	`{"jsonrpc":"2.0","id":1,"method":"goexit"}`,
	`{"id":null,"jsonrpc":"2.0","method":"wait"}`,
	"banner\x1b[31m", `{"jsonrpc":"2.0","id":1e3,"method":"echo"}`, "\xef\xbb\xbf{}", `{"jsonrpc":"2.0","error":{}}`,
}

// FuzzConn sends arbitrary messages to a connection of each side. W3: whatever they are, it lives, answers a request
// afterwards, and ends with no goroutine left, which is what Wait waits for.
func FuzzConn(f *testing.F) {
	for _, e := range envelopes {
		f.Add([]byte(e))
	}
	f.Add([]byte(envelopes[0] + "\n" + envelopes[5] + "\n" + envelopes[8]))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, server := range []bool{true, false} {
			ours, theirs := transport.Pipe()
			conn := jsonrpc.NewConn(ours, newStage(), jsonrpc.Options{KeyMember: "session", AnswerNoise: server, MaxMessageBytes: 1 << 16})
			peer := &rawPeer{t: t, stream: theirs}
			for _, line := range bytes.Split(text, []byte("\n")) {
				peer.send(string(line))
			}
			peer.send(`{"jsonrpc":"2.0","id":"the last one","method":"echo","params":{"ok":true}}`)
			for {
				answer := peer.receive()
				if !json.Valid([]byte(answer)) {
					t.Fatalf("the answer %q is not JSON", answer)
				}
				if answer == `{"jsonrpc":"2.0","id":"the last one","result":{"ok":true}}` {
					break
				}
			}
			_ = conn.Close()
			_ = theirs.Close()
			within(t, "Wait", func() { _ = conn.Wait() })
		}
	})
}

// FuzzID reads ids of all sorts. W4: what is read is written as it was.
func FuzzID(f *testing.F) {
	for _, id := range []string{`1`, `"1"`, `null`, `-0`, `1.5`, `1e2`, `"\u0031"`, `true`, `{}`, ` 7 `, `"`, `99999999999999999999`, "\"\xff\""} {
		f.Add([]byte(id))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		id, err := jsonrpc.ParseID(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q is read as id %s", text, id)
		}
		written, err := id.MarshalJSON()
		if err != nil || !bytes.Equal(written, bytes.TrimSpace(text)) {
			t.Fatalf("%q is written as %q: %v", text, written, err)
		}
		again, err := jsonrpc.ParseID(written)
		if err != nil || again != id {
			t.Fatalf("%q is read back as %s: %v", written, again, err)
		}
	})
}

// FuzzError reads error objects of all sorts: half an error is still an error.
func FuzzError(f *testing.F) {
	for _, e := range []string{`{"code":1,"message":"m"}`, `{"code":"1"}`, `null`, `"text"`, `{"code":1e300,"data":{"a":[1]}}`, `[]`} {
		f.Add([]byte(e))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var e jsonrpc.Error
		if e.UnmarshalJSON(text) != nil {
			return
		}
		written, err := e.MarshalJSON()
		if err != nil || !json.Valid(written) {
			t.Fatalf("%q is written as %q: %v", text, written, err)
		}
	})
}
