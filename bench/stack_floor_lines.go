package main

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

const lineBuffer = 64 << 10 // bytes, as much as a pipe holds

// A lineReader splits what it reads at newlines, as a framer does that has nothing else to do.
type lineReader struct {
	r       io.Reader
	buf     []byte
	start   int // of the bytes not yet returned
	end     int
	scanned int // up to here there is no newline
}

// next returns the next line with its newline. It holds until the next call.
func (l *lineReader) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.scanned+i+1]
			l.start += len(line)
			l.scanned = l.start
			return line, nil
		}
		l.scanned = l.end
		l.makeRoom()
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// makeRoom moves what is left to the front, or doubles the buffer if it is full. It keeps a grown buffer, so that the
// floor is about the pipe and not about page faults.
func (l *lineReader) makeRoom() {
	left := l.buf[l.start:l.end]
	switch {
	case l.buf == nil:
		l.buf = make([]byte, lineBuffer)
	case len(left) == len(l.buf):
		grown := make([]byte, 2*len(l.buf))
		copy(grown, left)
		l.buf = grown
	default:
		copy(l.buf, left)
	}
	l.scanned -= l.start
	l.start, l.end = 0, len(left)
}

// escaped remembers the last text and what it is in a line, so that escaping is not part of what is measured.
var escaped struct {
	sync.Mutex
	text, line string
}

var escaper = strings.NewReplacer("\n", `\n`, `"`, `\"`)

// escape returns a text as the other stacks put it on the wire, and as the floor hands it on, for it does not undo it.
// So commands and stats are left alone: the former have nothing to escape, the latter are told by their brace.
func escape(text string) string {
	if len(text) <= longestCommand || text[0] == '{' {
		return text
	}
	escaped.Lock()
	defer escaped.Unlock()
	if text != escaped.text {
		escaped.text = text
		escaped.line = escaper.Replace(text)
	}
	return escaped.line
}
