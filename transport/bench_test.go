package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

var sizes = []int{100, 10_000, 1 << 20}

func message(size int) []byte { return append(make([]byte, 0, size+1), strings.Repeat("x", size)...) }

// BenchmarkRead reads messages from a real pipe that another goroutine keeps full.
func BenchmarkRead(b *testing.B) {
	for _, headers := range []bool{false, true} {
		for _, size := range sizes {
			name := fmt.Sprintf("lines of %d", size)
			frame := append(message(size), '\n')
			if headers {
				name = fmt.Sprintf("bodies of %d", size)
				frame = fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", size, message(size))
			}
			b.Run(name, func(b *testing.B) {
				r, w, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				burst := bytes.Repeat(frame, max(64<<10/len(frame), 1))
				go func() {
					for {
						if _, err := w.Write(burst); err != nil {
							return
						}
					}
				}()
				s := transport.New(r, w, transport.Options{})
				defer s.Close()
				b.SetBytes(int64(len(frame)))
				b.ReportAllocs()
				for n := 0; n < b.N; {
					frames, err := s.Read(64 << 20)
					if err != nil {
						b.Fatal(err)
					}
					n += len(frames)
				}
			})
		}
	}
}

// BenchmarkWrite writes messages to a real pipe that another goroutine empties.
func BenchmarkWrite(b *testing.B) {
	for _, size := range sizes {
		for _, batch := range []int{1, 16} {
			b.Run(fmt.Sprintf("%d of %d", batch, size), func(b *testing.B) {
				r, w, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				emptied := make(chan struct{})
				go func() {
					defer close(emptied)
					_, _ = io.Copy(io.Discard, r)
				}()
				s := transport.New(strings.NewReader(""), w, transport.Options{})
				messages := make([][]byte, batch)
				for i := range messages {
					messages[i] = message(size)
				}
				b.SetBytes(int64(batch * (size + 1)))
				b.ReportAllocs()
				for b.Loop() {
					if err := s.Write(messages); err != nil {
						b.Fatal(err)
					}
				}
				s.Close()
				<-emptied
				r.Close()
			})
		}
	}
}

// BenchmarkRoundTrip sends a message of 100 bytes to and fro, by Write or by TryWrite.
func BenchmarkRoundTrip(b *testing.B) {
	for name, write := range map[string]func(s jsonrpc.TryWriter, m []byte) error{
		"Write": func(s jsonrpc.TryWriter, m []byte) error { return s.Write([][]byte{m}) },
		"TryWrite": func(s jsonrpc.TryWriter, m []byte) error {
			done, err := s.TryWrite(m)
			if err == nil && !done {
				err = s.Write(nil)
			}
			return err
		},
	} {
		for kind, connect := range map[string]func(b *testing.B) (here, there jsonrpc.TryWriter){
			"os.Pipe": func(b *testing.B) (here, there jsonrpc.TryWriter) {
				r1, w1, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				r2, w2, err := os.Pipe()
				if err != nil {
					b.Fatal(err)
				}
				return transport.New(r1, w2, transport.Options{}), transport.New(r2, w1, transport.Options{})
			},
			"Pipe": func(*testing.B) (here, there jsonrpc.TryWriter) { return transport.Pipe() },
		} {
			b.Run(kind+" "+name, func(b *testing.B) {
				here, there := connect(b)
				defer here.Close()
				go func() {
					defer there.Close()
					for {
						frames, err := there.Read(limit)
						if err != nil || write(there, frames[0].Data) != nil {
							return
						}
					}
				}()
				m := message(100)
				b.ReportAllocs()
				for b.Loop() {
					if err := write(here, m); err != nil {
						b.Fatal(err)
					}
					if _, err := here.Read(limit); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkStart starts a process, hears from it once and sees it out.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		p, err := transport.Start(context.Background(), transport.Command{Path: "cat"})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Write([][]byte{message(100)}); err != nil {
			b.Fatal(err)
		}
		if _, err := p.Read(limit); err != nil {
			b.Fatal(err)
		}
		p.Close()
		if err := p.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
