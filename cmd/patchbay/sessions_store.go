package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// A sessionStore is the store of the user's sessions, which is opened when the first session needs it.
type sessionStore struct {
	off  bool
	keep time.Duration // how long a session is kept that is not used; 0 if for ever

	mu    sync.Mutex // guards what follows
	open  *store.Store
	sweep sync.WaitGroup // of one goroutine
	stop  context.CancelFunc
}

// opener returns what opens the store; nil if sessions are not to be kept.
func (s *sessionStore) opener() func(context.Context) (*store.Store, error) {
	if s.off {
		return nil
	}
	return func(ctx context.Context) (*store.Store, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		dir, err := store.DefaultDir()
		if err == nil {
			s.open, err = store.Open(ctx, dir, store.Options{})
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "patchbay agent: sessions are not kept and end with this process: %s\n", clean(err.Error()))
			return nil, err
		}
		s.beginSweep()
		return s.open, nil
	}
}

// sweepTime bounds how long sessions are removed that were not used for long. The next process removes those that are left.
const sweepTime = time.Minute

// beginSweep removes what has not been used for long, besides all else: sessions don't wait for it, and those that are in use stay.
// Several processes may do so at once.
func (s *sessionStore) beginSweep() {
	ctx, stop := context.WithTimeout(context.Background(), sweepTime)
	s.stop = stop
	s.sweep.Go(func() {
		if _, err := s.open.Sweep(ctx, s.keep); err != nil && ctx.Err() == nil {
			fmt.Fprintf(os.Stderr, "patchbay agent: sessions that were not used for long can't be removed: %s\n", clean(err.Error()))
		}
	})
}

// close gives all sessions free.
func (s *sessionStore) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return
	}
	s.stop()
	s.sweep.Wait()
	if err := s.open.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "patchbay agent: the store of sessions can't be closed: %s\n", clean(err.Error()))
	}
}
