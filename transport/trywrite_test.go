//go:build unix

package transport_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/transport"
)

// links are what a stream can write to without waiting: each returns a writing end and a reading end.
var links = map[string]func(t *testing.T) (w io.WriteCloser, r io.ReadCloser){
	"pipe": func(t *testing.T) (io.WriteCloser, io.ReadCloser) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return w, r
	},
	"unix socket": func(t *testing.T) (io.WriteCloser, io.ReadCloser) {
		return dial(t, "unix", t.TempDir()+"/socket")
	},
	"tcp socket": func(t *testing.T) (io.WriteCloser, io.ReadCloser) { return dial(t, "tcp", "127.0.0.1:0") },
}

func dial(t *testing.T, network, address string) (net.Conn, net.Conn) {
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	a, err := net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

// TryWrite never waits. What it leaves is written first by the next Write, and nothing is lost or written twice.
func TestTryWriteLeavesTheRestToWrite(t *testing.T) {
	for name, link := range links {
		for _, o := range []transport.Options{{}, {ContentLength: true}} {
			t.Run(name, func(t *testing.T) {
				w, r := link(t)
				out := transport.New(strings.NewReader(""), w, o)
				in := transport.New(r, io.Discard, transport.Options{})
				defer in.Close()

				var want []string
				try := func(size int, room bool) bool {
					m := `"` + strings.Repeat(string(rune('a'+len(want)%26)), size) + `"`
					want = append(want, m)
					b := slices.Clip([]byte(m))
					if room {
						b = slices.Grow(b, 1)
					}
					done, err := out.TryWrite(b)
					if err != nil {
						t.Fatal(err)
					}
					return done
				}
				if !try(10, true) || !try(10, false) {
					t.Error("a small message did not go at once")
				}
				for i := 0; try([]int{100, 5000, 9000, 30_000}[i%4], i%3 == 0); i++ {
				}
				// The link is full now, and stays so for these.
				if try(10, true) || try(100_000, false) || try(1<<20, true) {
					t.Error("a message went past one that waits")
				}
				written := make(chan error, 1)
				go func() {
					err := out.Write(nil)
					if err == nil {
						err = out.Write([][]byte{[]byte(`"end"`)})
					}
					written <- errors.Join(err, out.Close())
				}()
				want = append(want, `"end"`)
				if got := mustReadAll(t, in, 0); !slices.Equal(got, want) {
					t.Errorf("read %d messages that differ from the %d that were written", len(got), len(want))
				}
				if err := within(t, "Write", written); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Where a write might wait, or a wrapper does something to the bytes, TryWrite leaves everything to Write.
func TestTryWriteWhereItMightWait(t *testing.T) {
	blocking, keep, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer blocking.Close()
	keep.Fd() // puts it in blocking mode
	wrapped, other := dial(t, "tcp", "127.0.0.1:0")
	defer other.Close()
	var buf bytes.Buffer
	for name, w := range map[string]io.Writer{
		"buffer":          &buf,
		"blocking pipe":   keep,
		"wrapped network": struct{ *net.TCPConn }{wrapped.(*net.TCPConn)},
	} {
		s := transport.New(strings.NewReader(""), w, transport.Options{})
		if done, err := s.TryWrite([]byte("{}")); done || err != nil {
			t.Errorf("%s: done is %t, error %v", name, done, err)
		}
		if err := s.Write(nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
	if got := buf.String(); got != "{}\n" {
		t.Errorf("wrote %q", got)
	}
}

func TestTryWriteToNobody(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	s := transport.New(strings.NewReader(""), w, transport.Options{})
	defer s.Close()
	for range 2 {
		if done, err := s.TryWrite([]byte("{}")); done || !errors.Is(err, syscall.EPIPE) {
			t.Errorf("done is %t, error %v, want EPIPE", done, err)
		}
	}
}

// Close makes a Read and a Write return that wait for the peer, and everything afterwards fails alike.
func TestW8_CloseIsImmediate(t *testing.T) {
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			w, peerR := link(t)
			peerW, r := link(t)
			defer peerR.Close()
			defer peerW.Close()
			s := transport.New(r, w, transport.Options{})
			ended := make(chan error, 2)
			go func() {
				_, err := s.Read(limit)
				ended <- err
			}()
			go func() {
				err := error(nil)
				for err == nil {
					err = s.Write([][]byte{make([]byte, 100_000)})
				}
				ended <- err
			}()
			if err := s.Close(); err != nil {
				t.Error("close:", err)
			}
			for range 2 {
				if err := within(t, "Read and Write to return", ended); err != io.ErrClosedPipe {
					t.Errorf("got %v, want io.ErrClosedPipe", err)
				}
			}
			checkClosed(t, s)
		})
	}
}

// Both ends may be one connection.
func TestCloseOfOneConnection(t *testing.T) {
	a, b := dial(t, "tcp", "127.0.0.1:0")
	defer b.Close()
	s := transport.New(a, a, transport.Options{})
	for range 2 {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	checkClosed(t, s)
}
