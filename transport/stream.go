package transport

import (
	"errors"
	"io"
	"iter"
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// Options are choices for a ByteStream. The zero value suits the Agent Client Protocol.
type Options struct {
	// ContentLength makes Write put a Content-Length header before each message, rather than a newline after it, until
	// the first message of the peer has shown which of the two the peer speaks (W1). It matters only to the side that
	// speaks first.
	ContentLength bool
}

// A ByteStream carries messages over a pair of byte streams, each message a line or a body after a Content-Length
// header. It is a jsonrpc.Stream; New, Stdio and Start make one.
type ByteStream struct {
	in      splitter
	out     gatherer
	headers atomic.Bool   // how Write frames messages: the splitter decides, the gatherer obeys
	outside interruptible // what is read, if it leads outside; otherwise nil

	closed  atomic.Bool
	once    sync.Once // for Close
	closers []func() error
	err     error // of Close
}

var (
	_ jsonrpc.TryWriter   = (*ByteStream)(nil)
	_ jsonrpc.PieceWriter = (*ByteStream)(nil)
	_ jsonrpc.Outsider    = (*ByteStream)(nil)
)

// New returns a stream that reads messages from r and writes messages to w. Close closes both, if they can be closed. The
// read deadline of r, if it has one, is the stream's from now on.
//
// Whether Close makes a blocked Read and Write return is up to r and w: network connections and the ends of os.Pipe do,
// a file in blocking mode does not. TryWrite needs a w that is a pipe or socket of this system in non-blocking mode (an
// *os.File, *net.TCPConn or *net.UnixConn, not on Windows); on others it leaves everything to the next Write.
func New(r io.Reader, w io.Writer, o Options) *ByteStream {
	s := &ByteStream{}
	s.outside = asInterruptible(r)
	s.in = splitter{r: r, headers: &s.headers}
	if s.outside != nil {
		s.in.r = s.outside
	}
	s.out = gatherer{w: w, headers: &s.headers}
	s.out.raw = rawConn(w)
	s.headers.Store(o.ContentLength)
	for _, end := range []any{w, r} {
		if c, ok := end.(io.Closer); ok {
			s.closers = append(s.closers, c.Close)
		}
	}
	return s
}

// Read returns the messages that have arrived. See jsonrpc.Stream. After Close it returns io.ErrClosedPipe. A limit of
// zero or less means that there is none.
func (s *ByteStream) Read(limit int) ([]jsonrpc.Frame, error) {
	frames, err := s.in.read(limit)
	return frames, s.explain(err)
}

// Write writes messages. See jsonrpc.Stream. An error is final, since part of a message may have gone: every later Write
// returns it too.
func (s *ByteStream) Write(messages [][]byte) error {
	if s.closed.Load() {
		return io.ErrClosedPipe
	}
	return s.explain(s.out.write(messages))
}

// WritePieces writes a message that comes in pieces. See jsonrpc.PieceWriter. An error is final, as Write's.
func (s *ByteStream) WritePieces(pieces iter.Seq[[]byte]) error {
	if s.closed.Load() {
		return io.ErrClosedPipe
	}
	return s.explain(s.out.writePieces(pieces))
}

// TryWrite writes what goes without waiting. See jsonrpc.TryWriter.
func (s *ByteStream) TryWrite(message []byte) (done bool, err error) {
	if s.closed.Load() {
		return false, io.ErrClosedPipe
	}
	done, err = s.out.tryWrite(message)
	return done, s.explain(err)
}

// Outside reports whether messages come from a pipe, a process or a network connection. See jsonrpc.Outsider.
func (s *ByteStream) Outside() bool { return s.outside != nil }

// Interrupt makes Read return jsonrpc.ErrInterrupted. See jsonrpc.Outsider.
func (s *ByteStream) Interrupt() {
	if s.outside != nil {
		s.outside.interrupt()
	}
}

// explain replaces the errors of files and connections that were closed under a Read or Write: there is one error for
// that, whatever the stream runs on.
func (s *ByteStream) explain(err error) error {
	if err != nil && s.closed.Load() {
		return io.ErrClosedPipe
	}
	return err
}

// Close closes the writer and the reader.
func (s *ByteStream) Close() error {
	s.once.Do(func() {
		s.closed.Store(true)
		for _, c := range s.closers {
			// When both ends are one connection it is closed twice.
			if err := c(); err != nil && !errors.Is(err, os.ErrClosed) && !errors.Is(err, net.ErrClosed) && s.err == nil {
				s.err = err
			}
		}
	})
	return s.err
}
