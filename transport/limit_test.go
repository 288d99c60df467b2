package transport_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/transport"
)

// A message up to the limit is kept, one above it is skipped to its end with its id and method noted, and what follows is
// read as ever (W2, F16 to F19).
func TestW2_TheLimit(t *testing.T) {
	const small = 50
	long := strings.Repeat("x", 60_000)
	request := `{"jsonrpc":"2.0","method":"session/prompt","params":{"id":1,"text":"` + long + `"},"id":"a-7"}`
	response := `{"jsonrpc":"2.0","id":12,"result":{"text":"` + long + `\"}","id":13}}`
	for name, c := range map[string]struct {
		in    string
		limit int
		want  []string
	}{
		"a line at the limit":            {strings.Repeat("1", small) + "\n", small, []string{strings.Repeat("1", small)}},
		"with a carriage return":         {strings.Repeat("1", small) + "\r\n", small, []string{strings.Repeat("1", small)}},
		"with a byte order mark":         {bom + strings.Repeat("1", small) + "\r\n", small, []string{strings.Repeat("1", small)}},
		"a line over it":                 {strings.Repeat("1", small+1) + "\n{}\n", small, []string{"<51 bytes, version , id , method >", "{}"}},
		"a body at the limit":            {"Content-Length: 50\n\n" + strings.Repeat("1", small), small, []string{strings.Repeat("1", small)}},
		"a body over it":                 {"Content-Length: 51\n\n" + strings.Repeat("1", small+1) + "{}\n", small, []string{"<51 bytes, version , id , method >", "{}"}},
		"a line over it without newline": {strings.Repeat("1", small+1), small, []string{"<51 bytes, version , id , method >"}},
		"a body over it that is cut":     {"Content-Length: 99\n\n" + strings.Repeat("1", small+1), small, []string{"<51 bytes, version , id , method >"}},
		"headers over it":                {"Content-Type: " + strings.Repeat("1", small) + "\nContent-Length: 2\n\n{}", small, []string{"{}"}},
		"a long line at the limit":       {long + "\r\n{}\n", len(long), []string{long, "{}"}},
		"a long line over it":            {long + "\r\n{}\n", len(long) - 1, []string{"<60000 bytes, version , id , method >", "{}"}},
		"a long body over it":            {"Content-Length: 60000\n\n" + long + "{}\n", len(long) - 1, []string{"<60000 bytes, version , id , method >", "{}"}},
		"no limit":                       {long + "\n", 0, []string{long}},
		"no limit to speak of":           {long + "\n", math.MaxInt, []string{long}},
		"a request": {
			request + "\n{}\n", small,
			[]string{fmt.Sprintf(`<%d bytes, version "2.0", id "a-7", method "session/prompt">`, len(request)), "{}"},
		},
		"a response": {
			response + "\r\n{}\n", small,
			[]string{fmt.Sprintf(`<%d bytes, version "2.0", id 12, method >`, len(response)), "{}"},
		},
		"a request in a body": {
			fmt.Sprintf("Content-Length: %d\r\n\r\n", len(bom+request)) + bom + request + "{}\n", small,
			[]string{fmt.Sprintf(`<%d bytes, version "2.0", id "a-7", method "session/prompt">`, len(request)), "{}"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for how, pieces := range pieces {
				s := transport.New(pieces(strings.NewReader(c.in)), io.Discard, transport.Options{})
				if got := mustReadAll(t, s, c.limit); !slices.Equal(got, c.want) {
					t.Errorf("%s: got %.200q, want %.200q", how, got, c.want)
				}
			}
		})
	}
}

// Skipping holds no memory and does not depend on a line's end ever coming: a peer that writes without a newline, or
// announces a huge body, costs nothing but the time to read it.
func TestW2_SkippingHoldsNoMemory(t *testing.T) {
	size := 16 << 20
	if os.Getenv("PATCHBAY_SOAK") != "" {
		size = 1 << 30
	}
	for name, head := range map[string]string{
		"line": `{"id":1,"method":"m","params":"`,
		"body": fmt.Sprintf("Content-Length: %d\r\n\r\n", size+31) + `{"id":1,"method":"m","params":"`,
	} {
		t.Run(name, func(t *testing.T) {
			var peak, held uint64
			filler := &filler{left: size}
			filler.each = func() {
				peak = max(peak, heap())
				if filler.left < 2<<20 {
					held = collected()
				}
			}
			before := collected()
			s := transport.New(io.MultiReader(strings.NewReader(head), filler, strings.NewReader("\n{}\n")), io.Discard, transport.Options{})
			got := mustReadAll(t, s, 4<<20)
			want := []string{fmt.Sprintf(`<%d bytes, version , id 1, method "m">`, size+31), "{}"}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			// Up to the limit a line was kept, and is garbage then.
			if grown := int64(peak) - int64(before); grown > 12<<20 {
				t.Errorf("the heap grew by %d MiB", grown>>20)
			}
			if grown := int64(held) - int64(before); grown > 1<<20 {
				t.Errorf("%d bytes of what was skipped are held", grown)
			}
		})
	}
}

