package rawjson

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
)

// MaxDepth is how deeply arrays and objects may nest. It is the limit of encoding/json and of
// github.com/go-json-experiment/json too, so what passes here decodes there.
const MaxDepth = 10000

// A SyntaxError says where text stopped being JSON.
type SyntaxError struct {
	Offset int    // in bytes from the start of the text
	Reason string // what was expected or found
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, e.Reason)
}

var errTruncated = errors.New("unexpected end of JSON text")

func syntaxError(at int, reason string) error { return &SyntaxError{Offset: at, Reason: reason} }

// Check reports why text is not exactly one JSON value with optional white space around it.
func Check(text []byte) error {
	end, err := Skip(text, 0)
	if err != nil {
		return err
	}
	if end = SkipSpace(text, end); end != len(text) {
		return syntaxError(end, "data after the value")
	}
	return nil
}

// SkipSpace returns the index of the first byte at or after i that is not JSON white space.
func SkipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// Skip checks the JSON value that starts at or after b[i], past white space, and returns the index just past it.
func Skip(b []byte, i int) (int, error) {
	i = SkipSpace(b, i)
	if i >= len(b) {
		return i, errTruncated
	}
	if b[i] == '{' || b[i] == '[' {
		return skipContainer(b, i)
	}
	return skipScalar(b, i)
}

func skipScalar(b []byte, i int) (int, error) {
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(b, i)
	case c == 't':
		return skipLiteral(b, i, "true")
	case c == 'f':
		return skipLiteral(b, i, "false")
	case c == 'n':
		return skipLiteral(b, i, "null")
	default:
		return i, syntaxError(i, "expected a value")
	}
}

func skipLiteral(b []byte, i int, word string) (int, error) {
	if len(b)-i < len(word) {
		return len(b), errTruncated
	}
	if string(b[i:i+len(word)]) != word {
		return i, syntaxError(i, "expected "+word)
	}
	return i + len(word), nil
}

