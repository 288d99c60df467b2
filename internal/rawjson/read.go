package rawjson

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// hugeText is the size in bytes from which on it is worth a try to read a string in one pass.
const hugeText = 256 << 10

// ReadString returns the text of the string literal that starts at b[i], as String does, and the index just past it. The
// text of b must be valid.
func ReadString(b []byte, i int) (text string, next int) {
	left := len(b) - i
	if left >= hugeText {
		// A message is huge because of one text. If this is it, looking for its end first would take as long as reading it.
		if near := b[:i+left/4]; SkipValid(near, i) == len(near) {
			if text, next, ok := readHuge(b, i); ok {
				return text, next
			}
		}
	}
	next = SkipValid(b, i)
	if next-i < 2 {
		return "", next
	}
	return String(b[i:next]), next
}

// readHuge reads the string literal at b[i], which is assumed to reach nearly to the end of b. It fails if the text is not
// all UTF-8.
func readHuge(b []byte, i int) (text string, next int, ok bool) {
	room := Room(len(b) - i)
	room = room[:cap(room)]
	n, end, ascii := unescapeHuge(room, b, i+1)
	if end == len(b) || !ascii && !utf8.Valid(b[i:end]) {
		return "", i, false
	}
	text = unsafe.String(unsafe.SliceData(room), n) // room is not used again
	if n < len(room)/2 {
		text = strings.Clone(text)
	}
	return text, end + 1, true
}

// unescapeToQuote writes the text of the string literal in which b[i] stands to dst, which has room for the rest of b, and
// returns the text's length and where the quote is that ends it. It is unescape for a literal whose end is not known.
func unescapeToQuote(dst, b []byte, i int) (n, end int, ascii bool) {
	var seen uint64
	for len(b)-i >= 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		binary.LittleEndian.PutUint64(dst[n:], x) // there is room: n < i
		seen |= x
		quote := x ^ '"'*lows
		backslash := x ^ '\\'*lows
		hit := ((quote-lows)&^quote | (backslash-lows)&^backslash) & highs
		if hit == 0 {
			i, n = i+8, n+8
			continue
		}
		k := bits.TrailingZeros64(hit) / 8
		i, n = i+k, n+k
		if b[i] == '"' {
			return n, i, seen&highs == 0
		}
		if i, n = unescapeOne(dst, b, i, n); i >= len(b) {
			return n, len(b), false
		}
	}
	for i < len(b) && b[i] != '"' {
		seen |= uint64(b[i])
		if b[i] == '\\' {
			i, n = unescapeOne(dst, b, i, n)
			continue
		}
		dst[n] = b[i]
		i, n = i+1, n+1
	}
	return n, min(i, len(b)), seen&highs == 0
}

// unescapeOne writes what the escape at b[i] stands for to dst[n:], and steps over both.
func unescapeOne(dst, b []byte, i, n int) (int, int) {
	if i+1 >= len(b) {
		return len(b), n
	}
	if b[i+1] != 'u' {
		dst[n] = unescapes[b[i+1]]
		return i + 2, n + 1
	}
	if len(b)-i < 6 {
		return len(b), n
	}
	r, rest := unquoteRune(b[i:])
	return len(b) - len(rest), n + utf8.EncodeRune(dst[n:], r)
}
