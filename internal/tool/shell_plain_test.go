package tool

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Colours, titles, cursors and progress bars are no output for a model.
func TestPlainText(t *testing.T) {
	for text, want := range map[string]string{
		"plain\n\ttext äöü\n":                       "plain\n\ttext äöü\n",
		"\x1b[1;31mred\x1b[0m\x1b[K\n":              "red\n",
		"\x1b[38:2::1:2:3mcolon\x1b[m":              "colon",
		"\x1b]0;title\x07text":                      "text",
		"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\!": "link!",
		"\x1b]never ends\nnext":                     "\nnext",
		"\x1b(Bcharset\x1b7\x1b=":                   "charset",
		"\u009b1mold\u009b0m":                       "old",
		"cut off\x1b":                               "cut off",
		"windows\r\nlines\r\n":                      "windows\nlines\n",
		" 10%\r 50%\r100%\ndone\n":                  "100%\ndone\n",
		"waiting\r":                                 "waiting",
		"a\r\n\r\nb":                                "a\n\nb",
		"bo\boold\b\b\bwl":                          "bowl",
		"\b\bx":                                     "x",
		"bell\x07 zero\x00 del\x7f":                 "bell zero del",
	} {
		if got := plainText(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Whatever a command writes, the rest has no control characters, and plain text stays as it is.
func TestPlainTextIsPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("\x1b[]0;m\\\a\b\r\nK ä\u009b"))).Draw(t, "text")
		got := plainText(text)
		if strings.IndexFunc(got, isControl) >= 0 || !utf8.ValidString(got) {
			t.Fatalf("%q: got %q", text, got)
		}
		if again := plainText(got); again != got {
			t.Fatalf("%q: got %q at first and %q then", text, got, again)
		}
	})
}

// The end of a text begins with a line, or with a character.
func TestTail(t *testing.T) {
	for _, c := range []struct {
		text, want string
		n          int
	}{
		{"short", "short", 5}, {"one\ntwo\nthree\n", "three\n", 9}, {"one\ntwo\n", "two\n", 5}, {"äöü", "ü", 3}, {"abcdef\n", "def\n", 4}, {"x", "", 0},
	} {
		if got := tail(c.text, c.n); got != c.want {
			t.Errorf("the last %d of %q: got %q, want %q", c.n, c.text, got, c.want)
		}
	}
}
