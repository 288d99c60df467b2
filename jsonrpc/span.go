package jsonrpc

import (
	"math"
	"sync/atomic"
)

// A span is the part of what a connection reads that lies between a request of its own and the answer. Both ends are
// numbers of messages, written by whoever sends the request and by the reader.
type span struct{ after, upTo atomic.Uint64 }

// open is the end of a span that is not known yet.
const open = math.MaxUint64

func (s *span) init() {
	s.after.Store(open)
	s.upTo.Store(open)
}

func (s *span) begin(last uint64) { s.after.Store(last) }

func (s *span) end(last uint64) { s.upTo.Store(last) }

// Covers reports whether a request or notification was read after this request had been handed to the writer and before
// its answer was read, in the order of the wire and whenever it is handled.
func (p *Pending) Covers(req *Request) bool {
	return req.arrival > p.call.span.after.Load() && req.arrival <= p.call.span.upTo.Load()
}

// Answered reports whether the answer has been read. Wait may still be waiting for the handling of what came before it.
func (p *Pending) Answered() bool { return p.call.span.upTo.Load() != open }
