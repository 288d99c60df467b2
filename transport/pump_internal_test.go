package transport

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestPumpReadsEverything(t *testing.T) {
	text := strings.Repeat("0123456789", 5000)
	for _, r := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		p := newPump(io.NopCloser(r), true)
		got, err := io.ReadAll(iotest.HalfReader(p))
		if err != nil || string(got) != text {
			t.Errorf("read %d bytes and %v, want %d", len(got), err, len(text))
		}
		<-p.done
	}
}

// Close makes Read return although the reader is blocked. Whether what comes later is read at all depends on drain.
func TestW8_PumpClose(t *testing.T) {
	for _, drain := range []bool{false, true} {
		r, w := io.Pipe()
		p := newPump(r, drain)
		ended := make(chan error)
		go func() {
			_, err := p.Read(make([]byte, 10))
			ended <- err
		}()
		p.Close()
		p.Close()
		if err := <-ended; err != io.ErrClosedPipe {
			t.Errorf("got %v, want io.ErrClosedPipe", err)
		}
		if _, err := p.Read(make([]byte, 10)); err != io.ErrClosedPipe {
			t.Errorf("later: got %v, want io.ErrClosedPipe", err)
		}
		if _, err := w.Write([]byte("one")); err != nil {
			t.Errorf("drain %t: the read that was blocked took nothing: %v", drain, err)
		}
		if drain {
			if _, err := w.Write(make([]byte, 100_000)); err != nil {
				t.Error("nothing more was read:", err)
			}
			w.Close()
		}
		<-p.done
	}
}
