package transport

import (
	"bytes"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// The sizes of the chunks of a partial, in bytes. Chunks of the last size are mapped where possible.
const (
	minChunk    = 64 << 10
	maxChunk    = 1 << 20
	mappedChunk = 4 << 20
)

// A partial is the beginning of a message that is too long for the read buffer. It is kept in chunks that are joined
// once, when the message is complete: a buffer that doubles would hold, and copy, twice as much. Once the message is over
// the limit it is only skimmed (W2).
type partial struct {
	open   bool // there is such a message
	chunks []chunk
	size   int64 // bytes so far, kept or skimmed
	skim   *rawjson.Skimmer
	first  byte // the first byte that is not white space, if the first piece had one
	last   byte
}

type chunk struct {
	data    []byte
	mapping *mapping // that data lies in; nil for the heap
}

// add adds the next piece of the message.
func (p *partial) add(b []byte, limit int) {
	if p.size == 0 {
		b = bytes.TrimPrefix(b, byteOrderMark)
		p.first = firstByte(b)
	}
	p.open = true
	if len(b) == 0 {
		return
	}
	p.size += int64(len(b))
	p.last = b[len(b)-1]
	if p.size > int64(limit)+1 { // one more for the carriage return that may end a line
		p.skip()
	}
	if p.skim != nil {
		_, _ = p.skim.Write(b)
		return
	}
	p.keep(b)
}

func (p *partial) keep(b []byte) {
	for len(b) > 0 {
		n := len(p.chunks)
		if n == 0 || len(p.chunks[n-1].data) == cap(p.chunks[n-1].data) {
			p.chunks = append(p.chunks, newChunk(p.size))
			n++
		}
		c := &p.chunks[n-1]
		room := min(cap(c.data)-len(c.data), len(b))
		c.data = append(c.data, b[:room]...)
		b = b[room:]
	}
}

// newChunk returns a chunk for a message of which size bytes have come.
func newChunk(size int64) chunk {
	if size > mappedChunk {
		if m, b := newMapping(mappedChunk); m != nil {
			return chunk{b, m}
		}
	}
	return chunk{data: make([]byte, 0, min(max(int(size/4), minChunk), maxChunk))}
}

// skip stops keeping the message.
func (p *partial) skip() {
	if p.skim != nil {
		return
	}
	p.open = true
	p.skim = rawjson.NewSkimmer("jsonrpc", "id", "method")
	for _, c := range p.chunks {
		_, _ = p.skim.Write(c.data)
		c.mapping.free()
	}
	p.chunks = nil
}

// end returns the complete message and forgets it. If line is set, a carriage return at its end is not part of it.
func (p *partial) end(line bool, limit int) jsonrpc.Frame {
	if line && p.last == '\r' {
		p.size--
		if n := len(p.chunks); n > 0 {
			p.chunks[n-1].data = trimCR(p.chunks[n-1].data)
		}
	}
	if p.size > int64(limit) {
		p.skip()
	}
	skim, size, chunks := p.skim, p.size, p.chunks
	*p = partial{}
	if skim != nil {
		return tooLarge(skim, size)
	}
	return jsonrpc.Frame{Data: join(chunks, int(size))}
}

// join returns the bytes of chunks as one slice. The chunks are given back one by one, so that the message is never in
// memory twice.
func join(chunks []chunk, size int) []byte {
	data := rawjson.Room(size)
	for i, c := range chunks {
		data = append(data, c.data...)
		c.mapping.free()
		chunks[i] = chunk{}
	}
	return data
}

// tooLarge returns the frame for a message over the limit.
func tooLarge(skim *rawjson.Skimmer, size int64) jsonrpc.Frame {
	return jsonrpc.Frame{TooLarge: &jsonrpc.TooLarge{
		Size:    size,
		Version: skim.Get("jsonrpc"),
		ID:      skim.Get("id"),
		Method:  skim.Get("method"),
	}}
}
