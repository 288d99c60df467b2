package transport

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// However text arrives, the end of it is kept, and lines are reported whole unless they are very long.
func TestTail(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	text := "one\r\ntwo\n\n" + long + "\n" + long + "yz\n" + long + "\r\n" + "half"
	want := []string{"one", "two", "", long, long, "yz", long, "", "half"}
	for _, size := range []int{-1, 1, 5, 1000, len(text), 1 << 20} {
		for _, piece := range []int{1, 7, 1 << 20} {
			var lines []string
			tail := tail{size: size, each: func(line string) { lines = append(lines, line) }}
			tail.readFrom(&pieceReader{text, piece})
			if !slices.Equal(lines, want) {
				t.Errorf("pieces of %d: got %d lines, want %d", piece, len(lines), len(want))
			}
			if got := tail.text(); got != text[max(len(text)-max(size, 0), 0):] {
				t.Errorf("pieces of %d, %d bytes: kept %d bytes: %.20q", piece, size, len(got), got)
			}
		}
	}
}

type pieceReader struct {
	text  string
	piece int
}

func (r *pieceReader) Read(b []byte) (int, error) {
	if r.text == "" {
		return 0, io.EOF
	}
	n := copy(b, r.text[:min(r.piece, len(r.text))])
	r.text = r.text[n:]
	return n, nil
}

func TestTailLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"\n\n":                     "",
		"a\r\nb\n":                 "a\nb",
		"a\nb\nc\nd\n":             "b\nc\nd",
		"begin\n0123456789012345":  "0123456789012345",
		"01234567890123456789\nab": "ab",
		"01234567890123456789":     "4567890123456789",
	} {
		tail := tail{size: 1000}
		tail.keep([]byte(text))
		if got := tail.lines(3, 16); got != want {
			t.Errorf("the last lines of %q are %q, want %q", text, got, want)
		}
	}
}

func TestExitErrorWithoutState(t *testing.T) {
	e := &ExitError{Command: "agent"}
	if got := fmt.Sprint(e, e.ExitCode()); got != "agent ended: exit status unknown -1" {
		t.Errorf("got %q", got)
	}
}
