package rawjson

import (
	"bytes"
	"sync"
	"sync/atomic"
)

// Checking and reading a text go from escape to escape, and each has to wait for the one before. Where a message is huge
// because of one text, its two halves are therefore looked at beside each other.

// parallelText is how long each half of a text is, in bytes, that is worth another processor. Only tests change it.
var parallelText = 4 << 20

// parallelPiece is how far the one at the second half goes, in bytes, before it looks whether it is still wanted.
const parallelPiece = 256 << 10

// skipHuge is skipInside for a literal with many megabytes behind it, not all of which need be the literal's.
func skipHuge(b []byte, i int) (int, error) {
	// The second half is worth a try once the text turns out to be a long one.
	i, err := skipSerially(b[:i+parallelText/8], i)
	if err != errTruncated {
		return i, err
	}
	half, ok := middle(b, i)
	if !ok {
		return skipSerially(b, i)
	}
	var second struct {
		end int
		err error
	}
	helper := assist(b, half, func(b []byte, from int) (int, bool) {
		second.end, second.err = skipSerially(b, from)
		return second.end, second.err != errTruncated
	})
	if i, err := skipSerially(b[:half], i); err != errTruncated {
		helper.dismiss()
		return i, err
	}
	helper.wait()
	return second.end, second.err
}

// unescapeHuge is unescapeToQuote for a text that is probably huge.
func unescapeHuge(dst, b []byte, i int) (n, end int, ascii bool) {
	half, ok := middle(b, i)
	if !ok {
		return unescapeToQuote(dst, b, i)
	}
	second := struct {
		n, end int
		ascii  bool
	}{ascii: true}
	helper := assist(b, half, func(b []byte, from int) (int, bool) {
		n, end, ascii := unescapeToQuote(dst[half-i+second.n:], b, from)
		second.n += n
		second.end = end
		second.ascii = second.ascii && ascii
		return end, end < len(b)
	})
	n, end, ascii = unescapeToQuote(dst, b[:half], i)
	if end < half {
		helper.dismiss()
		return n, end, ascii
	}
	helper.wait()
	n += copy(dst[n:], dst[half-i:half-i+second.n])
	return n, second.end, ascii && second.ascii
}

// middle returns the index that halves what is left of b behind i, or one near it, that cuts no escape of a string literal
// in two. It fails if the halves would not be worth the trouble.
func middle(b []byte, i int) (half int, ok bool) {
	half = i + (len(b)-i)/2
	if half-i < parallelText {
		return 0, false
	}
	half = boundary(b, half)
	return half, half < len(b)
}

// boundary returns an index soon after i that certainly stands at no place within an escape, nor between the two of a
// surrogate pair; or len(b), if there is none near.
func boundary(b []byte, i int) int {
	const longest = len(`\ud83d`)
	for end := min(i+parallelPiece, len(b)); i < end; i++ {
		if bytes.IndexByte(b[i-longest:i], '\\') < 0 {
			return i
		}
	}
	return len(b)
}

// A helper looks at the second half of a text.
type helper struct {
	dismissed atomic.Bool
	done      sync.WaitGroup
}

// assist starts a helper at b[i]. It calls look with more and more of b, each time with the index where the last call
// stopped, until that says that it has come to an end.
func assist(b []byte, i int, look func(b []byte, i int) (next int, ended bool)) *helper {
	h := &helper{}
	h.done.Go(func() {
		for part := i; part < len(b) && !h.dismissed.Load(); {
			var ended bool
			part = boundary(b, min(part+parallelPiece, len(b)))
			if i, ended = look(b[:part], i); ended {
				return
			}
		}
	})
	return h
}

// dismiss ends the helper, whose work is for nothing: the text ended in the first half. Its memory is nobody's business
// any more when this returns.
func (h *helper) dismiss() {
	h.dismissed.Store(true)
	h.done.Wait()
}

func (h *helper) wait() { h.done.Wait() }
