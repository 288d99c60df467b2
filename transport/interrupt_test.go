//go:build unix

package transport_test

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// interruptibles returns streams whose peer sends back each line, by the kind of their reader.
func interruptibles(t *testing.T) map[string]jsonrpc.Outsider {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	near, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer far.Close()
		b := make([]byte, 100)
		for {
			n, err := far.Read(b)
			if err != nil {
				return
			}
			_, _ = far.Write(b[:n])
		}
	}()
	return map[string]jsonrpc.Outsider{
		"pipe":       transport.New(r, w, transport.Options{}),
		"connection": transport.New(near, near, transport.Options{}),
		"process":    start(t, "echo", patient),
	}
}

// An interruption ends one Read, whether it comes before or during it, and costs no message (W7).
func TestW7_Interrupt(t *testing.T) {
	for name, s := range interruptibles(t) {
		t.Run(name, func(t *testing.T) {
			defer s.Close()
			if !s.Outside() {
				t.Fatal("it does not lead outside")
			}
			s.Interrupt()
			if _, err := s.Read(limit); err != jsonrpc.ErrInterrupted {
				t.Fatalf("after an interruption: %v", err)
			}
			for range 20 {
				later := time.AfterFunc(time.Millisecond, s.Interrupt)
				if _, err := s.Read(limit); err != jsonrpc.ErrInterrupted {
					t.Fatalf("while it is interrupted: %v", err)
				}
				later.Stop()
				mustWrite(t, s, `{"a":1}`)
				if got := readOne(t, s); got != `{"a":1}` {
					t.Fatalf("afterwards: %q", got)
				}
			}
		})
	}
}

// A message is not torn when interruptions fall into the middle of it.
func TestInterruptInAMessage(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := transport.New(r, nil, transport.Options{})
	defer s.Close()
	for _, piece := range []string{`{"a":`, `[1,2`, `]}`} {
		if _, err := w.WriteString(piece); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(5*time.Millisecond, s.Interrupt)
		if frames, err := s.Read(limit); err != jsonrpc.ErrInterrupted {
			t.Fatalf("got %v, %v", frames, err)
		}
	}
	if _, err := w.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	if got := readOne(t, s); got != `{"a":[1,2]}` {
		t.Errorf("got %q", got)
	}
}

// W7: a process that has closed its output but lives on does not hold up a Read that is interrupted, and an interruption
// does not hide how a process has ended.
func TestW7_InterruptAtTheEnd(t *testing.T) {
	p := start(t, "closes its output", patient)
	if got := readOne(t, p); got != "1" {
		t.Errorf("got %q", got)
	}
	began := time.Now()
	time.AfterFunc(20*time.Millisecond, p.Interrupt)
	if _, err := p.Read(limit); err != jsonrpc.ErrInterrupted {
		t.Fatalf("got %v after %v", err, time.Since(began))
	}
	p.Kill()
	p.Interrupt()
	for {
		_, err := p.Read(limit)
		if err == jsonrpc.ErrInterrupted {
			continue
		}
		if exit := (*transport.ExitError)(nil); !errors.As(err, &exit) {
			t.Errorf("got %v, want how the process ended", err)
		}
		break
	}
	p.Close()
	_ = p.Wait(context.Background())
}

// A reader that can't be interrupted does not lead outside.
func TestInterruptNeedsTheReader(t *testing.T) {
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	s := transport.New(f, nil, transport.Options{})
	defer s.Close()
	if s.Outside() {
		t.Error("a file of the disk leads outside")
	}
	s.Interrupt()
	if _, err := s.Read(1000); err != nil {
		t.Error(err)
	}
}
