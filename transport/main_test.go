package transport_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// helperVariable names the helper that the test binary plays when a test starts it as a subprocess.
const helperVariable = "TRANSPORT_TEST_HELPER"

func TestMain(m *testing.M) {
	if name := os.Getenv(helperVariable); name != "" {
		helper, ok := helpers[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "no such helper:", name)
			os.Exit(2)
		}
		helper()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const limit = 1 << 20

// show writes a frame as text that a table can hold.
func show(f jsonrpc.Frame) string {
	if l := f.TooLarge; l != nil {
		return fmt.Sprintf("<%d bytes, version %s, id %s, method %s>", l.Size, l.Version, l.ID, l.Method)
	}
	return string(f.Data)
}

// readAll reads a stream to its end.
func readAll(s jsonrpc.Stream, limit int) (frames []string, err error) {
	for {
		batch, err := s.Read(limit)
		if err != nil {
			return frames, err
		}
		if len(batch) == 0 {
			return frames, errors.New("Read returned neither frames nor an error")
		}
		for _, f := range batch {
			frames = append(frames, show(f))
		}
	}
}

// mustReadAll reads a stream to io.EOF.
func mustReadAll(t testing.TB, s jsonrpc.Stream, limit int) []string {
	t.Helper()
	frames, err := readAll(s, limit)
	if err != io.EOF {
		t.Fatalf("the stream ended with %v, want io.EOF", err)
	}
	return frames
}

// readOne reads a stream's next frames, and fails if there is not exactly one.
func readOne(t testing.TB, s jsonrpc.Stream) string {
	t.Helper()
	frames, err := s.Read(limit)
	if err != nil {
		t.Fatal("read:", err)
	}
	if len(frames) != 1 {
		t.Fatalf("read %d frames, want one", len(frames))
	}
	return show(frames[0])
}

func mustWrite(t testing.TB, s jsonrpc.Stream, messages ...string) {
	t.Helper()
	var b [][]byte
	for _, m := range messages {
		b = append(b, []byte(m))
	}
	if err := s.Write(b); err != nil {
		t.Fatal("write:", err)
	}
}

// within fails the test if done isn't closed or sent to in ten seconds.
func within[T any](t testing.TB, what string, done <-chan T) T {
	t.Helper()
	select {
	case v := <-done:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("waited in vain for", what)
		panic("unreachable")
	}
}

// checkClosed fails the test unless a stream is closed in every respect.
func checkClosed(t *testing.T, s jsonrpc.TryWriter) {
	t.Helper()
	if _, err := s.Read(limit); err != io.ErrClosedPipe {
		t.Errorf("read after close: got %v, want io.ErrClosedPipe", err)
	}
	if err := s.Write([][]byte{[]byte("{}")}); err != io.ErrClosedPipe {
		t.Errorf("write after close: got %v, want io.ErrClosedPipe", err)
	}
	if done, err := s.TryWrite([]byte("{}")); done || err != io.ErrClosedPipe {
		t.Errorf("try after close: got %t and %v, want io.ErrClosedPipe", done, err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second close: %v", err)
	}
}
