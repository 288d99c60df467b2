package transport_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/transport"
)

// While a long message goes through a pipe it holds more, and by the message after that as much as before: a user's pipes
// share an allowance.
func TestALongMessageWidensAPipeForItsTime(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = r.Close(), w.Close() })
	size := func() int {
		t.Helper()
		n, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := size()
	s := transport.New(eof{}, w, transport.Options{})
	long := bytes.Repeat([]byte{'x'}, 8<<20)

	wrote := make(chan error, 1)
	go func() { wrote <- s.Write([][]byte{long}) }()
	if _, err := io.CopyN(io.Discard, r, 4<<20); err != nil {
		t.Fatal(err)
	}
	if size() == before {
		t.Skip("this user's pipes can't be made to hold more here")
	}
	if _, err := io.CopyN(io.Discard, r, int64(len(long)+1-4<<20)); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	if err := s.Write([][]byte{[]byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if now := size(); now != before {
		t.Errorf("the pipe holds %d bytes, want %d as before", now, before)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }
