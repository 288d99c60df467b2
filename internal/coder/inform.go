package coder

import (
	"context"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// maxUntold bounds how many notices wait for a session's next turn. The oldest go first.
const maxUntold = 16

// asides are what the user of a session is told that has nothing to do with a turn.
type asides struct {
	mu      sync.Mutex
	running bool         // a turn is
	untold  []acp.Notice // that wait for one
}

// inform tells the user something. A client that takes notices knows what to do with one at any time. Others get it as words
// of the agent's, and there are some who refuse those while no prompt is being answered: for them it waits until one is (F29).
func (s *session) inform(ctx context.Context, to *agent.Session, n acp.Notice) error {
	can := to.Conn().ClientCapabilities().Session
	if (can == nil || can.Notices == nil) && s.asides.keep(n) {
		return nil
	}
	return to.Notice(ctx, n)
}

// keep keeps a notice for the next turn, unless one runs.
func (a *asides) keep(n acp.Notice) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running {
		return false
	}
	a.untold = append(a.untold, n)
	a.untold = a.untold[max(0, len(a.untold)-maxUntold):]
	return true
}

// begin begins a turn with what has waited for it.
func (a *asides) begin(t *agent.Turn) error {
	a.mu.Lock()
	untold := a.untold
	a.running, a.untold = true, nil
	a.mu.Unlock()
	for _, n := range untold {
		if err := t.Notice(n); err != nil {
			return err
		}
	}
	return nil
}

// end ends a turn.
func (a *asides) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = false
}
