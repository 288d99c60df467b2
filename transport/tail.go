package transport

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// maxLine is the longest line that a tail reports in one piece, in bytes.
const maxLine = 8 << 10

// A tail keeps the end of a text and reports its lines on the way.
type tail struct {
	size int               // how many bytes to keep
	each func(line string) // gets each line; may be nil

	line []byte // the beginning of the next line

	mu   sync.Mutex
	ring []byte // grows up to size, then it is full and begins at next
	next int
}

// readFrom reads r to its end, or until it fails.
func (t *tail) readFrom(r io.Reader) {
	buf := make([]byte, smallBuffer)
	for {
		n, err := r.Read(buf)
		t.keep(buf[:n])
		if t.each != nil {
			t.report(buf[:n])
		}
		if err != nil {
			break
		}
	}
	if len(t.line) > 0 {
		t.each(string(t.line))
	}
}

func (t *tail) keep(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size <= 0 {
		return
	}
	b = b[max(len(b)-t.size, 0):]
	for len(b) > 0 {
		n := min(t.size-len(t.ring), len(b))
		if n > 0 {
			t.ring = append(t.ring, b[:n]...)
		} else {
			n = copy(t.ring[t.next:], b)
			t.next = (t.next + n) % t.size
		}
		b = b[n:]
	}
}

func (t *tail) report(b []byte) {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n')
		if n < 0 && len(t.line)+len(b) <= maxLine {
			t.line = append(t.line, b...)
			return
		}
		whole := n >= 0 && len(t.line)+n <= maxLine
		if !whole {
			n = min(maxLine-len(t.line), len(b))
		}
		line := append(t.line, b[:n]...)
		if b = b[n:]; whole {
			line, b = trimCR(line), b[1:]
		}
		t.each(string(line))
		t.line = t.line[:0]
	}
}

// text returns what is kept.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.ring[t.next:]) + string(t.ring[:t.next])
}

// lines returns the last lines, at most so many and so many bytes, without white space around them.
func (t *tail) lines(most, size int) string {
	text := t.text()
	cut := len(text) > size
	if cut {
		text = text[len(text)-size:]
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if cut && len(lines) > 1 {
		lines = lines[1:] // the first one has lost its beginning
	}
	lines = lines[max(len(lines)-most, 0):]
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, "\r")
	}
	return strings.Join(lines, "\n")
}