func skipNumber(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return i, errTruncated
	case b[i] == '0':
		i++
	case '1' <= b[i] && b[i] <= '9':
		i = skipDigits(b, i)
	default:
		return i, syntaxError(i, "expected a digit")
	}
	if i < len(b) && b[i] == '.' {
		start := i + 1
		if i = skipDigits(b, start); i == start {
			return i, syntaxError(i, "expected a digit after the decimal point")
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		start := i
		if i = skipDigits(b, start); i == start {
			return i, syntaxError(i, "expected a digit in the exponent")
		}
	}
	return i, nil
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// skipString checks the string literal whose opening quote is b[i].
func skipString(b []byte, i int) (int, error) {
	i, err := skipInside(b, i+1)
	if err != nil {
		return i, err
	}
	return i + 1, nil
}

// skipInside checks the string literal in which b[i] stands, not within an escape, and returns the index of the quote that
// ends it. If b ends before that, the index is where to go on once there is more.
func skipInside(b []byte, i int) (int, error) {
	if len(b)-i >= 2*parallelText {
		return skipHuge(b, i)
	}
	return skipSerially(b, i)
}

// skipSerially is skipInside on one processor.
func skipSerially(b []byte, i int) (int, error) {
	for {
		i = skipText(b, i)
		if i >= len(b) {
			return i, errTruncated
		}
		switch c := b[i]; {
		case c == '"':
			return i, nil
		case c < 0x20:
			return i, syntaxError(i, "control character in a string")
		}
		// A backslash.
		if i+1 >= len(b) {
			return i, errTruncated
		}
		if isShortEscape[b[i+1]] {
			i += 2
			continue
		}
		if b[i+1] != 'u' {
			return i, syntaxError(i, "unknown escape")
		}
		if len(b)-i < 6 {
			return i, errTruncated
		}
		if _, ok := hex4(b[i+2:]); !ok {
			return i, syntaxError(i, "bad \\u escape")
		}
		i += 6
	}
}

// isShortEscape says which characters may follow a backslash, but for the u.
var isShortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

const (
	lows  = 0x0101010101010101
	highs = 0x8080808080808080
)

// skipText returns the index of the first byte at or after i that ends a string literal or needs a closer look: a quote, a
// control character, or a backslash; most short escapes it steps over. It looks at eight bytes at a time, since long texts
// spend their time here.
func skipText(b []byte, i int) int {
	for len(b)-i >= 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		control := x - 0x20*lows
		quote := x ^ '"'*lows
		backslash := x ^ '\\'*lows
		// A set high bit marks a hit; a borrow can only spoil bytes above the first true hit.
		hit := (control &^ x & highs) | ((quote - lows) &^ quote & highs) | ((backslash - lows) &^ backslash & highs)
		if hit == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(hit) / 8
		if b[i] != '\\' || i+1 == len(b) || !isShortEscape[b[i+1]] {
			return i
		}
		i += 2
	}
	for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// skipPlain returns the index of the first byte at or after i that is not plain text of a short string literal.
func skipPlain(b []byte, i int) int {
	for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

func hex4(b []byte) (rune, bool) {
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// nesting remembers for each open container whether it is an object: one bit a level, the first 256 without allocating.
type nesting struct {
	depth int
	first [4]uint64
	more  []uint64
}

func (n *nesting) push(object bool) {
	word := n.word(n.depth)
	*word &^= 1 << (n.depth % 64)
	if object {
		*word |= 1 << (n.depth % 64)
	}
	n.depth++
}

// inObject reports whether the innermost open container is an object.
func (n *nesting) inObject() bool {
	return *n.word(n.depth - 1)>>((n.depth-1)%64)&1 == 1
}

func (n *nesting) word(level int) *uint64 {
	i := level / 64
	if i < len(n.first) {
		return &n.first[i]
	}
	if i -= len(n.first); i == len(n.more) {
		n.more = append(n.more, 0)
	}
	return &n.more[i]
}

// skipContainer checks the array or object that starts at b[i]. It keeps its own stack: a peer chooses the depth.
func skipContainer(b []byte, i int) (int, error) {
	var open nesting
	var err error
	for {
		// b[i] opens a container.
		if open.depth == MaxDepth {
			return i, syntaxError(i, fmt.Sprintf("nested more than %d deep", MaxDepth))
		}
		object := b[i] == '{'
		open.push(object)
		i = SkipSpace(b, i+1)
		if i >= len(b) {
			return i, errTruncated
		}
		ended := object && b[i] == '}' || !object && b[i] == ']'
		if !ended && object {
			if i, err = skipName(b, i); err != nil {
				return i, err
			}
		}
		// Either b[i] closes the innermost container or a value starts there.
		for {
			if ended {
				i++
				if open.depth--; open.depth == 0 {
					return i, nil
				}
			} else {
				if b[i] == '{' || b[i] == '[' {
					break
				}
				if i, err = skipScalar(b, i); err != nil {
					return i, err
				}
			}
			if i, ended, err = skipSeparator(b, i, open.inObject()); err != nil {
				return i, err
			}
		}
	}
}

// skipSeparator steps from the end of an element to the next one, past its name in an object, or to the closing
// bracket.
func skipSeparator(b []byte, i int, object bool) (next int, ended bool, err error) {
	i = SkipSpace(b, i)
	if i >= len(b) {
		return i, false, errTruncated
	}
	switch c := b[i]; {
	case c == '}' && object, c == ']' && !object:
		return i, true, nil
	case c != ',':
		return i, false, syntaxError(i, "expected a comma or the end of the container")
	}
	i = SkipSpace(b, i+1)
	if i >= len(b) {
		return i, false, errTruncated
	}
	if object {
		i, err = skipName(b, i)
	}
	return i, false, err
}

// skipName steps over a member's name and colon and returns where its value starts.
func skipName(b []byte, i int) (int, error) {
	if b[i] != '"' {
		return i, syntaxError(i, "expected a member name")
	}
	i, err := skipString(b, i)
	if err != nil {
		return i, err
	}
	i = SkipSpace(b, i)
	if i >= len(b) {
		return i, errTruncated
	}
	if b[i] != ':' {
		return i, syntaxError(i, "expected a colon")
	}
	if i = SkipSpace(b, i+1); i >= len(b) {
		return i, errTruncated
	}
	return i, nil
}
