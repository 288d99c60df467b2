package coder

import (
	"context"
	"fmt"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// The limits of subagents. Those of a subagent count for the session that the user has opened.
const (
	maxSubagentDepth = 2   // a subagent of a subagent has none of its own
	maxSubagents     = 100 // that a session starts
	maxAtWork        = 8   // at the same time
)

// A brood is how many subagents a session has.
type brood struct {
	slots chan struct{} // has one for each that is at work

	mu      sync.Mutex // guards what follows
	counted bool       // those of earlier processes are in started
	started int
}

func newBrood() *brood { return &brood{slots: make(chan struct{}, maxAtWork)} }

// begin waits until one more subagent can work. One that a subagent starts doesn't wait: it would wait for those that wait for
// it. End gives the place free.
func (b *brood) begin(ctx context.Context, depth int) (end func(), err error) {
	end = func() { <-b.slots }
	select {
	case b.slots <- struct{}{}:
		return end, nil
	default:
	}
	if depth > 1 {
		return nil, fmt.Errorf("%d subagents are at work, which is the most: do it yourself, or try again later", maxAtWork)
	}
	select {
	case b.slots <- struct{}{}:
		return end, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// count notes that one more is started. Those that an earlier process has started are in the store.
func (b *brood) count(ctx context.Context, k *keeper) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.counted && k != nil {
		page, err := k.store.List(ctx, store.Filter{Parent: k.lease.ID(), Archived: "include", Limit: maxSubagents})
		if err != nil {
			return fmt.Errorf("the subagents of the session can't be counted: %w", err)
		}
		b.started += len(page.Sessions)
	}
	b.counted = true
	if b.started >= maxSubagents {
		return fmt.Errorf("the session has had %d subagents, which is the most: do it yourself, or go on with one of them by its session_id", maxSubagents)
	}
	b.started++
	return nil
}
