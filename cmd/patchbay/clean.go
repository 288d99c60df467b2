package main

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cleaner removes from text what would do something to a terminal rather than show on it: escape sequences, also those
// that are cut across pieces, control characters, and the marks that make text run in another direction than it reads. An
// agent says what it likes, but it doesn't rewrite the user's screen. Line feeds and tabs stay.
type cleaner struct {
	state cleanState
	run   int // bytes that the current sequence has taken
}

type cleanState int

const (
	plain         cleanState = iota
	escape                   // after ESC
	sequence                 // after ESC [ until a letter
	message                  // after ESC ] and the like until BEL or ESC \
	messageEscape            // ESC within a message
)

// maxSequence is how much text a sequence takes, in bytes: an agent that never ends one hides no more than that.
const maxSequence = 256

// clean is a cleaner's work on a whole text.
func clean(text string) string { return new(cleaner).clean(text) }

// cleanLine is clean for what has to stay on one line.
func cleanLine(text string) string {
	return strings.Join(strings.Fields(clean(text)), " ")
}

// clean returns the next piece of a text without its control sequences.
func (c *cleaner) clean(text string) string {
	if c.state == plain && strings.IndexFunc(text, special) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if c.visible(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// special reports whether a character may not be shown as it is.
func special(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}

// visible takes a character, and reports whether it is to be shown.
func (c *cleaner) visible(r rune) bool {
	if c.state != plain {
		c.hidden(r)
		return false
	}
	switch r {
	case 0x1b:
		c.begin(escape)
	case 0x9b: // the same as ESC [, in one character
		c.begin(sequence)
	case 0x90, 0x98, 0x9d, 0x9e, 0x9f: // likewise
		c.begin(message)
	}
	return !special(r) || r == utf8.RuneError
}

func (c *cleaner) begin(s cleanState) { c.state, c.run = s, 0 }

// hidden takes a character of a sequence.
func (c *cleaner) hidden(r rune) {
	if c.run++; c.run > maxSequence {
		c.state = plain
		return
	}
	switch c.state {
	case escape:
		c.state = afterEscape(r)
	case sequence:
		if r >= 0x40 && r <= 0x7e || r == '\n' {
			c.state = plain
		}
	case message:
		switch r {
		case 0x07, 0x9c:
			c.state = plain
		case 0x1b:
			c.state = messageEscape
		}
	case messageEscape:
		c.state = plain
	}
}

// afterEscape returns what begins with ESC and a character.
func afterEscape(r rune) cleanState {
	switch {
	case r == '[':
		return sequence
	case strings.ContainsRune("]PX^_", r):
		return message
	case r >= 0x20 && r <= 0x2f: // one more character follows, as in ESC ( B
		return escape
	}
	return plain
}

// harmlessJSON returns JSON in which nothing does anything to a terminal: what it leaves as it is in strings, such as the controls that are one
// character, is escaped. It means the same.
func harmlessJSON(text []byte) []byte {
	bad := func(r rune) bool { return r >= 0x7f && special(r) } // those below are escaped in strings, and space between them
	if bytes.IndexFunc(text, bad) < 0 {
		return text
	}
	var b bytes.Buffer
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if bad(r) && !(r == utf8.RuneError && n > 1) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.Write(text[i : i+n])
		}
		i += n
	}
	return b.Bytes()
}
