package terminal

import "strings"

// A Span is a part of a command's output.
type Span struct {
	// Text is the part, as UTF-8. Bytes that are not are replaced by U+FFFD.
	Text string

	// Next is where the next part begins, in bytes from the beginning of the output.
	Next int64

	// Missed says that something before the text is not kept any more.
	Missed bool
}

// Since returns the output from an offset on, in bytes from its beginning, as far as it is kept. Until the command has ended,
// the beginning of a character at the end is left to the next part.
func (t *Terminal) Since(offset int64) Span {
	select {
	case <-t.done:
		return t.output.since(offset, true)
	default:
		return t.output.since(offset, false)
	}
}

// Grown returns a channel that is closed when there is more output than the first offset bytes: at once if there is already.
func (t *Terminal) Grown(offset int64) <-chan struct{} { return t.output.grownBeyond(offset) }

// Abort is Kill without the grace, for what has to be over at once. It may follow Kill.
func (t *Terminal) Abort() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dead {
		return
	}
	t.killed = true
	t.family.Kill()
}

func (b *buffer) since(offset int64, complete bool) Span {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cut()
	begin := b.total - int64(len(b.kept))
	s := Span{Next: b.total, Missed: offset < begin}
	raw := b.kept[min(max(offset-begin, 0), int64(len(b.kept))):]
	if s.Missed {
		raw = raw[tailOfRune(raw):]
	}
	if !complete {
		held := headOfRune(raw)
		raw = raw[:len(raw)-held]
		s.Next -= int64(held)
	}
	s.Text = strings.ToValidUTF8(string(raw), "\uFFFD")
	return s
}

func (b *buffer) grownBeyond(offset int64) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.total > offset {
		now := make(chan struct{})
		close(now)
		return now
	}
	if b.grown == nil {
		b.grown = make(chan struct{})
	}
	return b.grown
}
