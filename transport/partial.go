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

// hugePartial is the size in bytes from which on a partial lies in one room, with space for hugeGrowth times as much.
const (
	hugePartial = 16 << 20
	hugeGrowth  = 4
)

// A partial is the beginning of a message that is too long for the read buffer. It is kept in chunks that are joined
// once, when the message is complete: a buffer that doubles would hold, and copy, twice as much. A huge one goes on in a
// room that will do for nearly all: memory that nobody has written to costs nothing. Once the message is over the limit it
// is only skimmed (W2).
type partial struct {
	open   bool // there is such a message
	chunks []chunk
	room   []byte // all of it, in the place of chunks
	size   int64  // bytes so far, kept or skimmed
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
	if p.size-int64(len(b)) >= hugePartial {
		p.keepHuge(b, limit)
		return
	}
	p.keep(b)
}

// keepHuge keeps a piece in the room.
func (p *partial) keepHuge(b []byte, limit int) {
	if len(p.room)+len(b) > cap(p.room) {
		room := rawjson.Room(int(min(int64(limit)+2, hugeGrowth*p.size))) // with what may stand at the end of a line
		room = append(room, p.room...)
		p.room = appendChunks(room, p.chunks)
		p.chunks = nil
	}
	p.room = append(p.room, b...)
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
	_, _ = p.skim.Write(p.room)
	p.chunks, p.room = nil, nil
}

// end returns the complete message and forgets it. If line is set, a carriage return at its end is not part of it.
func (p *partial) end(line bool, limit int) jsonrpc.Frame {
	if line && p.last == '\r' {
		p.size--
		if n := len(p.chunks); n > 0 {
			p.chunks[n-1].data = trimCR(p.chunks[n-1].data)
		}
		p.room = trimCR(p.room)
	}
	if p.size > int64(limit) {
		p.skip()
	}
	skim, size, chunks, room := p.skim, p.size, p.chunks, p.room
	*p = partial{}
	switch {
	case skim != nil:
		return tooLarge(skim, size)
	case room == nil:
		room = appendChunks(rawjson.Room(int(size)), chunks)
	case len(room) < cap(room)/2: // most of it would be held for nothing
		room = append(rawjson.Room(len(room)), room...)
	}
	return jsonrpc.Frame{Data: room[:len(room):len(room)]}
}

// appendChunks appends the bytes of chunks. The chunks are given back one by one, so that the message is never in memory
// twice.
func appendChunks(data []byte, chunks []chunk) []byte {
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
