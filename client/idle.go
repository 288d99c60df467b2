package client

import (
	"fmt"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// watchIdle cancels the turn when nothing has crossed the wire for Options.IdleTimeout, while nothing is asked of this
// side and no tool runs (T5, F95, F96). The agent is killed later, by giveUp.
func (t *Turn) watchIdle() (stop func()) {
	c := t.session.client
	limit := c.opts.IdleTimeout
	if limit <= 0 {
		return func() {}
	}
	c.active.Store(time.Now().UnixNano())
	w := &idleWatch{turn: t}
	w.mu.Lock() // so that the first check finds the timer
	defer w.mu.Unlock()
	w.timer = time.AfterFunc(limit, w.check)
	return w.stop
}

type idleWatch struct {
	turn    *Turn
	mu      sync.Mutex
	timer   *time.Timer
	stopped bool
}

func (w *idleWatch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.timer.Stop()
}

func (w *idleWatch) check() {
	c := w.turn.session.client
	limit := c.opts.IdleTimeout
	w.mu.Lock()
	if w.stopped {
		w.mu.Unlock()
		return
	}
	rest := limit - time.Since(time.Unix(0, c.active.Load()))
	if c.asked.Load() > 0 || w.turn.session.root().tools.running() {
		rest = limit // what ends this pause is traffic
	}
	if rest > 0 {
		w.timer.Reset(rest)
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	w.turn.cancelInBackground(fmt.Errorf("%w: nothing for %v", ErrIdle, limit))
}

// tools are the tool calls of a session and its subagents that are running.
type tools struct {
	mu   sync.Mutex
	open map[toolKey]struct{}
}

type toolKey struct {
	session acp.SessionID
	call    acp.ToolCallID
}

// see notes what an update says about a tool call's status.
func (ts *tools) see(session acp.SessionID, u acp.SessionUpdate) {
	var id acp.ToolCallID
	var status acp.ToolCallStatus
	switch u := u.(type) {
	case *acp.ToolCall:
		id, status = u.ToolCallID, u.Status
	case *acp.ToolCallUpdate:
		id = u.ToolCallID
		status, _ = u.Status.Get()
	}
	if id == "" || status == "" {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if status != acp.ToolCallStatusInProgress {
		delete(ts.open, toolKey{session, id})
		return
	}
	if ts.open == nil {
		ts.open = map[toolKey]struct{}{}
	}
	ts.open[toolKey{session, id}] = struct{}{}
}

func (ts *tools) running() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return len(ts.open) > 0
}

// clear forgets the calls of an earlier turn that never reached an end.
func (ts *tools) clear() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	clear(ts.open)
}
