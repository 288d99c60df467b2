package terminal

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A buffer keeps the end of what is added to it (F106). It takes a quarter more memory than its limit says, so that it need
// not move what it keeps each time.
type buffer struct {
	limit int // bytes

	mu      sync.Mutex
	kept    []byte // the end of it all, of which at most limit are wanted
	dropped bool   // there was more before
	total   int64  // how much it was in all

	grown chan struct{} // add closes it when it adds something; nil if nobody waits for that
}

func (b *buffer) add(p []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kept = append(b.kept, p...)
	b.total += int64(len(p))
	if b.grown != nil && len(p) > 0 {
		close(b.grown)
		b.grown = nil
	}
	if slack := b.limit/4 + 32<<10; len(b.kept) > b.limit+slack {
		b.cut()
	}
}

// cut drops what is not wanted.
func (b *buffer) cut() {
	if extra := len(b.kept) - b.limit; extra > 0 {
		b.dropped = true
		b.kept = slices.Delete(b.kept, 0, extra)
	}
}

// settle frees the memory that is not needed when nothing more is added.
func (b *buffer) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut()
	b.kept = slices.Clone(b.kept)
}

// text returns what is kept as UTF-8, and whether there was more before. Until it is complete, the beginning of a character
// at its end is held back, as the rest of it may arrive.
func (b *buffer) text(complete bool) (text string, truncated bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut()
	raw := b.kept
	if b.dropped {
		raw = raw[tailOfRune(raw):]
	}
	if !complete {
		raw = raw[:len(raw)-headOfRune(raw)]
	}
	text = strings.ToValidUTF8(string(raw), "\uFFFD")
	if extra := len(text) - b.limit; extra > 0 { // a replacement may be longer than what it replaces
		return text[extra+tailOfRune([]byte(text[extra:min(extra+utf8.UTFMax, len(text))])):], true
	}
	return text, b.dropped
}

// tailOfRune returns how many bytes at the beginning of a text belong to a character that began before it.
func tailOfRune(text []byte) int {
	n := 0
	for n < len(text) && n < utf8.UTFMax-1 && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}

// headOfRune returns how many bytes at the end of a text belong to a character that goes on after it.
func headOfRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		last := text[len(text)-n:]
		if utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
