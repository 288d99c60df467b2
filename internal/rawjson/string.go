package rawjson

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
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
	return string(appendUnquoted(make([]byte, 0, len(inside)), inside))
}

func appendUnquoted(dst, inside []byte) []byte {
	for len(inside) > 0 {
		if inside[0] != '\\' {
			n := bytes.IndexByte(inside, '\\')
			if n < 0 {
				n = len(inside)
			}
			dst = appendValid(dst, inside[:n])
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
	if need := len(s) + 2; cap(dst)-len(dst) < need && need > 1024 {
		// One exact step for a long text, rather than doubling through it.
		grown := make([]byte, len(dst), len(dst)+need+need/64+256)
		copy(grown, dst)
		dst = grown
	}
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i += plainASCII(s, i)
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := decodeRune(s, i)
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
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), c)
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
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

// plainASCII returns how many bytes from s[i] on can be copied as they are, at least one.
func plainASCII[S ~string | ~[]byte](s S, i int) int {
	n := 1
	for i+n+8 <= len(s) {
		t := s[i+n:]
		x := uint64(t[0]) | uint64(t[1])<<8 | uint64(t[2])<<16 | uint64(t[3])<<24 |
			uint64(t[4])<<32 | uint64(t[5])<<40 | uint64(t[6])<<48 | uint64(t[7])<<56
		control := x - 0x20*lows
		quote := x ^ '"'*lows
		backslash := x ^ '\\'*lows
		if (control|x|(quote-lows)&^quote|(backslash-lows)&^backslash)&highs != 0 {
			break
		}
		n += 8
	}
	for i+n < len(s) {
		if c := s[i+n]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			break
		}
		n++
	}
	return n
}

func decodeRune[S ~string | ~[]byte](s S, i int) (rune, int) {
	var buf [utf8.UTFMax]byte
	n := copy(buf[:], s[i:])
	return utf8.DecodeRune(buf[:n])
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
