package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// hasEscape reports whether the inside of a string literal needs work before it is a Go string.
func hasEscape(inside []byte) bool { return bytes.IndexByte(inside, '\\') >= 0 }

// IsString reports whether a valid value is a string literal.
func IsString(value []byte) bool { return len(value) >= 2 && value[0] == '"' }

// String returns the text of a string literal, quotes included in the argument, escapes resolved, and what is not
// UTF-8 or is half a surrogate pair replaced by U+FFFD. The literal must be valid.
func String(literal []byte) string { return unquote(literal[1 : len(literal)-1]) }

// Plain returns the inside of a string literal as it stands if it is the string's text already: no escapes and valid
// UTF-8. The result is part of the literal's memory.
func Plain(literal []byte) (text []byte, ok bool) {
	inside := literal[1 : len(literal)-1]
	return inside, !hasEscape(inside) && utf8.Valid(inside)
}

func unquote(inside []byte) string {
	valid := utf8.Valid(inside)
	if valid && !hasEscape(inside) {
		return string(inside)
	}
	text := Room(len(inside))
	if valid {
		text = text[:unescape(text[:len(inside)], inside)]
	} else {
		text = appendUnquoted(text, inside)
	}
	return unsafe.String(unsafe.SliceData(text), len(text)) // text is not used again; it may be many megabytes
}

// unescapes maps the character after a backslash to what the two stand for. The u is another matter.
var unescapes = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
	}
	table['b'], table['f'], table['n'], table['r'], table['t'] = '\b', '\f', '\n', '\r', '\t'
	return table
}()

// unescape writes the text of a literal's inside, which is UTF-8, to dst, which is as long, and returns the text's
// length. It moves eight bytes at a time and takes back what stands behind a backslash.
func unescape(dst, inside []byte) int {
	i, j := 0, 0
	for i < len(inside) {
		if len(inside)-i >= 8 {
			x := binary.LittleEndian.Uint64(inside[i:])
			binary.LittleEndian.PutUint64(dst[j:], x) // there is room: j <= i
			backslash := x ^ '\\'*lows
			hit := (backslash - lows) &^ backslash & highs
			if hit == 0 {
				i, j = i+8, j+8
				continue
			}
			n := bits.TrailingZeros64(hit) / 8
			i, j = i+n, j+n
		} else if inside[i] != '\\' {
			dst[j] = inside[i]
			i, j = i+1, j+1
			continue
		}
		if inside[i+1] == 'u' {
			r, rest := unquoteRune(inside[i:])
			i = len(inside) - len(rest)
			j += utf8.EncodeRune(dst[j:], r)
			continue
		}
		dst[j] = unescapes[inside[i+1]]
		i, j = i+2, j+1
	}
	return j
}

// appendUnquoted is unescape for an inside that is not all UTF-8.
func appendUnquoted(dst, inside []byte) []byte {
	for len(inside) > 0 {
		switch {
		case inside[0] != '\\':
			n := bytes.IndexByte(inside, '\\')
			if n < 0 {
				n = len(inside)
			}
			dst = appendValid(dst, inside[:n])
			inside = inside[n:]
		case inside[1] == 'u':
			var r rune
			r, inside = unquoteRune(inside)
			dst = utf8.AppendRune(dst, r)
		default:
			dst = append(dst, unescapes[inside[1]])
			inside = inside[2:]
		}
	}
	return dst
}

// unquoteRune reads one \u escape, or two that form a surrogate pair, and returns the rest.
func unquoteRune(b []byte) (rune, []byte) {
	r, _ := hex4(b[2:])
	b = b[6:]
	if !utf16.IsSurrogate(r) {
		return r, b
	}
	if len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
		low, _ := hex4(b[2:])
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, b[6:]
		}
	}
	return utf8.RuneError, b // half a pair
}

// appendValid appends text with each byte that is not UTF-8 replaced by U+FFFD.
func appendValid(dst, text []byte) []byte {
	if utf8.Valid(text) {
		return append(dst, text...)
	}
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		dst = utf8.AppendRune(dst, r)
		text = text[n:]
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a string literal. Bytes that are not UTF-8 become U+FFFD. U+2028 and U+2029 are escaped:
// they are legal in JSON, but some peers split lines at them.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	return appendString(dst, bytesOf(s))
}

// bytesOf returns the bytes of s, which must not be changed, without copying them.
func bytesOf[S ~string | ~[]byte](s S) []byte {
	// A string's header is the beginning of a slice's.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&s)), len(s))
}

func appendString(dst, s []byte) []byte {
	if len(s) >= longText && cap(dst)-len(dst) < len(s)+2 {
		// One step to the right size, rather than doubling through it; with room for what follows the text.
		dst = append(Room(len(dst)+len(s)+escapes(s)+longText/4), dst...)
	}
	return append(appendInside(append(dst, '"'), s), '"')
}

