package transport

import (
	"bytes"
	"io"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// pipeBuffer is how many bytes of messages Pipe holds in each direction.
const pipeBuffer = 64 << 10

// Pipe returns two streams in memory, each of which reads what the other one writes: for tests and for a peer in the same
// process. Each direction holds 64 KiB of messages; a larger message passes when it is alone.
//
// Closing one side gives the other side what was written before and then io.EOF. Goroutines that wait here are blocked
// durably in the sense of testing/synctest.
func Pipe() (a, b jsonrpc.TryWriter) { return PipeSize(pipeBuffer) }

// PipeSize is Pipe with another number of bytes that each direction holds. With a small one, writers wait for readers.
func PipeSize(size int) (a, b jsonrpc.TryWriter) {
	there, back := newLane(size), newLane(size)
	return &pipeEnd{in: back, out: there}, &pipeEnd{in: there, out: back}
}

// A pipeEnd is one side of a pipe.
type pipeEnd struct {
	in, out *lane
	rest    [][]byte // copies of messages that TryWrite has left
}

func (e *pipeEnd) Read(limit int) ([]jsonrpc.Frame, error) { return e.in.read(limit) }

func (e *pipeEnd) Write(messages [][]byte) error {
	rest := e.rest
	e.rest = nil
	for _, m := range rest {
		if err := e.out.write(m); err != nil {
			return err
		}
	}
	for _, m := range messages {
		if err := e.out.write(bytes.Clone(m)); err != nil {
			return err
		}
	}
	return nil
}

func (e *pipeEnd) TryWrite(message []byte) (done bool, err error) {
	m := bytes.Clone(message)
	if len(e.rest) == 0 {
		if done, err = e.out.tryWrite(m); done || err != nil {
			return done, err
		}
	}
	e.rest = append(e.rest, m)
	return false, nil
}

func (e *pipeEnd) Close() error {
	e.out.hangUp()
	e.in.abandon()
	return nil
}

// A lane is one direction of a pipe.
type lane struct {
	mu      sync.Mutex
	changed sync.Cond // something below has changed; on mu
	size    int       // how many bytes the queue may hold, more only if it is one message
	held    int       // how many it holds
	queue   []jsonrpc.Frame
	hungUp  bool // the writer has closed its side
	gone    bool // the reader has closed its side

	spare []jsonrpc.Frame // what the last read returned; the reader's, to be the queue after the next one
}

func newLane(size int) *lane {
	l := &lane{size: size}
	l.changed.L = &l.mu
	return l
}

// read returns all messages that are waiting.
func (l *lane) read(limit int) ([]jsonrpc.Frame, error) {
	clear(l.spare)
	frames, err := l.take()
	if err != nil {
		return nil, err
	}
	for i := range frames {
		if data := frames[i].Data; limit > 0 && len(data) > limit {
			skim := rawjson.NewSkimmer("jsonrpc", "id", "method")
			_, _ = skim.Write(data)
			frames[i] = tooLarge(skim, int64(len(data)))
		}
	}
	l.spare = frames
	if cap(frames) > maxFrames {
		l.spare = nil
	}
	return frames, nil
}

func (l *lane) take() ([]jsonrpc.Frame, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.queue) == 0 && !l.hungUp && !l.gone {
		l.changed.Wait()
	}
	switch {
	case l.gone:
		return nil, io.ErrClosedPipe
	case len(l.queue) == 0:
		return nil, io.EOF
	}
	frames := l.queue
	l.queue, l.held = l.spare[:0], 0
	l.changed.Broadcast()
	return frames, nil
}

// write hands over a message, when there is room.
func (l *lane) write(m []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.put(m) {
		if l.hungUp || l.gone {
			return io.ErrClosedPipe
		}
		l.changed.Wait()
	}
	return nil
}

func (l *lane) tryWrite(m []byte) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hungUp || l.gone {
		return false, io.ErrClosedPipe
	}
	return l.put(m), nil
}

// put appends a message if there is room and someone to read it.
func (l *lane) put(m []byte) bool {
	if l.hungUp || l.gone || len(l.queue) > 0 && l.held+len(m) > l.size {
		return false
	}
	l.queue = append(l.queue, jsonrpc.Frame{Data: m})
	l.held += len(m)
	l.changed.Broadcast()
	return true
}

// hangUp ends the lane for its writer.
func (l *lane) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hungUp = true
	l.changed.Broadcast()
}

// abandon ends the lane for its reader.
func (l *lane) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone, l.queue, l.held = true, nil, 0
	l.changed.Broadcast()
}
