//go:build unix

package transport

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func testOutput(t *testing.T) (*output, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return newOutput(r), w
}

// After the time for reading is over, what is in the pipe is read all the same, but not waited for (W8).
func TestW8_OutputAfterItsTime(t *testing.T) {
	o, w := testOutput(t)
	text := strings.Repeat("0123456789", 5000)
	if _, err := w.WriteString(text); err != nil {
		t.Fatal(err)
	}
	o.expire(time.Now().Add(-time.Second))
	got, err := io.ReadAll(o)
	if err != nil || string(got) != text {
		t.Errorf("read %d bytes and %v, want %d", len(got), err, len(text))
	}
	<-o.done
}

// A writer that never stops does not keep a dead process's output from ending.
func TestW8_OutputThatNeverStops(t *testing.T) {
	o, w := testOutput(t)
	go func() {
		for {
			if _, err := w.Write(make([]byte, 1000)); err != nil {
				return
			}
		}
	}()
	o.expire(time.Now().Add(-time.Second))
	if n, err := io.Copy(io.Discard, o); err != nil || n > maxLeftovers+largeBuffer {
		t.Errorf("read %d bytes and %v", n, err)
	}
	<-o.done
}

// Whenever the process dies and whenever the stream is closed, the output is read to its end and closed.
func TestOutputAbandoned(t *testing.T) {
	for name, steps := range map[string]func(o *output, w *os.File){
		"then ended":     func(o *output, w *os.File) { o.abandon(); w.Close() },
		"then expired":   func(o *output, w *os.File) { o.abandon(); o.expire(time.Now()) },
		"after expiry":   func(o *output, w *os.File) { o.expire(time.Now()); o.abandon() },
		"after its end":  func(o *output, w *os.File) { w.Close(); _, _ = io.ReadAll(o); o.abandon() },
		"with more text": func(o *output, w *os.File) { o.abandon(); _, _ = w.Write(make([]byte, 200_000)); w.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			o, w := testOutput(t)
			steps(o, w)
			select {
			case <-o.done:
			case <-time.After(10 * time.Second):
				t.Fatal("the output was not closed")
			}
			if _, err := o.Read(make([]byte, 10)); err != io.ErrClosedPipe {
				t.Errorf("got %v, want io.ErrClosedPipe", err)
			}
		})
	}
}
