package rawjson

import (
	"bytes"
	"encoding/binary"
	"math/bits"
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
	if !hasEscape(inside) && utf8.Valid(inside) {
		return string(inside)
	}
	text := appendUnquoted(make([]byte, 0, len(inside)), inside)
	return unsafe.String(unsafe.SliceData(text), len(text)) // text is not used again; it may be many megabytes
}

func appendUnquoted(dst, inside []byte) []byte {
	valid := utf8.Valid(inside)
	for len(inside) > 0 {
		if inside[0] != '\\' {
			n := bytes.IndexByte(inside, '\\')
			if n < 0 {
				n = len(inside)
			}
			if valid {
				dst = append(dst, inside[:n]...)
			} else {
				dst = appendValid(dst, inside[:n])
			}
			inside = inside[n:]
			continue
		}
		c := inside[1]
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			var r rune
			r, inside = unquoteRune(inside)
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
		inside = inside[2:]
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
		grown := make([]byte, len(dst), len(dst)+len(s)+escapes(s)+longText/4)
		copy(grown, dst)
		dst = grown
	}
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if i = skipPlainASCII(s, i); i == len(s) {
			break
		}
		c := s[i]
		if c < utf8.RuneSelf {
			dst = appendEscape(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRune(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[start:i]...), "\ufffd"...)
			start = i + n
		case r == '\u2028' || r == '\u2029':
			dst = append(append(dst, s[start:i]...), `\u202`...)
			dst = append(dst, hexDigits[r&0xf])
			start = i + n
		}
		i += n
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

const longText = 4 << 10

// escapes returns by how many bytes escaping makes s longer, not counting the rare ones.
func escapes(s []byte) int {
	n := 0
	for _, c := range []string{"\n", `"`, `\`, "\t", "\r"} {
		n += bytes.Count(s, []byte(c))
	}
	return n
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}

// skipPlainASCII returns the index of the first byte at or after i that AppendString can't copy as it is.
func skipPlainASCII(b []byte, i int) int {
	for len(b)-i >= 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		quote := x ^ '"'*lows
		backslash := x ^ '\\'*lows
		// As in skipPlain; here a byte that is not ASCII is a hit as well.
		if hit := (x | (x - 0x20*lows) | ((quote - lows) &^ quote) | ((backslash - lows) &^ backslash)) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
		i += 8
	}
	for i < len(b) && b[i] >= 0x20 && b[i] < utf8.RuneSelf && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
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
