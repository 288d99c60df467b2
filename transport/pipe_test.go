package transport_test

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/patchbay-dev/patchbay/transport"
)

func TestPipeCarriesMessages(t *testing.T) {
	a, b := transport.Pipe()
	message := []byte(`{"a":1}`)
	if err := a.Write([][]byte{message, []byte("2")}); err != nil {
		t.Fatal(err)
	}
	message[2] = 'x' // the stream has its own copy
	if done, err := a.TryWrite([]byte("3")); !done || err != nil {
		t.Errorf("TryWrite: %t, %v", done, err)
	}
	mustWrite(t, b, "back")
	frames, err := b.Read(limit)
	if err != nil || len(frames) != 3 {
		t.Fatalf("got %d frames and %v, want 3", len(frames), err)
	}
	if got := show(frames[0]); got != `{"a":1}` {
		t.Errorf("got %q", got)
	}
	if got := readOne(t, a); got != "back" {
		t.Errorf("got %q", got)
	}
}

// A pipe has a limit like any stream, and knows of a large message what any stream knows (W2).
func TestW2_Pipe(t *testing.T) {
	a, b := transport.Pipe()
	mustWrite(t, a, `{"id":1,"method":"m","x":"`+strings.Repeat("x", 20)+`"}`, "1")
	a.Close()
	want := []string{`<48 bytes, version , id 1, method "m">`, "1"}
	if got := mustReadAll(t, b, 20); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A full pipe makes writers wait, save that a message larger than the pipe passes when it is alone. TryWrite doesn't wait
// and leaves the message to the next Write, in its place.
func TestPipeHoldsSoManyBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := transport.PipeSize(10)
		large := strings.Repeat("x", 1000)
		mustWrite(t, a, large)
		if done, err := a.TryWrite([]byte("1")); done || err != nil {
			t.Errorf("TryWrite to a full pipe: %t, %v", done, err)
		}
		written := false
		go func() {
			mustWrite(t, a, "2", large, "3")
			written = true
			a.Close()
		}()
		var got []string
		for _, batch := range [][]string{{large}, {"1", "2"}, {large}, {"3"}} {
			synctest.Wait()
			if written != (batch[0] == "3") {
				t.Errorf("before %.10q was read, Write had returned: %t", batch, written)
			}
			frames, err := b.Read(limit)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range frames {
				if i >= len(batch) || show(f) != batch[i] {
					t.Errorf("got %.10q, want %.10q", show(f), batch)
				}
			}
			got = append(got, batch...)
		}
		if rest := mustReadAll(t, b, limit); rest != nil {
			t.Errorf("after %d messages came %.10q", len(got), rest)
		}
	})
}

// Closing one side gives the other one what was written, and then the end; writing to it fails from then on (W8).
func TestW8_PipeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := transport.PipeSize(10)
		ended := make(chan error, 2)
		mustWrite(t, a, "0123456789")
		go func() { ended <- a.Write([][]byte{[]byte("too much")}) }()
		go func() {
			_, err := a.Read(limit)
			ended <- err
		}()
		synctest.Wait()
		a.Close()
		for range 2 {
			if err := <-ended; err != io.ErrClosedPipe {
				t.Errorf("got %v, want io.ErrClosedPipe", err)
			}
		}
		checkClosed(t, a)
		if err := b.Write([][]byte{[]byte("1")}); err != io.ErrClosedPipe {
			t.Errorf("write to one who has gone: %v, want io.ErrClosedPipe", err)
		}
		if got := mustReadAll(t, b, limit); !slices.Equal(got, []string{"0123456789"}) {
			t.Errorf("got %q", got)
		}
		b.Close()
		checkClosed(t, b)
	})
}
