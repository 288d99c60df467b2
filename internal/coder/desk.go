package coder

import (
	"sync"

	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A desk is what a session has on it besides the conversation: its commands in the background, its MCP servers, what is
// temporary in its sandbox, and what it has read of files. It stays when a session that is open is opened once more.
type desk struct {
	local   *tool.Local // has all but the servers
	mcp     serving
	scratch scratch
	keep    *keeper       // keeps the session for other processes; nil if it is only in memory
	bound   sync.Once     // endWith has been called
	over    chan struct{} // closed with it

	mu     sync.Mutex // guards what follows
	conn   *agent.Conn
	closed bool
}

func newDesk(local *tool.Local, conn *agent.Conn) *desk {
	return &desk{local: local, conn: conn, over: make(chan struct{})}
}

// move has a desk end with another connection. It reports false if it has ended already.
func (d *desk) move(to *agent.Conn) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.conn = to
	}
	return !d.closed
}

// close ends the commands and the servers, with all that they started, and waits for that (F92).
func (d *desk) close() {
	d.mu.Lock()
	d.closeLocked()
	d.mu.Unlock()
	d.end()
}

// end ends the commands and gives the session free.
func (d *desk) end() {
	d.local.Close()
	d.mcp.close()
	d.scratch.close()
	if d.keep != nil {
		_ = d.keep.close() // if it fails, the lease ends with the store
	}
}

func (d *desk) closeLocked() {
	if !d.closed {
		d.closed = true
		close(d.over)
	}
}

// closeAfter waits until the connection that the desk is at has ended, or the session, and closes it. It may move meanwhile.
func (d *desk) closeAfter() {
	for {
		d.mu.Lock()
		conn := d.conn
		d.mu.Unlock()
		select {
		case <-conn.Done():
		case <-d.over:
		}
		d.mu.Lock()
		ends := d.closed || d.conn == conn
		if ends {
			d.closeLocked()
		}
		d.mu.Unlock()
		if ends {
			d.close() // it may be under way elsewhere, and is waited for
			return
		}
	}
}

// Background has the session's commands in the background.
func (e *env) Background() *tool.Background { return e.session.desk.local.Background() }

// Seen is what the session has read.
func (e *env) Seen() *tool.Seen { return e.session.desk.local.Seen() }
