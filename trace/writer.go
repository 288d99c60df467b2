package trace

import (
	"bufio"
	"bytes"
	"io"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// DefaultBuffer is the default of Options.Buffer.
const DefaultBuffer = 64 << 20

// Options adjust a Writer. The zero value suits a client.
type Options struct {
	// Program is who writes the trace, with its version.
	Program string

	// Agent is set by the agent's side of a connection. Otherwise what goes out goes to the agent.
	Agent bool

	// Raw keeps credentials as they are; see the package's documentation of what is redacted otherwise.
	Raw bool

	// Buffer is how many bytes of frames wait to be written, at most. Default 64 MiB. A frame that is larger is kept if no
	// other one waits.
	Buffer int

	// OnError, if set, is told of the first error of the file, in a goroutine of the Writer. There is no second one.
	OnError func(error)
}

// A Writer writes a trace of one connection. Its Observe is an Observe of jsonrpc.Options, agent.Options and
// client.Options.
//
// Observe runs under the connection's lock, so that it only copies the frame; a goroutine, which Close ends, redacts it
// and writes it. A file that is slower than the connection does not hold it up: what exceeds Options.Buffer is left out,
// and the trace says how much. Nor does a file that fails: nothing is traced any more, OnError is told, and Close says
// why.
type Writer struct {
	opts Options
	out  *bufio.Writer
	wake chan struct{} // of capacity 1; closed by Close
	done chan struct{} // closed by the goroutine

	mu      sync.Mutex
	waiting []frame
	bytes   int   // of the frames that wait, and of those that are being written
	lost    int64 // frames left out since the last one that waits
	closed  bool
	failed  error
}

// A frame waits to be written.
type frame struct {
	time     time.Time
	dir      Direction
	data     []byte
	tooLarge *TooLarge
	lost     int64 // frames that were left out before it
}

// frameCost is what a waiting frame takes beside its data, in bytes, roughly.
const frameCost = 128

// NewWriter starts a trace. The first line is written at once, and flushed like all others as soon as nothing waits, so
// that a trace can be read while it grows and is whole but for the last moment if the program dies.
func NewWriter(w io.Writer, o Options) *Writer {
	if o.Buffer <= 0 {
		o.Buffer = DefaultBuffer
	}
	t := &Writer{opts: o, out: bufio.NewWriterSize(w, 64<<10), wake: make(chan struct{}, 1), done: make(chan struct{})}
	go t.run(time.Now())
	return t
}

// Observe adds a frame. It is safe for concurrent use and never waits for the file. After Close it does nothing.
func (t *Writer) Observe(tr jsonrpc.Traffic) {
	f := frame{time: time.Now(), dir: t.direction(tr.Outgoing)}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.failed != nil {
		return
	}
	cost := len(tr.Data) + frameCost
	if t.bytes > 0 && t.bytes+cost > t.opts.Buffer {
		t.lost++
		return
	}
	f.data = bytes.Clone(tr.Data)
	f.tooLarge = newTooLarge(tr.TooLarge)
	f.lost, t.lost = t.lost, 0
	t.waiting = append(t.waiting, f)
	t.bytes += cost
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

func (t *Writer) direction(outgoing bool) Direction {
	if outgoing != t.opts.Agent {
		return ToAgent
	}
	return ToClient
}

// Close writes what waits, and returns the first error of the trace, if there was any. It waits as long as the file
// takes. The file itself is the caller's to close. It may be called more than once.
func (t *Writer) Close() error {
	t.mu.Lock()
	if !t.closed {
		t.closed = true
		close(t.wake)
	}
	t.mu.Unlock()
	<-t.done
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed
}

// run writes frames until Close.
func (t *Writer) run(started time.Time) {
	defer close(t.done)
	var line []byte
	var batch []frame
	t.write(appendHeader(nil, started, &t.opts))
	t.flush()
	for open := true; open; {
		_, open = <-t.wake
		for batch = t.take(batch); len(batch) > 0; batch = t.take(batch) {
			for i := range batch {
				line = t.writeFrame(line[:0], &batch[i])
			}
		}
		t.flush()
	}
	if lost := t.lastLost(); lost > 0 {
		t.write(appendLost(line[:0], time.Now(), lost))
		t.flush()
	}
}

// maxLineKept is how large a line's buffer may be to be used again, in bytes.
const maxLineKept = 1 << 20

func (t *Writer) writeFrame(line []byte, f *frame) []byte {
	line = f.appendLines(line, !t.opts.Raw)
	t.write(line)
	t.mu.Lock()
	t.bytes -= len(f.data) + frameCost
	t.mu.Unlock()
	*f = frame{}
	if cap(line) > maxLineKept {
		return nil
	}
	return line
}

// take returns the frames that wait, and leaves the emptied batch in their place.
func (t *Writer) take(emptied []frame) []frame {
	t.mu.Lock()
	defer t.mu.Unlock()
	taken := t.waiting
	t.waiting = emptied[:0]
	return taken
}

func (t *Writer) lastLost() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lost
}

func (t *Writer) write(line []byte) {
	_, err := t.out.Write(line)
	t.check(err)
}

func (t *Writer) flush() { t.check(t.out.Flush()) }

// check keeps and reports the first error. A bufio.Writer returns it again and again.
func (t *Writer) check(err error) {
	if err == nil {
		return
	}
	t.mu.Lock()
	first := t.failed == nil
	if first {
		t.failed = err
	}
	t.mu.Unlock()
	if first && t.opts.OnError != nil {
		t.opts.OnError(err)
	}
}
