package coder

import (
	"sync"

	"github.com/patchbay-dev/patchbay/agent"
)

// A background sees to it that what runs besides turns ends with the connections.
type background struct {
	all sync.WaitGroup // of its goroutines

	mu     sync.Mutex
	closed bool
}

// endWith has what a session has in the background end with a connection, if it hasn't been told so before, or with the one
// that the session is opened on then. The goroutine ends with that.
func (b *background) endWith(c *agent.Conn, s *session) {
	s.desk.bound.Do(func() {
		if !s.desk.move(c) || !b.begin(s.desk.closeAfter) {
			s.end()
		}
	})
}

// begin runs f on a goroutine that Close waits for. It reports false if Close was called.
func (b *background) begin(f func()) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.all.Go(f)
	}
	return !b.closed
}

// end ends what the session has in the background.
func (s *session) end() { s.desk.close() }

// Close waits until what sessions had in the background has ended, when all connections have. A process calls it before it
// exits: what it leaves running then, nobody will end.
func (c *Coder) Close() {
	c.background.mu.Lock()
	c.background.closed = true
	c.background.mu.Unlock()
	c.background.all.Wait()
}
