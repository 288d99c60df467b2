package jsonrpc_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds every wait of a test for something that should happen at once.
const patience = 20 * time.Second

// A rawPeer is the other side of a connection as text: it sends and receives lines and knows no rules.
type rawPeer struct {
	t      testing.TB
	stream jsonrpc.Stream
	frames []string
}

// newPair returns a connection and its peer as text. Both are closed when the test ends.
func newPair(t testing.TB, handler jsonrpc.Handler, opts jsonrpc.Options) (*jsonrpc.Conn, *rawPeer) {
	ours, theirs := transport.Pipe()
	conn := jsonrpc.NewConn(ours, handler, opts)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = theirs.Close()
		_ = conn.Wait()
	})
	return conn, &rawPeer{t: t, stream: theirs}
}

// newConns returns two connections that talk to each other.
func newConns(t testing.TB, left, right jsonrpc.Handler, leftOpts, rightOpts jsonrpc.Options) (_, _ *jsonrpc.Conn) {
	a, b := transport.Pipe()
	l, r := jsonrpc.NewConn(a, left, leftOpts), jsonrpc.NewConn(b, right, rightOpts)
	t.Cleanup(func() {
		_ = l.Close()
		_ = r.Close()
		_ = l.Wait()
		_ = r.Wait()
	})
	return l, r
}

// send sends messages in one write.
func (p *rawPeer) send(lines ...string) {
	p.t.Helper()
	messages := make([][]byte, len(lines))
	for i, line := range lines {
		messages[i] = []byte(line)
	}
	if err := p.stream.Write(messages); err != nil {
		p.t.Fatalf("send %.200q: %v", lines, err)
	}
}

// flood sends one message many times, or until the connection is closed.
func (p *rawPeer) flood(n int, line string) {
	for range n {
		if p.stream.Write([][]byte{[]byte(line)}) != nil {
			return
		}
	}
}

// receive returns the next message.
func (p *rawPeer) receive() string {
	p.t.Helper()
	for len(p.frames) == 0 {
		watchdog := time.AfterFunc(patience, func() { _ = p.stream.Close() })
		frames, err := p.stream.Read(1 << 30)
		watchdog.Stop()
		for _, f := range frames {
			p.frames = append(p.frames, string(f.Data))
		}
		if err != nil && len(p.frames) == 0 {
			p.t.Fatalf("receive: %v", err)
		}
	}
	line := p.frames[0]
	p.frames = p.frames[1:]
	return line
}

// A stage is a handler for the tests, which play it by method name.
type stage struct {
	mu      sync.Mutex
	release chan struct{}
	waiting atomic.Int32
}

func newStage() *stage { return &stage{release: make(chan struct{})} }

func (s *stage) Handle(ctx context.Context, req *jsonrpc.Request) (any, error) {
	switch req.Method {
	case "echo":
		return req.Params, nil
	case "text":
		var p struct {
			S string `json:"s"`
		}
		if err := req.Decode(&p); err != nil {
			return nil, err
		}
		return p.S, nil
	case "wait":
		s.mu.Lock()
		release := s.release
		s.mu.Unlock()
		s.waiting.Add(1)
		defer s.waiting.Add(-1)
		select {
		case <-release:
			return "released", nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	case "release":
		for s.waiting.Load() == 0 && ctx.Err() == nil { // the request before may not have started
			runtime.Gosched()
		}
		s.mu.Lock()
		close(s.release)
		s.release = make(chan struct{})
		s.mu.Unlock()
	case "stubborn": // returns a result although it was cancelled
		<-ctx.Done()
		return "done all the same", nil
	case "graceful":
		req.OnCancelled(func(any, error) (any, error) { return map[string]bool{"stopped": true}, nil })
		<-ctx.Done()
		return nil, ctx.Err()
	case "fail":
		return nil, errors.New("it failed")
	case "refuse":
		return nil, &jsonrpc.Error{Code: -32042, Message: "refused", Data: jsontext.Value(`{"why":"because"}`)}
	case "panic":
		panic("as asked")
	case "goexit":
		runtime.Goexit()
	case "badresult":
		return make(chan int), nil
	case "nilresult":
		return (*brittle)(nil), nil
	case "brittleresult":
		return &brittle{}, nil
	case "note":
	default:
		return nil, jsonrpc.ErrMethodNotFound
	}
	return nil, nil
}

// A brittle value panics when it is encoded.
type brittle struct {
	next *brittle
	text string
}

func (b *brittle) AppendJSON(dst []byte) ([]byte, error) { return append(dst, b.next.text...), nil }

// within fails the test if f does not return soon.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		buf := make([]byte, 1<<20)
		t.Fatalf("%s: still not done after %v\n%s", what, patience, buf[:runtime.Stack(buf, true)])
	}
}

// rounds shortens a long loop, except in make soak.
func rounds(n int) int {
	if os.Getenv("PATCHBAY_SOAK") == "" && testing.Short() {
		return max(1, n/10)
	}
	return n
}
