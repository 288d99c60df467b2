package transport

import (
	"io"
	"sync"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A pump makes a reader interruptible that is not: a terminal, or a pipe on Windows. It costs a hand-over between
// goroutines for each piece, so whatever can be interrupted itself goes without.
//
// Its goroutine belongs to the reader: it ends at the end of input, or after Close with the read that is blocked, and
// closes the reader then.
type pump struct {
	pieces chan []byte   // the goroutine closes it at the end of input
	closed chan struct{} // Close closes it
	done   chan struct{} // the goroutine closes it as its last act
	once   sync.Once     // for Close
	breaks chan struct{} // a token in it interrupts Read
	drain  bool          // read on after Close, to nowhere, so that the writer isn't blocked

	rest []byte // of the piece that Read is at
	err  error  // why input ended; set before pieces is closed
}

func newPump(r io.ReadCloser, drain bool) *pump {
	p := &pump{
		pieces: make(chan []byte),
		closed: make(chan struct{}),
		done:   make(chan struct{}),
		breaks: make(chan struct{}, 1),
		drain:  drain,
	}
	go p.run(r)
	return p
}

func (p *pump) run(r io.ReadCloser) {
	defer close(p.done)
	defer r.Close()
	// Two buffers are enough: the second one is full when Read has come back for it, and so has left the first.
	buffers := [2][]byte{make([]byte, smallBuffer), make([]byte, smallBuffer)}
	for i := 0; ; i ^= 1 {
		n, err := r.Read(buffers[i])
		if n > 0 {
			select {
			case p.pieces <- buffers[i][:n]:
			case <-p.closed:
			}
		}
		if err != nil {
			p.err = err
			close(p.pieces)
			return
		}
		if !p.drain && p.isClosed() {
			return
		}
	}
}

func (p *pump) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// Read returns what has been read, or io.ErrClosedPipe after Close.
func (p *pump) Read(b []byte) (int, error) {
	if p.isClosed() {
		return 0, io.ErrClosedPipe
	}
	if len(p.rest) == 0 {
		select {
		case piece, ok := <-p.pieces:
			if !ok {
				return 0, p.err
			}
			p.rest = piece
		case <-p.breaks:
			return 0, jsonrpc.ErrInterrupted
		case <-p.closed:
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// interrupt makes one Read return jsonrpc.ErrInterrupted.
func (p *pump) interrupt() {
	select {
	case p.breaks <- struct{}{}:
	default:
	}
}

// Close makes Read return. It does not wait for the goroutine.
func (p *pump) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
