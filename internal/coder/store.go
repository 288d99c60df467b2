package coder

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// maxStored bounds how many sessions can be loaded, listed and forked (F173). Those that were used longest ago go first.
const maxStored = 256

// A store has the sessions of this process, open or closed. They are gone with the process.
type store struct {
	mu       sync.Mutex
	sessions map[acp.SessionID]*stored
}

// A stored is what is kept of a session.
type stored struct {
	state   *session
	from    *agent.Session // has the history
	title   string         // what the user said first
	updated time.Time
}

// put makes a session the one of its id.
func (s *store) put(from *agent.Session, state *session, title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.sessions = map[acp.SessionID]*stored{}
	}
	s.sessions[from.ID()] = &stored{state, from, title, time.Now()}
	if len(s.sessions) > maxStored {
		delete(s.sessions, s.oldestLocked())
	}
}

func (s *store) oldestLocked() (oldest acp.SessionID) {
	for id, kept := range s.sessions {
		if oldest == "" || kept.updated.Before(s.sessions[oldest].updated) {
			oldest = id
		}
	}
	return oldest
}

// get returns a session as it was put last.
func (s *store) get(id acp.SessionID) (stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.sessions[id]
	if !ok {
		return stored{}, acp.ErrSessionNotFound(id)
	}
	return *kept, nil
}

// touch notes that a session is used, and what its first prompt says. It returns the title if that is new.
func (s *store) touch(id acp.SessionID, prompt string) (title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.sessions[id]
	if !ok {
		return ""
	}
	kept.updated = time.Now()
	if kept.title != "" {
		return ""
	}
	kept.title = titleOf(prompt)
	return kept.title
}

func (s *store) remove(id acp.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, id)
}

// list describes the sessions of a working directory, or all if that is empty: the ones used last come first.
func (s *store) list(cwd string) []acp.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*stored
	for _, kept := range s.sessions {
		if cwd == "" || cwd == kept.from.Cwd() {
			all = append(all, kept)
		}
	}
	slices.SortFunc(all, func(a, b *stored) int {
		if c := b.updated.Compare(a.updated); c != 0 {
			return c
		}
		return strings.Compare(string(a.from.ID()), string(b.from.ID()))
	})
	infos := make([]acp.SessionInfo, len(all))
	for i, kept := range all {
		infos[i] = acp.SessionInfo{
			SessionID: kept.from.ID(), CWD: kept.from.Cwd(), AdditionalDirectories: kept.from.Roots()[1:],
			Title: kept.title, UpdatedAt: kept.updated.UTC().Format(time.RFC3339),
		}
	}
	return infos
}
