package transport

import (
	"errors"
	"sync/atomic"
)

// stdioTaken is set by the first call of Stdio.
var stdioTaken atomic.Bool

// ErrStdioTaken is the error of every call of Stdio but the first.
var ErrStdioTaken = errors.New("standard input and output already carry a protocol stream")

// Stdio returns the stream of an agent that talks to its client over standard input and output, and takes these away
// from everyone else, since a single stray line on them is what most often breaks an agent (F1, F3). From then on:
//
//   - What anything prints on standard output, by way of os.Stdout, of C code or in a child process, goes to standard
//     error.
//   - Standard input is empty, and children never share the protocol's (F108).
//
// Call it first thing in main, before anything prints, and once: the second call returns ErrStdioTaken. Close does not
// give the two descriptors back, it only ends the stream.
//
// Pipes and sockets are put in non-blocking mode, so that Close makes a blocked Read and Write return. That mode belongs
// to the pipe, not to the process: whoever shares this end of it sees it too. Close restores it; a program that ends by
// os.Exit should close the stream before. A pipe that is standard error as well stays as it is.
//
// With a terminal or a file in the place of the pipe everything works, except that Close does not interrupt a Write, and
// that a read of the terminal which Close has interrupted still swallows the next line that is typed.
//
// On Windows the two are exchanged in the process and for its children, but not for C code that has already asked for
// them.
func Stdio() (*ByteStream, error) {
	if !stdioTaken.CompareAndSwap(false, true) {
		return nil, ErrStdioTaken
	}
	return takeStdio()
}
