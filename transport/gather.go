package transport

import (
	"io"
	"iter"
	"slices"
	"strconv"
	"sync/atomic"
	"syscall"
)

// directSize is the length in bytes from which on a message is written from where it lies. Shorter ones are copied, so
// that many leave in one write.
const directSize = 8 << 10

// wideSize is the length in bytes from which on a pipe is made to hold more while the message is written.
const wideSize = 4 << 20

var newline = []byte{'\n'}

// A gatherer frames messages and writes them, few writes for many messages.
type gatherer struct {
	w       io.Writer
	raw     syscall.RawConn // nil if w can't be written without waiting
	headers *atomic.Bool    // frame with Content-Length headers
	rest    []byte          // what tryWrite has left
	err     error           // of an earlier write, for good

	attempt attempt
	width   width
}

// write writes what tryWrite has left and then the messages.
func (g *gatherer) write(messages [][]byte) error {
	if g.err == nil {
		g.err = g.writeAll(messages)
	}
	return g.err
}

func (g *gatherer) writeAll(messages [][]byte) error {
	g.width.narrow(g.raw)
	headers := g.headers.Load()
	if len(messages) == 1 && len(g.rest) == 0 && !headers && len(messages[0]) < cap(messages[0]) {
		return g.send(append(messages[0], '\n'))
	}
	p := pages.Get().(*page)
	defer pages.Put(p)
	rest := g.rest
	g.rest = nil
	buf, err := g.put(p[:0], rest)
	for _, m := range messages {
		if err != nil {
			return err
		}
		buf, err = g.putMessage(buf, m, headers)
	}
	if err == nil && len(buf) > 0 {
		err = g.send(buf)
	}
	return err
}

// writePieces writes what tryWrite has left and then a message, a piece at a time. Where a header says how long a message
// is, the pieces have to be put together first.
func (g *gatherer) writePieces(pieces iter.Seq[[]byte]) error {
	if g.headers.Load() {
		var whole []byte
		for piece := range pieces {
			whole = append(whole, piece...)
		}
		return g.write([][]byte{whole})
	}
	if err := g.write(nil); err != nil {
		return err
	}
	g.width.widen(g.raw)
	defer g.width.narrow(g.raw)
	for piece := range pieces {
		if g.err = g.send(piece); g.err != nil {
			return g.err
		}
	}
	g.err = g.send(newline)
	return g.err
}

// putMessage puts a message and what frames it.
func (g *gatherer) putMessage(buf, m []byte, headers bool) ([]byte, error) {
	if headers {
		var scratch [40]byte
		buf, err := g.put(buf, appendHeader(scratch[:0], len(m)))
		if err != nil {
			return buf, err
		}
		return g.put(buf, m)
	}
	if len(m) > directSize && len(m) < cap(m) {
		return g.put(buf, append(m, '\n'))
	}
	buf, err := g.put(buf, m)
	if err != nil {
		return buf, err
	}
	return g.put(buf, newline)
}

// put adds b to what is gathered in buf. If it is large or there is no room, what has been gathered is written first.
func (g *gatherer) put(buf, b []byte) ([]byte, error) {
	direct := len(b) > directSize
	if len(buf) > 0 && (direct || len(b) > cap(buf)-len(buf)) {
		if err := g.send(buf); err != nil {
			return buf, err
		}
		buf = buf[:0]
	}
	if direct {
		return buf, g.send(b)
	}
	return append(buf, b...), nil
}

func (g *gatherer) send(b []byte) error {
	if len(b) >= wideSize {
		g.width.widen(g.raw)
		defer g.width.narrow(g.raw)
	}
	n, err := g.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// tryWrite writes what goes without waiting and keeps the rest.
func (g *gatherer) tryWrite(m []byte) (done bool, err error) {
	if g.err != nil {
		return false, g.err
	}
	g.width.narrow(g.raw)
	headers := g.headers.Load()
	if !headers && len(m) < cap(m) {
		g.err = g.try(append(m, '\n'))
		return g.settled()
	}
	p := pages.Get().(*page)
	defer pages.Put(p)
	buf := p[:0]
	if headers {
		buf = appendHeader(buf, len(m))
	}
	large := len(m) > directSize
	if !large {
		buf = append(buf, m...)
		m = nil
	}
	if !headers && !large {
		buf = append(buf, '\n')
	}
	g.err = g.try(buf)
	if g.err == nil && large {
		g.err = g.try(m)
	}
	if g.err == nil && large && !headers {
		g.err = g.try(newline)
	}
	return g.settled()
}

// try writes b once without waiting, unless something waits to go first, and keeps the rest.
func (g *gatherer) try(b []byte) error {
	n := 0
	if g.raw != nil && len(g.rest) == 0 && len(b) > 0 {
		var err error
		if n, err = g.attempt.write(g.raw, b); err != nil {
			return err
		}
	}
	if n < len(b) {
		g.rest = append(slices.Grow(g.rest, len(b)-n+1), b[n:]...)
	}
	return nil
}

func (g *gatherer) settled() (done bool, err error) { return g.err == nil && len(g.rest) == 0, g.err }

// appendHeader appends the header block of a message of n bytes.
func appendHeader(dst []byte, n int) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, "\r\n\r\n"...)
}
