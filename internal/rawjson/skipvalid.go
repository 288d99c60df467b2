package rawjson

import "bytes"

// SkipValid is Skip for text that is known to be valid: it only looks for the end of the value, at the speed of memory
// in long strings. In text that is not valid the result means nothing, but it never is out of range.
func SkipValid(b []byte, i int) int {
	i = SkipSpace(b, i)
	if i == len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return skipValidString(b, i)
	case '{', '[':
		return skipValidContainer(b, i)
	}
	for i < len(b) && b[i] > ' ' && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

// skipValidString returns the index just past the string literal whose opening quote is b[i].
func skipValidString(b []byte, i int) int {
	i++
	for near := min(i+16, len(b)); i < near; i++ { // most strings are short
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			return skipEscapedString(b, i)
		}
	}
	return skipEscapedString(b, i)
}

// skipEscapedString returns the index just past the quote that ends the string literal in which b[i] stands, not behind
// a backslash.
func skipEscapedString(b []byte, i int) int {
	for start := i; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n
		slashes := 0
		for i-slashes > start && b[i-slashes-1] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
}

// skipValidContainer returns the index just past the array or object that starts at b[i]. Which bracket closes which is
// no question in valid text, so counting is enough.
func skipValidContainer(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = skipValidString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return i
}
