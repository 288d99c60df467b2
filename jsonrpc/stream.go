package jsonrpc

import (
	"errors"
	"iter"
)

// A Stream carries whole messages between two peers: the framed connection that a Conn runs on. Package transport has
// the ones that people use; anything that can tell one message from the next can be one.
//
// A Conn calls Read from one goroutine at a time and Write from one goroutine at a time, both at once, and Close from
// anywhere.
type Stream interface {
	// Read returns the messages that have arrived, at least one, in their order; it waits only if there is none. The
	// slice is the stream's and is overwritten by the next Read; the bytes in it are the caller's for good.
	//
	// A message larger than limit bytes is not kept: its frame has TooLarge set. Text that is no message is a frame all
	// the same: judging it is up to the Conn. At the end of input Read returns io.EOF, or an error that says why the
	// peer has gone; it returns what came before first.
	Read(limit int) ([]Frame, error)

	// Write writes messages, each as one frame, and returns when they are on their way. It may append to a message
	// within its capacity, and keeps none of them.
	Write(messages [][]byte) error

	// Close ends the stream and makes a blocked Read and Write return. Later calls do nothing.
	Close() error
}

// A TryWriter is a Stream that can write without waiting. It spares a message the hand-over to another goroutine.
type TryWriter interface {
	Stream

	// TryWrite writes as much of a message as goes without waiting. If done is false, the stream has kept a copy of the
	// rest, perhaps of all of it, and writes it first on the next Write, which may then be of no messages at all.
	// It is called as Write is: never while a Write is under way.
	TryWrite(message []byte) (done bool, err error)
}

// A PieceWriter is a Stream that can write a message before all of it is there.
type PieceWriter interface {
	Stream

	// WritePieces writes one message, as Write does. It keeps no piece beyond the next one.
	WritePieces(pieces iter.Seq[[]byte]) error
}

// An Outsider is a Stream that may lead out of this process, and whose Read can be interrupted. A Conn on it avoids
// handing messages from one goroutine to another: waking a thread costs as much as the pipe.
type Outsider interface {
	Stream

	// Outside reports whether messages come by way of the operating system. If not, Interrupt is not called.
	Outside() bool

	// Interrupt makes the Read that is under way, or else the next one that would wait, return ErrInterrupted soon, and
	// no other. It may come from anywhere, and must not wait itself.
	Interrupt()
}

// ErrInterrupted is the error of a Stream's Read after Interrupt. Nothing is lost, and Read may be called again.
var ErrInterrupted = errors.New("reading was interrupted")

// A Frame is one incoming message, or what a stream found in the place of one.
type Frame struct {
	// Data is the message's text. It holds no more than the limit given to Read.
	Data []byte

	// TooLarge is set, and Data is not, for a message over the limit. The stream has skipped it.
	TooLarge *TooLarge
}

// TooLarge is what is known of a message that was skipped because of its size.
type TooLarge struct {
	Size    int64  // bytes that were skipped
	Version []byte // JSON text of the top-level member "jsonrpc", nil if there is none
	ID      []byte // of "id"
	Method  []byte // of "method"
}
