package main

import (
	"strings"
	"testing"
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