// appendInside appends what stands between the quotes.
func appendInside(dst, s []byte) []byte {
	i := 0
	for len(s)-i >= 8 {
		if cap(dst)-len(dst) < 16 {
			dst = slices.Grow(dst, len(s)-i+longText/4)
		}
		// Eight bytes at a time; what stands behind a special one is taken back.
		var n int
		i, n = appendPlain(dst[len(dst):cap(dst)], s, i)
		if dst = dst[:len(dst)+n]; len(s)-i >= 8 && cap(dst)-len(dst) >= 16 {
			dst, i = appendSpecial(dst, s, i)
		}
	}
	for i < len(s) {
		if c := s[i]; c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			dst = append(dst, c)
			i++
			continue
		}
		dst, i = appendSpecial(dst, s, i)
	}
	return dst
}

// appendPlain writes s from s[i] on to room, eight bytes at a time, with the short escapes among it. It stops at a
// character that needs more, or when less than eight bytes of s or sixteen of room are left, and returns where it is in s
// and how many bytes it wrote.
func appendPlain(room, s []byte, i int) (next, n int) {
	for len(s)-i >= 8 && len(room)-n >= 16 {
		x := binary.LittleEndian.Uint64(s[i:])
		binary.LittleEndian.PutUint64(room[n:], x)
		quote := x ^ '"'*lows
		backslash := x ^ '\\'*lows
		// As in skipText; here a byte that is not ASCII is a hit as well.
		hit := (x | (x - 0x20*lows) | ((quote - lows) &^ quote) | ((backslash - lows) &^ backslash)) & highs
		if hit == 0 {
			i, n = i+8, n+8
			continue
		}
		k := bits.TrailingZeros64(hit) / 8
		i, n = i+k, n+k
		short := shortEscapes[s[i]]
		if short == 0 {
			return i, n
		}
		room[n], room[n+1] = '\\', short
		i, n = i+1, n+2
	}
	return i, n
}

// shortEscapes maps a character to what stands behind the backslash in its escape of two characters; zero if it has none.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// appendSpecial appends the character at s[i], which can't stand as it is or is not ASCII, and returns where the next
// one begins.
func appendSpecial(dst, s []byte, i int) ([]byte, int) {
	if s[i] < utf8.RuneSelf {
		return appendEscape(dst, s[i]), i + 1
	}
	r, n := utf8.DecodeRune(s[i:])
	switch {
	case r == utf8.RuneError && n == 1:
		return append(dst, "\ufffd"...), i + 1
	case r == '\u2028' || r == '\u2029':
		return append(append(dst, `\u202`...), hexDigits[r&0xf]), i + n
	}
	return append(dst, s[i:i+n]...), i + n
}

const longText = 4 << 10

// escapes estimates by how many bytes escaping makes a long s longer, from its beginning.
func escapes(s []byte) int {
	sample := s[:longText]
	n := 0
	for _, c := range []string{"\n", `"`, `\`, "\t", "\r"} {
		n += bytes.Count(sample, []byte(c))
	}
	return n * (len(s) / longText) * 9 / 8
}

func appendEscape(dst []byte, c byte) []byte {
	if short := shortEscapes[c]; short != 0 {
		return append(dst, '\\', short)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// AppendValue appends a value that somebody else wrote, after checking it. Where it holds line breaks it is written
// without white space, so that a message always is one line. Its strings are treated as AppendString does, and half a
// surrogate pair becomes U+FFFD, so that strict readers take it too; other escapes and numbers stay as they are.
func AppendValue(dst, value []byte) ([]byte, error) {
	if err := Check(value); err != nil {
		return dst, err
	}
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 && isClean(value) {
		return append(dst, value...), nil
	}
	for i := 0; i < len(value); {
		switch value[i] {
		case ' ', '\n', '\r', '\t':
			i++
		case '"':
			end, err := skipString(value, i)
			if err != nil {
				return dst, err
			}
			if literal := value[i:end]; isClean(literal) {
				dst = append(dst, literal...)
			} else {
				dst = AppendString(dst, appendUnquoted(nil, literal[1:len(literal)-1]))
			}
			i = end
		default:
			dst = append(dst, value[i])
			i++
		}
	}
	return dst, nil
}

// isClean reports whether the strings in text are fit for everybody: valid UTF-8, without raw line separators, and
// without escaped surrogates, which may be half a pair.
func isClean(text []byte) bool {
	return utf8.Valid(text) && !bytes.Contains(text, []byte("\u2028")) && !bytes.Contains(text, []byte("\u2029")) &&
		!bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`))
}
