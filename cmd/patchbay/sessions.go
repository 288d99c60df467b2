package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// A sessionStore is the store of the user's sessions, which is opened when the first session needs it.
type sessionStore struct {
	off bool

	mu   sync.Mutex
	open *store.Store
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
		return s.open, nil
	}
}

// close gives all sessions free.
func (s *sessionStore) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		return
	}
	if err := s.open.Close(); err != nil {
		fmt.Fprintf(os.Stderr, "patchbay agent: the store of sessions can't be closed: %s\n", clean(err.Error()))
	}
}
