package transport

import (
	"bytes"
	"io"
	"math"
	"sync"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// The sizes of a read buffer, in bytes. An idle stream holds a small one, since there may be thousands of them; one under
// load borrows a large one.
const (
	smallBuffer = 4 << 10
	largeBuffer = 32 << 10
)

// How long a slice of frames may be that is kept from one Read to the next, under load and else.
const (
	maxFrames = 1024
	fewFrames = 32
)

// noLimit stands for a limit that no message reaches, with room to count past it.
const noLimit = math.MaxInt - 16

// A page is a large buffer.
type page [largeBuffer]byte

// pages lends large buffers to splitters and gatherers.
var pages = sync.Pool{New: func() any { return new(page) }}

var byteOrderMark = []byte("\xEF\xBB\xBF")

// A splitter cuts a byte stream into messages: lines that end at 0x0A and nowhere else (W1, F9), and bodies after
// Content-Length headers. There is no limit on a line but the one that Read is given (W2, F16 to F19).
//
// A message that fits the read buffer is copied out of it once. The beginning of one that does not is moved to part,
// and this is the only way to it: what lies in the buffer is at most half a page, so the pieces in which bytes arrive never
// change what is found in them.
type splitter struct {
	r       io.Reader
	headers *atomic.Bool // set to the framing of the first message
	decided bool

	err      error // what ended the input
	finished bool  // and what came before it has been split

	buf        []byte // small, or *large
	small      []byte
	large      *page
	start, end int  // buf[start:end] has been read and not yet split
	seen       int  // bytes from start on that hold no newline
	last       int  // bytes that the last read brought
	filled     bool // and it could have brought more

	head header  // lines of a header block that is not complete
	body int64   // bytes of a Content-Length body that have not been split; 0 while lines are read
	part partial // the beginning of a message that has left the buffer

	frames []jsonrpc.Frame
}

// read returns the next messages.
func (s *splitter) read(limit int) ([]jsonrpc.Frame, error) {
	if limit <= 0 || limit > noLimit {
		limit = noLimit
	}
	// The frames of the last Read must not keep its messages alive while this one waits.
	clear(s.frames)
	s.frames = s.frames[:0]
	if cap(s.frames) > maxFrames {
		s.frames = nil
	}
	for {
		s.split(limit)
		if s.err != nil && !s.finished {
			s.finish(limit)
		}
		switch {
		case len(s.frames) > 0:
			return s.frames, nil
		case s.err != nil:
			return nil, s.err
		}
		if s.fill(limit) {
			return nil, jsonrpc.ErrInterrupted
		}
	}
}

// split cuts all complete messages out of the buffer.
func (s *splitter) split(limit int) {
	for s.start < s.end {
		rest := s.buf[s.start:s.end]
		if s.body > 0 {
			if int64(len(rest)) < s.body {
				return
			}
			n := int(s.body)
			s.start, s.body = s.start+n, 0
			s.message(rest[:n], true, limit)
			continue
		}
		n := bytes.IndexByte(rest[s.seen:], '\n')
		if n < 0 {
			s.seen = len(rest)
			return
		}
		n += s.seen
		s.start, s.seen = s.start+n+1, 0
		s.line(rest[:n], limit)
	}
}

// line judges a line, given without its newline.
func (s *splitter) line(b []byte, limit int) {
	if len(b) > 0 && b[0] == '{' && !s.part.open && len(s.head.text) == 0 {
		s.message(b, false, limit) // the usual case
		return
	}
	if s.part.open || len(b) > maxHeader {
		s.flushHeader(limit)
		s.message(b, false, limit)
		return
	}
	text := trimCR(bytes.TrimPrefix(b, byteOrderMark))
	if len(s.head.text) > 0 {
		switch s.head.add(text) {
		case headerMore:
			return
		case headerDone:
			s.beginBody(limit)
			return
		case headerBad:
			s.flushHeader(limit)
		}
	}
	if !s.head.begin(text) {
		s.message(b, false, limit)
	}
}

// beginBody takes what follows as the body that the headers announced.
func (s *splitter) beginBody(limit int) {
	if s.head.length < 0 {
		s.flushHeader(limit)
		return
	}
	s.body = s.head.length
	s.head.reset()
	if s.body > int64(limit)+int64(len(byteOrderMark)) {
		s.part.skip() // from its first byte on
	}
}

// flushHeader gives up on a header block: it is noise.
func (s *splitter) flushHeader(limit int) {
	if text := s.head.text; len(text) > 0 {
		s.emit(text[:len(text)-1], limit)
		s.head.reset()
	}
}

// message takes b as the rest of a message, which is mostly all of it.
func (s *splitter) message(b []byte, body bool, limit int) {
	if s.part.open {
		s.part.add(b, limit)
		s.decide(s.part.first, body)
		if f := s.part.end(!body, limit); f.TooLarge != nil || !isBlank(f.Data) {
			s.frames = append(s.frames, f)
		}
		return
	}
	b = bytes.TrimPrefix(b, byteOrderMark)
	if !body {
		b = trimCR(b)
	}
	if !s.decided {
		s.decide(firstByte(b), body)
	}
	s.emit(b, limit)
}

// decide notes how the first message is framed, once: "The reply framing follows the first message" (W1). What does not
// start like JSON is not a message.
func (s *splitter) decide(first byte, body bool) {
	if !s.decided && (first == '{' || first == '[') {
		s.decided = true
		s.headers.Store(body)
	}
}

// emit adds a frame with a copy of b, unless b is blank.
func (s *splitter) emit(b []byte, limit int) {
	if len(b) > limit {
		skim := rawjson.NewSkimmer("jsonrpc", "id", "method")
		_, _ = skim.Write(b)
		s.frames = append(s.frames, tooLarge(skim, int64(len(b))))
		return
	}
	if isBlank(b) {
		return
	}
	data := make([]byte, len(b))
	copy(data, b)
	s.frames = append(s.frames, jsonrpc.Frame{Data: data})
}

// finish splits what is left at the end of input: a line without a newline, or part of a body. Either is a frame, and it
// is up to the Conn what it is worth.
func (s *splitter) finish(limit int) {
	s.finished = true
	rest := s.buf[s.start:s.end]
	switch {
	case s.body > 0:
		s.body = 0
		s.message(rest, true, limit)
	case len(rest) > 0 || s.part.open:
		s.line(rest, limit)
	}
	s.flushHeader(limit)
	s.release()
}

// fill reads once, after making room.
func (s *splitter) fill(limit int) (interrupted bool) {
	if partial := s.buf[s.start:s.end]; len(partial) > largeBuffer/2 {
		s.part.add(partial, limit)
		if s.body > 0 {
			s.body -= int64(len(partial))
		}
		s.start, s.end, s.seen = 0, 0, 0
	}
	s.resize()
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		if err == jsonrpc.ErrInterrupted { // as it is, never wrapped, and with nothing read
			return true
		}
		s.last, s.filled = n, n == len(s.buf)-s.end
		s.end += n
		s.err = err
		if n > 0 || err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// resize chooses the buffer for the next read and moves what lies in it to its beginning.
func (s *splitter) resize() {
	partial := s.buf[s.start:s.end]
	switch {
	case s.buf == nil:
		s.small = make([]byte, smallBuffer)
		s.buf = s.small
	case s.large == nil && (s.filled || len(partial) > smallBuffer/2):
		s.large = pages.Get().(*page)
		s.buf = s.large[:]
	case s.large != nil && s.last <= smallBuffer && len(partial) <= smallBuffer/2:
		// The peer has slowed down.
		defer pages.Put(s.large)
		s.large, s.buf = nil, s.small
		if cap(s.frames) > fewFrames {
			s.frames = nil
		}
	case s.start == 0:
		return
	}
	s.start, s.end = 0, copy(s.buf, partial)
}

// release lets go of the buffers.
func (s *splitter) release() {
	if s.large != nil {
		pages.Put(s.large)
	}
	s.large, s.small, s.buf, s.start, s.end = nil, nil, nil, 0, 0
}

func trimCR(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return b[:n-1]
	}
	return b
}

// firstByte returns the first byte that is not white space, or 0.
func firstByte(b []byte) byte {
	if i := rawjson.SkipSpace(b, 0); i < len(b) {
		return b[i]
	}
	return 0
}

func isBlank(b []byte) bool { return rawjson.SkipSpace(b, 0) == len(b) }
