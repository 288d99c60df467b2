package transport

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// An interruptible is a reader that leads outside and whose Read returns jsonrpc.ErrInterrupted, once, after interrupt.
type interruptible interface {
	io.Reader
	interrupt()
}

// asInterruptible makes a reader interruptible, or returns nil if that can't be done.
func asInterruptible(r io.Reader) interruptible {
	switch r := r.(type) {
	case interruptible:
		return r
	case deadliner:
		if r.SetReadDeadline(time.Time{}) == nil { // files outside the poller refuse
			return &deadlineReader{r: r}
		}
	}
	return nil
}

// A deadliner is what pipes and network connections are. The deadline of the past ends a Read.
type deadliner interface {
	io.Reader
	SetReadDeadline(time.Time) error
}

var past = time.Unix(1, 0)

type deadlineReader struct {
	r deadliner

	mu          sync.Mutex
	interrupted bool // the deadline is past
}

func (d *deadlineReader) Read(b []byte) (int, error) {
	n, err := d.r.Read(b)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && d.resume() {
		return 0, jsonrpc.ErrInterrupted
	}
	return n, err
}

func (d *deadlineReader) resume() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.interrupted {
		return false
	}
	d.interrupted = false
	_ = d.r.SetReadDeadline(time.Time{})
	return true
}

func (d *deadlineReader) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.interrupted = true
	_ = d.r.SetReadDeadline(past)
}
