//go:build unix

package transport

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// maxLeftovers bounds what is read of a dead process's output after the time for it is over: as much as a pipe can hold
// and more than it does. A descendant that can't be found may fill the pipe for ever.
const maxLeftovers = 1 << 20

// An output is our end of a process's standard output. It is read by the stream, until the stream is closed; from then on
// by a goroutine of its own that throws everything away.
type output struct {
	file *os.File
	done chan struct{} // closed when the file has been

	reading sync.Mutex // held by whoever reads
	left    int        // how many bytes may be read after the time is over

	mu          sync.Mutex
	interrupted bool      // a Read is to end with jsonrpc.ErrInterrupted
	end         time.Time // when to stop waiting for more; zero while the process lives
	late        bool      // that time is over
	abandoned   bool      // the stream is closed
	draining    bool      // and has left
	closed      bool
}

func newOutput(f *os.File) *output {
	return &output{file: f, done: make(chan struct{}), left: maxLeftovers}
}

// Read reads for the stream.
func (o *output) Read(b []byte) (int, error) {
	o.reading.Lock()
	defer o.reading.Unlock()
	for {
		if late, err := o.state(); err != nil {
			return 0, err
		} else if late {
			break
		}
		n, err := o.file.Read(b)
		switch {
		case n > 0:
			return n, nil
		case !errors.Is(err, os.ErrDeadlineExceeded):
			if _, closed := o.state(); closed == nil {
				o.close()
				return 0, err
			}
		default:
			if err := o.timeout(); err != nil {
				return 0, err
			}
		}
	}
	n := o.leftovers(b)
	if n <= 0 {
		o.close()
		return 0, io.EOF
	}
	return n, nil
}

// state says whether Read may still wait, or is to return an error.
func (o *output) state() (late bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.abandoned {
		return false, io.ErrClosedPipe
	}
	return o.late, nil
}

// timeout finds out why the deadline was exceeded: the stream is closed, reading was interrupted, or the time is over.
func (o *output) timeout() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.abandoned:
		return io.ErrClosedPipe
	case o.interrupted:
		o.interrupted = false
		_ = o.file.SetReadDeadline(o.end)
		return jsonrpc.ErrInterrupted
	}
	o.late = true
	_ = o.file.SetReadDeadline(time.Time{})
	return nil
}

// interrupt makes a Read that waits return.
func (o *output) interrupt() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.abandoned && !o.late && !o.closed {
		o.interrupted = true
		_ = o.file.SetReadDeadline(past)
	}
}

// leftovers reads what is in the pipe without waiting for more. There may be some, since whoever reads messages may have
// paused longer than there was time.
func (o *output) leftovers(b []byte) (n int) {
	raw, err := o.file.SyscallConn()
	if err != nil || o.left <= 0 {
		return 0
	}
	_ = raw.Read(func(fd uintptr) bool {
		for {
			n, err = unix.Read(int(fd), b)
			if err != unix.EINTR {
				return true
			}
		}
	})
	o.left -= n
	return n
}

// expire ends the wait for more output at a time: the process is dead.
func (o *output) expire(end time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.end = end
	if !o.abandoned && !o.interrupted || o.draining {
		_ = o.file.SetReadDeadline(end)
	}
}

// abandon makes the stream's Read return and reads what else comes to nowhere, in a goroutine that ends with the output.
func (o *output) abandon() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.abandoned = true
	if !o.closed {
		_ = o.file.SetReadDeadline(past)
		go o.drain()
	}
}

func (o *output) drain() {
	o.reading.Lock() // the stream has left
	defer o.reading.Unlock()
	o.mu.Lock()
	o.draining = true
	if !o.closed {
		_ = o.file.SetReadDeadline(o.end)
	}
	o.mu.Unlock()
	_, _ = io.Copy(io.Discard, o.file)
	o.close()
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		o.closed = true
		_ = o.file.Close()
		close(o.done)
	}
}
