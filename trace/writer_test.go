package trace_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/trace"
	"github.com/patchbay-dev/patchbay/transport"
)

func in(text string) jsonrpc.Traffic  { return jsonrpc.Traffic{Data: []byte(text)} }
func out(text string) jsonrpc.Traffic { return jsonrpc.Traffic{Data: []byte(text), Outgoing: true} }

// write returns the trace of some traffic.
func write(t *testing.T, o trace.Options, traffic ...jsonrpc.Traffic) string {
	t.Helper()
	var file bytes.Buffer
	w := trace.NewWriter(&file, o)
	for _, tr := range traffic {
		w.Observe(tr)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// The clock of a bubble starts at midnight UTC of 2000-01-01.
func TestFormat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		w := trace.NewWriter(&file, trace.Options{Program: `an "editor" 1.0`})
		synctest.Wait()
		time.Sleep(1500 * time.Microsecond)
		for _, tr := range []jsonrpc.Traffic{
			out(`{"jsonrpc":"2.0", "id":1,"method":"initialize","params":{"n":1e2,"s":"\u2028 ` + "\xff" + `"}}`),
			in("npm \x1b[33mwarn\x1b[0m"),
			in("half a rune \xe2\x82"),
			in(" {\"a\":\r\n[1,\n2]}\r\n"),
			{TooLarge: &jsonrpc.TooLarge{Size: 70000000, ID: []byte(`"7"`), Method: []byte(`"session/update"`)}},
			{TooLarge: &jsonrpc.TooLarge{Size: 5}},
			in(`"just a string"`),
			in(``),
		} {
			w.Observe(tr)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		const at = `{"time":"2000-01-01T00:00:00.0015Z",`
		want := strings.Join([]string{
			`{"format":"patchbay-trace","version":1,"time":"2000-01-01T00:00:00Z","program":"an \"editor\" 1.0","redacted":true}`,
			at + `"dir":"client->agent","msg":{"jsonrpc":"2.0", "id":1,"method":"initialize","params":{"n":1e2,"s":"\u2028 ` + "\xff" + `"}}}`,
			at + `"dir":"agent->client","text":"npm \u001b[33mwarn\u001b[0m"}`,
			at + `"dir":"agent->client","base64":"aGFsZiBhIHJ1bmUg4oI="}`,
			at + `"dir":"agent->client","msg":{"a":  [1, 2]}}`,
			at + `"dir":"agent->client","tooLarge":{"size":70000000,"id":"7","method":"session/update"}}`,
			at + `"dir":"agent->client","tooLarge":{"size":5}}`,
			at + `"dir":"agent->client","msg":"just a string"}`,
			at + `"dir":"agent->client","text":""}`,
		}, "\n") + "\n"
		if got := file.String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

// A direction means the same, whichever side writes it down.
func TestBothSidesWriteTheSameDirections(t *testing.T) {
	client := write(t, trace.Options{}, out(`1`), in(`2`))
	agent := write(t, trace.Options{Agent: true}, in(`1`), out(`2`))
	for _, file := range []string{client, agent} {
		records := read(t, file)[1:]
		if records[0].Dir != trace.ToAgent || records[1].Dir != trace.ToClient {
			t.Errorf("got %s and %s", records[0].Dir, records[1].Dir)
		}
	}
}

// F176: a trace of a connection has every frame, as it was.
func TestTracesAConnection(t *testing.T) {
	a, b := transport.Pipe()
	var file bytes.Buffer
	w := trace.NewWriter(&file, trace.Options{})
	client := jsonrpc.NewConn(a, nil, jsonrpc.Options{Observe: w.Observe})
	agent := jsonrpc.NewConn(b, jsonrpc.HandlerFunc(func(_ context.Context, req *jsonrpc.Request) (any, error) {
		return map[string]string{"said": req.Method}, nil
	}), jsonrpc.Options{})
	for range 3 {
		if err := client.Call(t.Context(), "hello", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*jsonrpc.Conn{client, agent} {
		c.Close()
		_ = c.Wait()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	records := read(t, file.String())[1:]
	if len(records) != 6 {
		t.Fatalf("%d records, want 6", len(records))
	}
	if got := string(records[5].Msg); got != `{"jsonrpc":"2.0","id":3,"result":{"said":"hello"}}` {
		t.Errorf("the last is %s", got)
	}
}

// A gate is a file on a disk that hangs until it is opened.
type gate struct {
	bytes.Buffer
	open chan struct{}
}

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	return g.Buffer.Write(p)
}

// What a disk that hangs does not take is left out, within the bound and without holding up the connection, and the trace
// says so.
func TestSlowFileLosesFramesAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &gate{open: make(chan struct{})}
		w := trace.NewWriter(file, trace.Options{Buffer: 3000})
		synctest.Wait() // the first line hangs
		text := `"` + strings.Repeat("x", 998) + `"`
		for range 5 {
			w.Observe(in(text))
		}
		close(file.open)
		synctest.Wait()
		w.Observe(in(`"after"`))
		synctest.Wait()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		records := read(t, file.String())[1:]
		if len(records) != 4 || records[2].Lost != 3 || string(records[3].Msg) != `"after"` {
			t.Errorf("got %d records: %+v", len(records), records)
		}
	})
}

func TestLossAtTheEndIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &gate{open: make(chan struct{})}
		w := trace.NewWriter(file, trace.Options{Buffer: 1})
		synctest.Wait()
		w.Observe(in(`"larger than the buffer, but alone"`))
		w.Observe(in(`1`))
		go func() { close(file.open) }()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		records := read(t, file.String())[1:]
		if len(records) != 2 || records[0].Msg == nil || records[1].Lost != 1 {
			t.Errorf("got %+v", records)
		}
	})
}

// full is a disk without space.
type full struct{ room int }

var errFull = errors.New("no space left on device")

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

func TestErrorOfTheFileIsReportedOnceAndBreaksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []error
		w := trace.NewWriter(&full{room: 300}, trace.Options{OnError: func(err error) { reported = append(reported, err) }})
		for range 1000 {
			w.Observe(in(`{"jsonrpc":"2.0","method":"note"}`))
			synctest.Wait()
		}
		for range 2 {
			if err := w.Close(); !errors.Is(err, errFull) {
				t.Errorf("close: %v, want %v", err, errFull)
			}
		}
		if len(reported) != 1 {
			t.Errorf("reported %d times: %v", len(reported), reported)
		}
		w.Observe(in(`1`)) // after Close: nothing happens
	})
}

func TestObserveDoesNotKeepTheBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &gate{open: make(chan struct{})}
		w := trace.NewWriter(file, trace.Options{})
		data := []byte(`"before"`)
		w.Observe(jsonrpc.Traffic{Data: data})
		copy(data, `"after!"`)
		close(file.open)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(file.String(), `"before"`) {
			t.Errorf("got %s", file.String())
		}
	})
}

// A trace can be read while it grows.
func TestFlushesWhenNothingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var file bytes.Buffer
		w := trace.NewWriter(&file, trace.Options{})
		w.Observe(in(`1`))
		synctest.Wait()
		if got := strings.Count(file.String(), "\n"); got != 2 {
			t.Errorf("%d lines before Close, want 2", got)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkObserve(b *testing.B) {
	w := trace.NewWriter(io.Discard, trace.Options{})
	tr := in(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello"}}}}`)
	b.ReportAllocs()
	for b.Loop() {
		w.Observe(tr)
	}
	_ = w.Close()
}
