//go:build unix

package transport_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

func init() {
	// An agent that answers calls, and falls over when asked to.
	helpers["agent"] = func() {
		stream, err := transport.Stdio()
		if err != nil {
			panic(err)
		}
		conn := jsonrpc.NewConn(stream, jsonrpc.HandlerFunc(func(_ context.Context, r *jsonrpc.Request) (any, error) {
			switch r.Method {
			case "hello":
				fmt.Println("a stray line") // goes to standard error
				return "hello", nil
			case "crash":
				fmt.Fprintln(os.Stderr, "out of memory")
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			return nil, jsonrpc.ErrMethodNotFound
		}), jsonrpc.Options{})
		_ = conn.Wait()
	}
}

// All of it together: a connection to a process that speaks over standard input and output. A call that is pending when the
// process dies fails with the reason (W8, F83).
func TestW8_ConnToProcess(t *testing.T) {
	p := start(t, "agent", patient)
	conn := jsonrpc.NewConn(p, nil, jsonrpc.Options{})
	for range 100 {
		var result string
		if err := conn.Call(background, "hello", nil, &result); err != nil || result != "hello" {
			t.Fatalf("got %q and %v", result, err)
		}
	}
	err := conn.Call(background, "crash", nil, nil)
	if !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	contains(t, exitOf(t, err).Error(), "signal: killed", "out of memory")
	_ = conn.Close()
	_ = conn.Wait()
	contains(t, p.Stderr(), "a stray line")
}

// Closing the connection leads the process out.
func TestConnCloseEndsProcess(t *testing.T) {
	p := start(t, "agent", patient)
	conn := jsonrpc.NewConn(p, nil, jsonrpc.Options{})
	if err := conn.Call(background, "hello", nil, nil); err != nil {
		t.Error(err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	_ = conn.Wait()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
}
