package coder

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/agent"
)

// The folders of commands are looked at every so often while sessions are open, and again soon when one has changed: it is
// read when it has stayed the same in between, since an editor may not have finished. They are not watched by the system:
// most of the folders don't exist yet, so that all of a project's folders would have to be watched, which on some systems
// takes a descriptor for each file, and on others runs into limits. A look takes a few calls of the system (F172).
const (
	lookEvery = 2 * time.Second
	lookSoon  = 200 * time.Millisecond
)

// A watcher sees to it that the clients know which commands there are: one goroutine for each connection that has sessions.
type watcher struct {
	mu    sync.Mutex           // guards what follows
	conns map[*agent.Conn]bool // that are watched, and whether a session was opened since the last look
}

// watch has the commands of a connection's sessions watched, until it has none or ends.
func (c *Coder) watch(conn *agent.Conn) {
	w := &c.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, watched := w.conns[conn]; !watched {
		if !c.background.begin(func() { c.look(conn) }) {
			return
		}
	}
	if w.conns == nil {
		w.conns = map[*agent.Conn]bool{}
	}
	w.conns[conn] = true
}

// idle notes that a connection has no sessions, and reports whether it had none the last time either: one that is about to
// be opened is not known to the connection yet.
func (w *watcher) idle(conn *agent.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns[conn] {
		w.conns[conn] = false
		return false
	}
	delete(w.conns, conn)
	return true
}

// forget notes that a connection is not watched any more.
func (w *watcher) forget(conn *agent.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, conn)
}

// look looks at the commands of a connection's sessions, until it has none or ends.
func (c *Coder) look(conn *agent.Conn) {
	known := map[*agent.Session]string{} // what was seen the last time
	pending := map[*agent.Session]bool{} // what was seen then was new, and has not been read
	next := time.NewTimer(lookEvery)
	defer next.Stop()
	for {
		select {
		case <-conn.Done():
			c.watcher.forget(conn)
			return
		case <-next.C:
		}
		open := conn.Sessions()
		if len(open) == 0 && c.watcher.idle(conn) {
			return
		}
		seen, changed := map[*agent.Session]string{}, map[*agent.Session]bool{}
		for _, s := range open {
			state, ok := s.Value().(*session)
			if !ok {
				continue
			}
			seen[s] = commandPrint(s.CWD(), state.config.UserFile)
			before, looked := known[s]
			switch {
			case !looked || before != seen[s]:
				changed[s] = true
			case pending[s]:
				_ = c.refreshCommands(context.Background(), s, state, false) // fails only when the session is over
			}
		}
		known, pending = seen, changed
		next.Reset(lookEvery)
		if len(changed) > 0 {
			next.Reset(lookSoon)
		}
	}
}

// commandPrint is a text that changes whenever the files of commands do.
func commandPrint(cwd, userFile string) string {
	var b strings.Builder
	for _, source := range commandSources(cwd, userFile) {
		entries, err := os.ReadDir(source.folder)
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "%s\n", source.folder)
		for _, e := range entries[:min(len(entries), maxCommands)] {
			if info, err := os.Stat(filepath.Join(source.folder, e.Name())); err == nil { // a link may lead to another file
				fmt.Fprintf(&b, "%q %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}
