package acp

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// The codecs written by hand do what nearly every message needs and no more: members once, discriminator first, values
// of the right type. Whatever else a text holds makes them give up, and the reflective codec reads the message from the
// start; so every leniency, error and report has one home. Writing does the same with its errors.

// A lexer reads valid JSON text front to back, each byte once. Its methods read the value that comes next.
type lexer struct {
	text  []byte
	at    int
	alias bool // as in decoder
	odd   bool // something for the reflective codec; what has been read is worth nothing
}

// giveUp stops reading: there is nothing at the end of the text.
func (l *lexer) giveUp() {
	l.odd = true
	l.at = len(l.text)
}

// done reports whether all of the text has been read, and all was well.
func (l *lexer) done() bool { return !l.odd && l.peek() == 0 && l.at == len(l.text) }

// peek skips white space and returns the next byte, 0 at the end.
func (l *lexer) peek() byte {
	for l.at < len(l.text) {
		c := l.text[l.at]
		if c > ' ' {
			return c
		}
		l.at++
	}
	return 0
}

// open enters an object and returns the name of its first member, nil if it has none.
func (l *lexer) open() []byte {
	if l.peek() != '{' {
		l.giveUp()
		return nil
	}
	l.at++
	if l.peek() == '}' {
		l.at++
		return nil
	}
	return l.name()
}

// next steps from a value to the next member and returns its name, or leaves the object and returns nil.
func (l *lexer) next() []byte {
	switch l.peek() {
	case ',':
		l.at++
		return l.name()
	case '}':
		l.at++
	default:
		l.giveUp()
	}
	return nil
}

// name reads a member's name and colon.
func (l *lexer) name() []byte {
	if l.peek() != '"' {
		l.giveUp()
		return nil
	}
	name := l.plainText()
	if l.peek() != ':' {
		l.giveUp()
		return nil
	}
	l.at++
	return name
}

// plainText reads a short string, a name or a discriminator, as it stands. It gives up on escapes.
func (l *lexer) plainText() []byte {
	text := l.text[l.at+1:]
	for i, c := range text {
		switch c {
		case '"':
			l.at += i + 2
			return text[:i:i]
		case '\\':
			l.giveUp()
			return nil
		}
	}
	l.giveUp()
	return nil
}

// tag enters an object whose first member is the discriminator, and returns its value.
func (l *lexer) tag(discriminator string) []byte {
	if string(l.open()) != discriminator || l.peek() != '"' {
		l.giveUp()
		return nil
	}
	return l.plainText()
}

// openList enters an array and reports whether it has an element.
func (l *lexer) openList() bool {
	if l.peek() != '[' {
		l.giveUp()
		return false
	}
	l.at++
	if l.peek() == ']' {
		l.at++
		return false
	}
	return true
}

// nextItem steps to the next element of an array, or leaves it and reports false.
func (l *lexer) nextItem() bool {
	switch l.peek() {
	case ',':
		l.at++
		return true
	case ']':
		l.at++
	default:
		l.giveUp()
	}
	return false
}

// null skips the literal null, if it comes next.
func (l *lexer) null() bool {
	if l.peek() != 'n' {
		return false
	}
	l.at += len("null")
	return true
}

// string reads a string.
func (l *lexer) string() string {
	if l.peek() != '"' {
		l.giveUp()
		return ""
	}
	start := l.at + 1
	end, ascii := plainASCII(l.text, start)
	if !ascii {
		return l.anyString(l.at, end)
	}
	l.at = end + 1
	inside := l.text[start:end]
	if l.alias && len(inside) >= longText {
		return unsafe.String(&inside[0], len(inside))
	}
	return string(inside)
}

// anyString reads the string that starts at start, whatever is in it. The first thing that is no plain ASCII is at odd.
func (l *lexer) anyString(start, odd int) string {
	if l.alias && odd < len(l.text) && l.text[odd] != '\\' {
		end := rawjson.SkipValid(l.text, start)
		if literal := l.text[start:end]; len(literal) > longText+1 {
			if plain, ok := rawjson.Plain(literal); ok {
				l.at = end
				return unsafe.String(&plain[0], len(plain))
			}
		}
	}
	text, next := rawjson.ReadString(l.text, start)
	if next-start < 2 {
		l.giveUp()
		return ""
	}
	l.at = next
	return text
}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainASCII finds the quote that ends a string. If there is an escape or something that is not ASCII before it, it
// stops there and reports false.
func plainASCII(b []byte, i int) (end int, ok bool) {
	for len(b)-i >= 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote := x ^ '"'*lows
		backslash := x ^ '\\'*lows
		// A set high bit marks a hit; a borrow can only spoil bytes above the first true hit.
		if hit := (x | (quote-lows)&^quote | (backslash-lows)&^backslash) & highs; hit != 0 {
			i += bits.TrailingZeros64(hit) / 8
			return i, b[i] == '"'
		}
		i += 8
	}
	for ; i < len(b); i++ {
		if c := b[i]; c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return i, c == '"'
		}
	}
	return i, false
}

// optional reads the string of an optional member. An explicit "" is kept in unknown.
func (l *lexer) optional(name []byte, unknown *Unknown) string {
	if l.null() {
		return ""
	}
	s := l.string()
	if s == "" && !l.odd {
		unknown.set(string(name), []byte(`""`))
	}
	return s
}

// skip steps over a value and returns its text.
func (l *lexer) skip() []byte {
	l.peek()
	start := l.at
	if l.at = rawjson.SkipValid(l.text, start); l.at == start {
		l.giveUp()
		return nil
	}
	return l.text[start:l.at]
}

// raw keeps a value, unless it is null.
func (l *lexer) raw() Raw {
	if l.null() {
		return nil
	}
	return clone(l.skip())
}

// patchRaw keeps a value, be it null.
func (l *lexer) patchRaw() Optional[Raw] {
	if l.null() {
		return Null[Raw]()
	}
	return Some(clone(l.skip()))
}

// unknown keeps a member that has no field.
func (l *lexer) unknown(name []byte, unknown *Unknown) {
	if !utf8.Valid(name) {
		l.giveUp()
		return
	}
	unknown.set(string(name), clone(l.skip()))
}

// meta reads the member _meta.
func (l *lexer) meta() Meta {
	if l.null() {
		return nil
	}
	m := make(Meta)
	for name := l.open(); name != nil; name = l.next() {
		l.unknown(name, (*Unknown)(&m))
	}
	return m
}

// uint reads a whole number below 2 to the power of bits, written in digits only.
func (l *lexer) uint(bits int) uint64 {
	text := l.skip()
	if l.odd {
		return 0
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			l.giveUp()
			return 0
		}
	}
	n, err := parseUint(text, bits)
	if err != nil {
		l.giveUp()
	}
	return n
}

func (l *lexer) float() *float64 {
	text := l.skip()
	if l.odd {
		return nil
	}
	f, err := parseFloat(text)
	if err != nil {
		l.giveUp()
	}
	return &f
}

// A seen has a bit for each member of an object that has been read.
type seen uint32

// once notes a member and gives up if it was there before: of equal names the last one counts.
func (s *seen) once(l *lexer, bit seen) {
	if *s&bit != 0 {
		l.giveUp()
	}
	*s |= bit
}

// need gives up unless all members in required have been read.
func (s seen) need(l *lexer, required seen) {
	if s&required != required {
		l.giveUp()
	}
}
