package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

func TestCleanRemovesWhatATerminalWouldObey(t *testing.T) {
	for text, want := range map[string]string{
		"plain ünïcode\n\ttext 文":                  "plain ünïcode\n\ttext 文",
		"\x1b[31mred\x1b[0m":                       "red",
		"\x1b]0;title\x07after":                    "after",
		"\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1bP1$r\x1b\\after":                      "after",
		"\x1b(Bafter":                              "after",
		"\x1bcafter":                               "after",
		"\u009b2Jafter":                            "after",
		"\u009d0;title\u009cafter":                 "after",
		"safe\rsafe\b\x00\x7f":                     "safesafe",
		"a\u202eb\u2066c":                          "abc",
		"\x1b[":                                    "",
		"bad \ufffd":                               "bad \ufffd",
	} {
		if got := clean(text); got != want {
			t.Errorf("clean(%q) = %q, want %q", text, got, want)
		}
		var pieces cleaner
		var got strings.Builder
		for _, r := range text { // however it is cut
			got.WriteString(pieces.clean(string(r)))
		}
		if got.String() != want {
			t.Errorf("in pieces %q became %q, want %q", text, got.String(), want)
		}
	}
}

func TestCleanHidesOnlySoMuchInASequenceWithoutEnd(t *testing.T) {
	if got := clean("\x1b]0;" + strings.Repeat("x", 1000)); len(got) < 700 {
		t.Errorf("%d of 1000 characters are left", len(got))
	}
}

// FuzzClean: whatever an agent says, nothing that a terminal obeys is left, and it does not matter how it is cut.
func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb\x1b]0;t\x07c\u009b1md\re", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		text = strings.ToValidUTF8(text, "\ufffd") // as everything that comes out of a message
		whole := clean(text)
		for _, r := range whole {
			if special(r) && r != '\ufffd' {
				t.Fatalf("clean(%q) = %q", text, whole)
			}
		}
		runes := []rune(text)
		if cut < 0 || cut > len(runes) {
			return
		}
		var c cleaner
		if got := c.clean(string(runes[:cut])) + c.clean(string(runes[cut:])); got != whole {
			t.Fatalf("%q cut at %d is %q, whole %q", text, cut, got, whole)
		}
	})
}

// JSON means the same and does nothing to a terminal, whatever an agent has said.
func FuzzHarmlessJSON(f *testing.F) {
	f.Add("a\x1b[31m\u009b2J\x7f\u202e\r\n \u2028 ü \ufffd \xff")
	f.Fuzz(func(t *testing.T, said string) {
		said = strings.ToValidUTF8(said, "\ufffd")
		var b bytes.Buffer
		if err := (&output{w: &b}).print(map[string]any{"said": said, "raw": acp.Raw("{\r\n\"a\":\t\"\u009b\"}")}); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexFunc(b.String(), func(r rune) bool { return special(r) && r != '\ufffd' && r != '\r' }); i >= 0 {
			t.Errorf("%q has %q", &b, b.String()[i:])
		}
		var got struct {
			Said string
			Raw  struct{ A string }
		}
		if err := json.Unmarshal(b.Bytes(), &got, json.MatchCaseInsensitiveNames(true)); err != nil || got.Said != said || got.Raw.A != "\u009b" {
			t.Errorf("%q became %+v, %v", said, got, err)
		}
	})
}
