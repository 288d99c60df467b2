package coder

import (
	"errors"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// A scratch is a session's folder for what is temporary in its sandbox. It is made when it is needed first, and lasts until
// the session has ended and with it every command that uses it.
type scratch struct {
	mu     sync.Mutex
	dir    string // empty if there is none
	users  int
	closed bool
}

// use returns the folder, and what is to be called, once or more, when the caller needs it no longer.
func (s *scratch) use() (dir string, release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", nil, errors.New("the session has ended")
	}
	if s.dir == "" {
		if s.dir, err = sandbox.MakeTemp(); err != nil {
			return "", nil, err
		}
	}
	s.users++
	return s.dir, sync.OnceFunc(s.release), nil
}

func (s *scratch) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	s.removeUnused()
}

// close removes the folder as soon as nobody uses it.
func (s *scratch) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.removeUnused()
}

func (s *scratch) removeUnused() {
	if s.closed && s.users == 0 && s.dir != "" {
		_ = sandbox.RemoveTemp(s.dir) // what can't be removed is left to the system, as everything temporary is
		s.dir = ""
	}
}
