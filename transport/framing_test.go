package transport_test

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/patchbay-dev/patchbay/transport"
)

const bom = "\xEF\xBB\xBF"

// Each case is what a peer writes and the frames that it amounts to, whatever the pieces it arrives in (W1).
var framings = map[string]struct {
	in   string
	want []string
}{
	"lines":                           {"{\"a\":1}\n{\"b\":2}\n", []string{`{"a":1}`, `{"b":2}`}},
	"headers":                         {"Content-Length: 7\r\n\r\n{\"a\":1}Content-Length: 7\r\n\r\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}},
	"mixed":                           {"{\"a\":1}\nContent-Length: 7\r\n\r\n{\"b\":2}\n{\"c\":3}\n", []string{`{"a":1}`, `{"b":2}`, `{"c":3}`}},
	"header names in any case":        {"CONTENT-LENGTH:7\r\n\r\n{\"a\":1}content-length: 7 \r\n\r\n{\"b\":2}", []string{`{"a":1}`, `{"b":2}`}},
	"further headers":                 {"Content-Type: application/json\r\nX-Any: thing\r\nContent-Length: 2\r\n\r\n{}", []string{`{}`}},
	"headers that end in \\n":         {"Content-Length: 2\n\n{}", []string{`{}`}},
	"a length said twice":             {"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", []string{`{}`}},
	"a body of several lines":         {"Content-Length: 9\r\n\r\n{\n\"a\":\n1}\n", []string{"{\n\"a\":\n1}"}},
	"an empty body":                   {"Content-Length: 0\r\n\r\n{}\n", []string{`{}`}},
	"an empty body at the end":        {"Content-Length: 0\r\n\r\n", nil},
	"CRLF":                            {"{}\r\n[]\r\n", []string{`{}`, `[]`}},
	"a CR inside":                     {"a\rb\r\r\n", []string{"a\rb\r"}},
	"U+2028 and U+2029 (F9)":          {"{\"a\":\"x\u2028y\u2029z\u0085\v\f\"}\n{}\n", []string{"{\"a\":\"x\u2028y\u2029z\u0085\v\f\"}", "{}"}},
	"blank lines":                     {"\n\r\n  \t\n{}\n\n\n", []string{`{}`}},
	"byte order marks":                {bom + "{}\n" + bom + "{}\n" + bom + "Content-Length: 2\r\n\r\n{}Content-Length: 5\r\n\r\n" + bom + "{}", []string{`{}`, `{}`, `{}`, `{}`}},
	"nothing but a byte order mark":   {bom, nil},
	"a last line without newline":     {"{}\n{\"cut\":", []string{`{}`, `{"cut":`}},
	"a body that is cut":              {"Content-Length: 20\r\n\r\n{\"cut\":", []string{`{"cut":`}},
	"a header block that is cut":      {"Content-Length: 20\r\nContent-Ty", []string{"Content-Length: 20", "Content-Ty"}},
	"banners (F1, F2, F4)":            {"Loaded cached credentials.\n\x1b[32mINFO\x1b[0m ready\nINFO: port: 1\n{}\n", []string{"Loaded cached credentials.", "\x1b[32mINFO\x1b[0m ready", "INFO: port: 1", "{}"}},
	"a log line that is JSON (F6)":    {"{\"level\":\"info\",\"id\":1}\n{}\n", []string{`{"level":"info","id":1}`, "{}"}},
	"NUL and bytes that aren't UTF-8": {"\x00\xff\xfe\n{}\n", []string{"\x00\xff\xfe", "{}"}},
	"a length that is no number":      {"Content-Length: two\r\n\r\n{}\n", []string{"Content-Length: two", "{}"}},
	"a negative length":               {"Content-Length: -2\r\n\r\n{}\n", []string{"Content-Length: -2", "{}"}},
	"a signed length":                 {"Content-Length: +2\r\n\r\n{}\n", []string{"Content-Length: +2", "{}"}},
	"no length at all":                {"Content-Length:\r\n\r\n{}\n", []string{"Content-Length:", "{}"}},
	"a length that overflows":         {"Content-Length: 99999999999999999999\r\n\r\n{}\n", []string{"Content-Length: 99999999999999999999", "{}"}},
	"a preposterous length":           {"Content-Length: 1099511627777\r\n\r\n{}\n", []string{"Content-Length: 1099511627777", "{}"}},
	"two lengths":                     {"Content-Length: 3\r\nContent-Length: 2\r\n\r\n{}", []string{"Content-Length: 3", "{}"}},
	"headers without a length":        {"Content-Type: text/plain\r\n\r\n{}\n", []string{"Content-Type: text/plain", "{}"}},
	"headers without an empty line":   {"Content-Type: text/plain\r\nContent-Length: 2\r\n{}\n", []string{"Content-Type: text/plain\nContent-Length: 2", "{}"}},
	"a log line like a header":        {"Content-Loader: starting\n{}\n", []string{"Content-Loader: starting", "{}"}},
	"a header block without end": {strings.Repeat("Content-Type: x\r\n", 400) + "{}\n",
		[]string{strings.Repeat("Content-Type: x\n", 256)[:256*16-1], strings.Repeat("Content-Type: x\n", 144)[:144*16-1], "{}"}},
	"a header line without end": {"Content-Type: " + strings.Repeat("x", 40000) + "\n{}\n",
		[]string{"Content-Type: " + strings.Repeat("x", 40000), "{}"}},
	"a header block before a long line": {"Content-Type: x\n" + strings.Repeat("y", 40000) + "\n{}\n",
		[]string{"Content-Type: x", strings.Repeat("y", 40000), "{}"}},
	"nothing":      {"", nil},
	"only newline": {"\n", nil},
	"messages longer than the buffer": {
		bom + `"` + strings.Repeat("a", 100_000) + "\"\r\nContent-Length: 300003\r\n\r\n" + bom + strings.Repeat("b", 300_000) + `"` + strings.Repeat("c", 50_000),
		[]string{`"` + strings.Repeat("a", 100_000) + `"`, strings.Repeat("b", 300_000), `"` + strings.Repeat("c", 50_000)},
	},
	"a long line of spaces": {strings.Repeat(" ", 100_000) + "\n{}\n", []string{"{}"}},
}

// pieces are ways in which bytes arrive.
var pieces = map[string]func(io.Reader) io.Reader{
	"at once":      func(r io.Reader) io.Reader { return r },
	"by the byte":  iotest.OneByteReader,
	"in halves":    iotest.HalfReader,
	"with the end": iotest.DataErrReader,
	"by sevens":    func(r io.Reader) io.Reader { return &sized{r: r, sizes: []int{7}} },
	"unevenly":     func(r io.Reader) io.Reader { return &sized{r: r, sizes: []int{1, 4096, 3, 16385, 2, 40000}} },
}

// sized reads pieces of given sizes, over and over.
type sized struct {
	r     io.Reader
	sizes []int
	at    int
}

func (s *sized) Read(b []byte) (int, error) {
	n := s.sizes[s.at%len(s.sizes)]
	s.at++
	return s.r.Read(b[:min(n, len(b))])
}

func TestW1_FramesAreFoundWhateverTheFraming(t *testing.T) {
	for name, c := range framings {
		t.Run(name, func(t *testing.T) {
			for how, in := range pieces {
				s := transport.New(in(strings.NewReader(c.in)), io.Discard, transport.Options{})
				if got := mustReadAll(t, s, limit); !slices.Equal(got, c.want) {
					t.Errorf("%s: got %.200q, want %.200q", how, got, c.want)
				}
			}
		})
	}
}

// All that has arrived comes with one Read, so that whoever handles it can do so in one go.
func TestW1_ReadReturnsAllThatHasArrived(t *testing.T) {
	s := transport.New(strings.NewReader(strings.Repeat("{}\n", 100)), io.Discard, transport.Options{})
	frames, err := s.Read(limit)
	if err != nil || len(frames) != 100 {
		t.Errorf("got %d frames and %v, want 100", len(frames), err)
	}
}

// A message's bytes are the caller's for good: nothing that is read later changes them, nor does appending to one.
func TestW1_MessagesDoNotShareMemory(t *testing.T) {
	s := transport.New(strings.NewReader("[1]\n[2]\n[3]\n[4]\n"), io.Discard, transport.Options{})
	frames, err := s.Read(limit)
	if err != nil {
		t.Fatal(err)
	}
	first := frames[0].Data
	_ = append(first, "........"...)
	if got := show(frames[1]); got != "[2]" {
		t.Errorf("the second message became %q", got)
	}
	if _, err := s.Read(limit); err != io.EOF {
		t.Errorf("got %v, want io.EOF", err)
	}
	if got := string(first); got != "[1]" {
		t.Errorf("the first message became %q", got)
	}
}

// An error of the reader comes after what was read before it, and again with each further Read.
func TestW8_FramesComeBeforeTheError(t *testing.T) {
	r := io.MultiReader(strings.NewReader("{}\n{\"cut\":"), iotest.ErrReader(io.ErrUnexpectedEOF))
	s := transport.New(r, io.Discard, transport.Options{})
	for range 2 {
		got, err := readAll(s, limit)
		if err != io.ErrUnexpectedEOF {
			t.Errorf("got %v, want io.ErrUnexpectedEOF", err)
		}
		if want := []string{"{}", `{"cut":`}; got != nil && !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestReaderWithoutProgress(t *testing.T) {
	s := transport.New(readerFunc(func([]byte) (int, error) { return 0, nil }), io.Discard, transport.Options{})
	if _, err := s.Read(limit); err != io.ErrNoProgress {
		t.Errorf("got %v, want io.ErrNoProgress", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// S002.1: the first message decides how we answer; until then, and unless told otherwise, we write lines.
func TestW1_ReplyFramingFollowsTheFirstMessage(t *testing.T) {
	const line, header = "{\"m\":1}\n", "Content-Length: 7\r\n\r\n{\"m\":1}"
	for name, c := range map[string]struct {
		in   string
		o    transport.Options
		want string
	}{
		"nothing yet":                {in: "", want: line},
		"nothing yet, headers asked": {in: "", o: transport.Options{ContentLength: true}, want: header},
		"a line":                     {in: "{}\nContent-Length: 2\r\n\r\n{}", want: line},
		"a line, headers asked":      {in: "{}\n", o: transport.Options{ContentLength: true}, want: line},
		"headers":                    {in: "Content-Length: 2\r\n\r\n{}{}\n", want: header},
		"headers and an array":       {in: "Content-Length: 2\r\n\r\n[]", want: header},
		"noise, then headers":        {in: "loading\n\nContent-Length: 2\r\n\r\n{}", want: header},
		"noise in headers":           {in: "Content-Length: 2\r\n\r\nhi{}\n", want: line},
		"a large line":               {in: "{" + strings.Repeat(" ", 100_000) + "}\n", want: line},
		"a large body":               {in: "Content-Length: 100000\r\n\r\n {" + strings.Repeat(" ", 99_998), want: header},
		"a body over the limit":      {in: "Content-Length: 2000000\r\n\r\n[" + strings.Repeat(" ", 1_999_999), want: header},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s := transport.New(strings.NewReader(c.in), &out, c.o)
			mustReadAll(t, s, limit)
			mustWrite(t, s, `{"m":1}`)
			if got := out.String(); got != c.want {
				t.Errorf("wrote %q, want %q", got, c.want)
			}
		})
	}
}

// Whatever is written is read again, in both framings and any mixture of sizes.
func TestW1_WriteIsReadBack(t *testing.T) {
	var want []string
	var messages [][]byte
	for i, n := range []int{1, 10, 8192, 8193, 5, 40_000, 100, 20_000, 3, 32 << 10, 31 << 10, 1, 300_000} {
		m := `"` + strings.Repeat(string(rune('a'+i)), n) + `"`
		want = append(want, m)
		b := []byte(m)
		if i%2 == 0 {
			b = slices.Grow(b, 1)
		} else {
			b = slices.Clip(b)
		}
		messages = append(messages, b)
	}
	for _, o := range []transport.Options{{}, {ContentLength: true}} {
		for size := 1; size <= len(messages); size++ {
			var wire bytes.Buffer
			s := transport.New(&wire, &wire, o)
			for batch := range slices.Chunk(messages, size) {
				if err := s.Write(batch); err != nil {
					t.Fatal(err)
				}
			}
			if got := mustReadAll(t, s, limit); !slices.Equal(got, want) {
				t.Fatalf("%+v, %d messages a write: what was read is not what was written", o, size)
			}
		}
	}
}

// Many small messages leave in one write.
func TestWriteGathers(t *testing.T) {
	var writes int
	w := writerFunc(func(b []byte) (int, error) { writes++; return len(b), nil })
	s := transport.New(strings.NewReader(""), w, transport.Options{})
	messages := make([][]byte, 100)
	for i := range messages {
		messages[i] = []byte(`{"jsonrpc":"2.0","method":"session/update"}`)
	}
	if err := s.Write(messages); err != nil || writes != 1 {
		t.Errorf("100 small messages took %d writes (%v), want one", writes, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// After a failed write the peer may have half a message, so nothing is written any more.
func TestW8_WriteErrorIsFinal(t *testing.T) {
	fail := true
	w := writerFunc(func(b []byte) (int, error) {
		if fail {
			return 1, nil
		}
		return len(b), nil
	})
	s := transport.New(strings.NewReader(""), w, transport.Options{})
	for range 2 {
		if err := s.Write([][]byte{[]byte("{}")}); err != io.ErrShortWrite {
			t.Errorf("got %v, want io.ErrShortWrite", err)
		}
		fail = false
	}
	if _, err := s.TryWrite([]byte("{}")); err != io.ErrShortWrite {
		t.Errorf("TryWrite: got %v, want io.ErrShortWrite", err)
	}
}

func TestOutside(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for want, in := range map[bool]io.Reader{true: r, false: strings.NewReader("")} {
		if got := transport.New(in, io.Discard, transport.Options{}).Outside(); got != want {
			t.Errorf("a stream over a %T is outside: %t", in, got)
		}
	}
	w.Close()
	r.Close()
}
