package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// What is kept is the end, cut before a character (F106).
func TestF106_CutBeforeACharacter(t *testing.T) {
	for _, c := range []struct {
		limit     int
		pieces    []string
		want      string
		truncated bool
	}{
		{10, []string{"hello"}, "hello", false},
		{5, []string{"hello"}, "hello", false},
		{4, []string{"hello"}, "ello", true},
		{4, []string{"he", "l", "lo"}, "ello", true},
		{0, []string{"hello"}, "", true},
		{0, nil, "", false},
		{3, []string{"aé€"}, "€", true},
		{2, []string{"aé€"}, "", true},
		{4, []string{"aé€"}, "€", true},
		{7, []string{"a\U0001F600b"}, "a\U0001F600b", false},
		{4, []string{"a\U0001F600b"}, "b", true},
		{9, []string{"a\xffb"}, "a\uFFFDb", false},
		{5, []string{"a\xffb"}, "a\uFFFDb", false},
		{4, []string{"a\xffb"}, "\uFFFDb", true}, // fits as bytes, not as text
		{3, []string{"a\xffb"}, "b", true},
		{9, []string{"\x80\x80a"}, "\uFFFDa", false}, // no beginning was cut off here
		{9, []string{"cut \xe2\x82"}, "cut \uFFFD", false},
	} {
		b := buffer{limit: c.limit}
		for _, p := range c.pieces {
			b.add([]byte(p))
		}
		for range 2 {
			if got, truncated := b.text(true); got != c.want || truncated != c.truncated {
				t.Errorf("%q in %d bytes: got %q and %t, want %q and %t", c.pieces, c.limit, got, truncated, c.want, c.truncated)
			}
			b.settle() // changes nothing
		}
	}
}

// While more may come, half a character at the end is not shown yet.
func TestHalfACharacterIsHeldBack(t *testing.T) {
	b := buffer{limit: 100}
	for i, c := range []struct{ add, want string }{
		{"a\xe2", "a"},
		{"\x82", "a"},
		{"\xac", "a€"},
		{"\xf0\x9f\x98", "a€"},
		{"z", "a€\uFFFDz"}, // it never became one
		{"\x80", "a€\uFFFDz\uFFFD"},
	} {
		b.add([]byte(c.add))
		if got, _ := b.text(false); got != c.want {
			t.Errorf("step %d: got %q, want %q", i, got, c.want)
		}
	}
}

// However output comes, what is kept is its end, is UTF-8, and is within the limit, as is the memory.
func TestBufferKeepsTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := buffer{limit: rapid.IntRange(0, 40).Draw(t, "limit")}
		var all strings.Builder
		for _, p := range rapid.SliceOf(rapid.StringN(0, 30, -1)).Draw(t, "pieces") {
			b.add([]byte(p))
			all.WriteString(p)
			if text, _ := b.text(false); len(text) > b.limit || !utf8.ValidString(text) || !strings.Contains(all.String(), text) {
				t.Fatalf("in between: %q of %q", text, all.String())
			}
		}
		text, truncated := b.text(true)
		if !strings.HasSuffix(all.String(), text) || truncated != (len(text) < all.Len()) {
			t.Fatalf("got %q and %t of %q", text, truncated, all.String())
		}
		if truncated && len(text) <= b.limit-utf8.UTFMax {
			t.Fatalf("kept only %d bytes of %d", len(text), b.limit)
		}
	})
}

// Memory follows the limit, not the output.
func TestBufferIsBounded(t *testing.T) {
	b := buffer{limit: 1 << 16}
	chunk := []byte(strings.Repeat("x", 1<<15))
	for range 1000 {
		b.add(chunk)
		if cap(b.kept) > 4<<16 {
			t.Fatalf("holds %d bytes", cap(b.kept))
		}
	}
	b.settle()
	if cap(b.kept) > 1<<16+1<<13 {
		t.Errorf("holds %d bytes in the end", cap(b.kept))
	}
}
