package tool

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTitle bounds a job's title, in bytes.
const maxTitle = 1000

// OneLine makes of a text that a model wrote a line for people, of at most n bytes and an ellipsis: what is to be allowed
// must not look like something else. Characters that can't be seen, that turn the direction of what follows around, or
// that tell a terminal something are shown as what they are: \u202e, ␛. Line ends, tabs and spaces become single spaces.
func OneLine(text string, n int) string {
	blank := func(r rune) bool { return strings.ContainsRune(" \t\r\n", r) }
	return inLine(strings.Join(strings.FieldsFunc(text, blank), " "), n)
}

// inLine is OneLine where each space counts, and a line end is shown as one.
func inLine(text string, n int) string {
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		piece := seenAs(r, text[i:i+size])
		if b.Len()+len(piece) > n {
			return b.String() + "…"
		}
		b.WriteString(piece)
	}
	return b.String()
}

// Visible is like OneLine for a text of any length that keeps its lines and tabs.
func Visible(text string) string {
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		if r == '\n' || r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteString(seenAs(r, text[i:i+size]))
		}
	}
	return b.String()
}

// seenAs returns a character, the bytes of which are given too, as people can see it.
func seenAs(r rune, bytes string) string {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		return fmt.Sprintf(`\x%02x`, bytes[0])
	case r < ' ':
		return string('\u2400' + r) // as U+241B is a picture of ESC
	case r == 0x7f:
		return "\u2421"
	case unicode.IsGraphic(r) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return bytes
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// title is the path in a job's title. Of one that is very long, the end counts.
func (p Path) title() string {
	if len(p.Short) <= maxTitle/4 {
		return p.Short
	}
	end := p.Short[len(p.Short)-maxTitle/4:]
	for end != "" && !utf8.RuneStart(end[0]) {
		end = end[1:]
	}
	return "…" + end
}
