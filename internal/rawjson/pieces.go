package rawjson

import (
	"encoding/binary"
	"iter"
	"sync"
	"unicode/utf8"
)

// pieceSize is how much of a text StringPieces writes at a time, in bytes: a pipe holds as much, and the processor's cache
// holds it twice.
const pieceSize = 64 << 10

// StringPieces yields what AppendString would append for s, in pieces. Each piece is overwritten by the next.
func StringPieces(s string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		text := bytesOf(s)
		buf := make([]byte, 1, pieceSize+pieceSize/8)
		buf[0] = '"'
		for len(text) > 0 {
			n := pieceEnd(text)
			buf = appendInside(buf, text[:n])
			if text = text[n:]; len(text) == 0 {
				break
			}
			if !yield(buf) {
				return
			}
			buf = buf[:0]
		}
		yield(append(buf, '"'))
	}
}

// pieceEnd returns how much of text the next piece takes. No character is cut in two.
func pieceEnd(text []byte) int {
	if len(text) <= pieceSize {
		return len(text)
	}
	n := pieceSize
	for n > pieceSize-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// StringBound returns a number of bytes that AppendString does not exceed for s. For most texts it is within a third of
// the truth, and found at the speed of memory.
func StringBound(s string) int {
	special := 0
	if half := len(s) / 2; half >= parallelText {
		var other int
		var done sync.WaitGroup
		done.Go(func() { other = countSpecials(bytesOf(s[half:])) })
		special = countSpecials(bytesOf(s[:half]))
		done.Wait()
		special += other
	} else {
		special = countSpecials(bytesOf(s))
	}
	return len(s) + 2 + 5*special // the longest is \u001f
}

// countSpecials counts the bytes that can't stand as they are, or are not ASCII.
func countSpecials(b []byte) int {
	special := 0
	for len(b) >= 8 {
		words := min(len(b)/8, 255) // a byte counts no further
		special += specials(b[:8*words])
		b = b[8*words:]
	}
	for _, c := range b {
		if c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			special++
		}
	}
	return special
}

// specials is countSpecials for at most 255 words of eight bytes.
func specials(b []byte) int {
	var counts uint64 // one in each byte
	for ; len(b) >= 8; b = b[8:] {
		x := binary.LittleEndian.Uint64(b)
		low := x &^ highs
		// In each byte the high bit says whether it can stand as it is. No sum carries into the next byte.
		plain := ((low ^ '"'*lows) + ^uint64(highs)) & ((low ^ '\\'*lows) + ^uint64(highs)) & (low + 0x60*lows)
		counts += ((^plain | x) & highs) >> 7
	}
	const even = 0x00ff00ff00ff00ff
	pairs := counts&even + counts>>8&even
	return int(pairs * 0x0001000100010001 >> 48)
}
