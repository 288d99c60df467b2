package coder

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// maxStored bounds how many sessions can be loaded, listed and forked (F173). Those that were used longest ago go first, but
// none that is open: it takes prompts, so it has to be there to be loaded when it is closed.
const maxStored = 256

// A recent has the sessions of this process. They are gone with the process. Those that are kept in a store as well are
// here only while they are open.
type recent struct {
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
func (s *recent) put(from *agent.Session, state *session, title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.sessions = map[acp.SessionID]*stored{}
	}
	s.sessions[from.ID()] = &stored{state, from, title, time.Now()}
	for len(s.sessions) > maxStored {
		oldest, ok := s.oldestLocked(from.ID())
		if !ok {
			return // as many as are open, which the connection has to keep anyway
		}
		delete(s.sessions, oldest)
	}
}

// oldestLocked returns the session that was used longest ago and is neither open nor about to be.
func (s *recent) oldestLocked(opening acp.SessionID) (oldest acp.SessionID, ok bool) {
	for id, kept := range s.sessions {
		if id == opening || ok && !kept.updated.Before(s.sessions[oldest].updated) || isOpen(kept.from) {
			continue
		}
		oldest, ok = id, true
	}
	return oldest, ok
}

// isOpen reports whether a session can still be used by its client.
func isOpen(s *agent.Session) bool {
	select {
	case <-s.Conn().Done():
		return false
	default:
		return s.Conn().Session(s.ID()) == s
	}
}

// get returns a session as it was put last.
func (s *recent) get(id acp.SessionID) (stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.sessions[id]
	if !ok {
		return stored{}, acp.ErrSessionNotFound(id)
	}
	return *kept, nil
}

// touch notes that a session is used, and what its first prompt says. It returns the title if that is new.
func (s *recent) touch(id acp.SessionID, prompt string) (title string) {
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

func (s *recent) remove(id acp.SessionID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, id)
}

// list describes the sessions of a working directory, or all if that is empty: the ones used last come first.
func (s *recent) list(cwd string) []acp.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*stored
	for _, kept := range s.sessions {
		if cwd == "" || cwd == kept.from.CWD() {
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
			SessionID: kept.from.ID(), CWD: kept.from.CWD(), AdditionalDirectories: kept.from.Roots()[1:],
			Title: kept.title, UpdatedAt: kept.updated.UTC().Format(time.RFC3339),
		}
	}
	return infos
}
