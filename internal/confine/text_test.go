package confine_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/internal/confine"
)

const megabyte = 1 << 20

// Lines are counted from 1 and end with a line feed; their bytes stay (F152).
func TestF152_Lines(t *testing.T) {
	const text = "\ufeffone\r\ntwo\nth\rree\n\nfive"
	for _, c := range []struct {
		lines confine.Lines
		want  string
	}{
		{confine.Lines{}, text},
		{confine.Lines{From: 1}, text},
		{confine.Lines{From: 1, Count: 1}, "\ufeffone\r\n"},
		{confine.Lines{From: 2, Count: 2}, "two\nth\rree\n"},
		{confine.Lines{From: 4}, "\nfive"},
		{confine.Lines{From: 5, Count: 9}, "five"},
		{confine.Lines{From: 6}, ""},
		{confine.Lines{From: 99, Count: 1}, ""},
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			if got, err := confine.ReadText(t.Context(), r, c.lines, megabyte); got != c.want || err != nil {
				t.Errorf("%+v: got %q and %v, want %q", c.lines, got, err, c.want)
			}
		}
	}
	if _, err := confine.ReadText(t.Context(), strings.NewReader(text), confine.Lines{From: -1}, megabyte); err == nil {
		t.Error("a negative line is no error")
	}
}

// Any text, read in pieces of lines, is the text again.
func TestLinesAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab\n\r\u2028é"))).Draw(t, "text")
		step := rapid.IntRange(1, 4).Draw(t, "step")
		var all strings.Builder
		for from := 1; from <= strings.Count(text, "\n")+1; from += step {
			piece, err := confine.ReadText(context.Background(), strings.NewReader(text), confine.Lines{From: from, Count: step}, megabyte)
			if err != nil {
				t.Fatal(err)
			}
			all.WriteString(piece)
		}
		if all.String() != text {
			t.Fatalf("got %q, want %q", all.String(), text)
		}
	})
}

// endless is a file that is never read to its end.
type endless struct{ line string }

func (e endless) Read(p []byte) (int, error) { return copy(p, e.line), nil }

// Only what is asked for is kept, and nothing after it is read: the file may be of any size. There is a limit in bytes.
func TestTextIsBounded(t *testing.T) {
	got, err := confine.ReadText(t.Context(), endless{"line\n"}, confine.Lines{From: 1_000_000, Count: 2}, 10)
	if got != "line\nline\n" || err != nil {
		t.Errorf("got %q and %v", got, err)
	}
	for _, line := range []string{"x", "line\n"} {
		_, err = confine.ReadText(t.Context(), endless{line}, confine.Lines{}, 1000)
		if e, ok := errors.AsType[*confine.TooLongError](err); !ok || !strings.Contains(e.Error(), "1000 bytes") {
			t.Errorf("got %v", err)
		}
	}
	if got, err := confine.ReadText(t.Context(), strings.NewReader("12345"), confine.Lines{}, 5); got != "12345" || err != nil {
		t.Errorf("at the limit: got %q and %v", got, err)
	}
}

// A long way to the first line ends with the context.
func TestReadTextHonoursContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := iotest.DataErrReader(cancelling{endless{"x"}, cancel})
	if _, err := confine.ReadText(ctx, r, confine.Lines{From: 2}, megabyte); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

type cancelling struct {
	io.Reader
	cancel func()
}

func (c cancelling) Read(p []byte) (int, error) {
	if rand.IntN(10) == 0 {
		c.cancel()
	}
	return c.Reader.Read(p)
}

// What a JSON string can't hold is refused with where and why, rather than changed.
func TestNotText(t *testing.T) {
	for text, want := range map[string]string{
		"ok\nno\xffpe":       "byte 0xFF at offset 5; it may be binary",
		"cut \xe2\x82":       "byte 0xE2 at offset 4; it may be binary",
		"\xff\xfeh\x00i\x00": "byte 0xFF at offset 0; it looks like UTF-16",
	} {
		_, err := confine.ReadText(t.Context(), strings.NewReader(text), confine.Lines{}, megabyte)
		if _, ok := errors.AsType[*confine.NotTextError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	_, err := confine.ReadText(t.Context(), strings.NewReader("ok\nno\xffpe"), confine.Lines{From: 2}, megabyte)
	if err == nil || !strings.Contains(err.Error(), "offset 5") {
		t.Errorf("got %v", err)
	}
	if got, err := confine.ReadText(t.Context(), strings.NewReader("ok\nno\xffpe"), confine.Lines{Count: 1}, megabyte); got != "ok\n" {
		t.Errorf("the line before: got %q and %v", got, err)
	}
	if got, err := confine.ReadText(t.Context(), strings.NewReader("\ufffd \x00"), confine.Lines{}, megabyte); got != "\ufffd \x00" {
		t.Errorf("what is UTF-8: got %q and %v", got, err)
	}
}