// filler reads as a number of letters.
type filler struct {
	left int
	each func() // called every MiB
}

func (f *filler) Read(b []byte) (int, error) {
	if f.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), f.left, len(letters))
	if f.left>>20 != (f.left-n)>>20 {
		f.each()
	}
	f.left -= n
	return copy(b, letters[:n]), nil
}

var letters = bytes.Repeat([]byte("x"), 64<<10)

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A claimed length costs nothing until the bytes arrive.
func TestW2_ClaimedLengthIsNotAllocated(t *testing.T) {
	before := total()
	s := transport.New(strings.NewReader("Content-Length: 1000000000\r\n\r\n{"), io.Discard, transport.Options{})
	if got := mustReadAll(t, s, 0); !slices.Equal(got, []string{"{"}) {
		t.Errorf("got %q", got)
	}
	if used := total() - before; used > 1<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
}

func total() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A large message costs twice its size and a little: no buffer doubles (W2).
func TestW2_LargeMessageCostsTwiceItsSize(t *testing.T) {
	const size = 64 << 20
	in := io.MultiReader(&filler{left: size, each: func() {}}, strings.NewReader("\n"))
	s := transport.New(in, io.Discard, transport.Options{})
	before := total()
	frames, err := s.Read(size)
	if err != nil || len(frames[0].Data) != size {
		t.Fatalf("got %d frames and %v", len(frames), err)
	}
	if used := total() - before; used > 2*size+4<<20 {
		t.Errorf("%d MiB were allocated for a message of %d MiB", used>>20, size>>20)
	}
}

// A stream that waits holds little, also after a message of 64 MiB, and does not keep that message alive either.
func TestW2_IdleStreamHoldsLittle(t *testing.T) {
	const streams, size = 20, 64 << 20
	idle := make([]*transport.ByteStream, streams)
	done := make(chan error)
	waiting := make(chan struct{})
	release := make(chan struct{})
	before := collected()
	for i := range idle {
		large := 0
		if i == 0 {
			large = size
		}
		in := io.MultiReader(&filler{left: large, each: func() {}}, strings.NewReader("\n{}\n"), readerFunc(func([]byte) (int, error) {
			waiting <- struct{}{}
			<-release
			return 0, io.EOF
		}))
		idle[i] = transport.New(in, io.Discard, transport.Options{})
		go func() {
			_, err := countAll(idle[i], size)
			done <- err
		}()
		within(t, "the stream to wait", waiting)
	}
	each := (int64(collected()) - int64(before)) / streams
	close(release)
	for range idle {
		if err := within(t, "the end", done); err != io.EOF {
			t.Error(err)
		}
	}
	if each > 24<<10 {
		t.Errorf("an idle stream holds %d bytes", each)
	}
	t.Logf("an idle stream holds %d bytes", each)
	runtime.KeepAlive(idle)
}

// countAll reads a stream to its end, for messages that must not be kept.
func countAll(s *transport.ByteStream, limit int) (n int, err error) {
	for {
		frames, err := s.Read(limit)
		if err != nil {
			return n, err
		}
		n += len(frames)
	}
}

// collected returns the size of the heap without garbage. Pools are emptied by the second collection.
func collected() uint64 {
	runtime.GC()
	runtime.GC()
	return heap()
}

// Messages of every size on the way to the limit arrive whole: they move house twice.
func TestW2_HugeMessages(t *testing.T) {
	for _, size := range []int{15<<20 + 3, 16 << 20, 16<<20 + 1, 17 << 20, 40<<20 + 7, 65<<20 + 1} {
		if testing.Short() && size > 17<<20 {
			continue
		}
		text := make([]byte, size)
		for i := range text {
			text[i] = 'a' + byte(i>>10%26)
		}
		in := io.MultiReader(bytes.NewReader(text), strings.NewReader("\r\n{}\n"))
		s := transport.New(in, io.Discard, transport.Options{})
		var frames []string
		for len(frames) < 2 {
			read, err := s.Read(size)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range read {
				frames = append(frames, string(f.Data))
			}
		}
		if frames[0] != string(text) || frames[1] != "{}" {
			t.Errorf("%d bytes: %d and %q arrived", size, len(frames[0]), frames[1])
		}
	}
}
