package tool

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/internal/confine"
)

// anyText is a text of few different lines and ends, so that much of it is there more than once.
func anyText(piece *rapid.Generator[string]) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "") })
}

func plain(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// F152: whatever a file holds and whatever is replaced in it, for those who don't see how lines end the result is that of
// strings.Replace; what comes before and after stays byte for byte; and no line gets an end that the file doesn't have.
func TestF152_EditsOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := anyText(rapid.SampledFrom([]string{"a", "b", "\n", "\r\n", "\rx", "é", "\xe9", "\ufeff"})).Draw(t, "text")
		seen := plain(text)
		begin := rapid.IntRange(0, len(seen)).Draw(t, "begin")
		old := seen[begin:rapid.IntRange(begin, len(seen)).Draw(t, "end")]
		if old == "" || strings.Contains(old, "\r") {
			return
		}
		replacement := anyText(rapid.SampledFrom([]string{"a", "b", "\n", "c"})).Draw(t, "new")
		m := find(text, old)
		got := m.replace(replacement)
		if strings.HasSuffix(text[:m.at[0].begin], "\r") {
			return // a line feed that is put after a carriage return makes a CRLF of both
		}
		n := strings.Count(seen, old)
		if len(m.at) != n {
			t.Fatalf("found in %d places, want %d", len(m.at), n)
		}
		if want := strings.ReplaceAll(seen, old, replacement); plain(got) != want {
			t.Fatalf("got %q, which reads %q, want %q", got, plain(got), want)
		}
		first, last := m.at[0], m.at[n-1]
		if !strings.HasPrefix(got, text[:first.begin]) || !strings.HasSuffix(got, text[last.end:]) {
			t.Fatalf("got %q: other bytes were touched", got)
		}
		for _, end := range lineEndings(got) {
			if all := endsOf(text); strings.Contains(text, "\n") && (all == endsCRLF && end == "\n" || all == endsLF && end == "\r\n") {
				t.Fatalf("got %q with the line end %q", got, end)
			}
		}
	})
}

// A session forgets what it has read first, and not what it has read again.
func TestSeenIsBounded(t *testing.T) {
	var s Seen
	at := func(i int) Path { return Path{place: confine.Place{Path: fmt.Sprint(i)}} }
	for i := range maxSeen {
		s.note(at(i), "")
	}
	s.note(at(0), "again")
	s.note(at(maxSeen), "")
	s.note(at(maxSeen+1), "")
	if seen, _ := s.compare(at(1), ""); seen || len(s.files) != maxSeen || len(s.order) != maxSeen {
		t.Errorf("seen %t, and %d files in all", seen, len(s.files))
	}
	if _, same := s.compare(at(maxSeen), ""); !same {
		t.Error("the last one is not known")
	}
	if seen, same := s.compare(at(0), "again"); !seen || !same {
		t.Error("what was read again is not known")
	}
}
