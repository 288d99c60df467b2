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
	title   string         // what the user said first, or has called it
	own     bool           // the title is the user's
	used    bool           // there was a turn
	updated time.Time

	archived bool
	parent   acp.SessionID // that it works for; empty for the user's own
}

// put makes a session the one of its id. What the user has said about the one before counts for it.
func (s *recent) put(from *agent.Session, state *session, title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions == nil {
		s.sessions = map[acp.SessionID]*stored{}
	}
	next := &stored{state: state, from: from, title: title, used: hasTurns(from), updated: time.Now()}
	if parent := from.Parent(); parent != nil {
		next.parent, next.used = parent.ID(), true
	}
	before, ok := s.sessions[from.ID()]
	if ok {
		next.own, next.used, next.archived, next.updated = before.own, before.used || next.used, before.archived, before.updated
	}
	if ok && before.parent != "" { // a subagent's, which goes on or is opened to be looked at
		next.parent, next.title = before.parent, before.title
	}
	s.sessions[from.ID()] = next
	for len(s.sessions) > maxStored {
		oldest, ok := s.oldestLocked(from.ID())
		if !ok {
			return // as many as are open, which the connection has to keep anyway
		}
		delete(s.sessions, oldest)
	}
}

// hasTurns reports whether a session's history has a turn, as that of a fork has.
func hasTurns(s *agent.Session) bool {
	return slices.ContainsFunc(s.History(), func(t agent.HistoryTurn) bool { return t.Prompt != nil })
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
	kept.updated, kept.used = time.Now(), true
	if kept.title != "" {
		return ""
	}
	kept.title = titleOf(prompt)
	return kept.title
}

// remove removes a session, and those that work for it. It returns those that are open.
func (s *recent) remove(id acp.SessionID) (open []*agent.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.removeLocked(id, nil)
}

func (s *recent) removeLocked(id acp.SessionID, open []*agent.Session) []*agent.Session {
	if kept, ok := s.sessions[id]; ok && isOpen(kept.from) {
		open = append(open, kept.from)
	}
	delete(s.sessions, id)
	for child, kept := range s.sessions {
		if kept.parent == id {
			open = s.removeLocked(child, open)
		}
	}
	return open
}

// open returns the sessions that are open.
func (s *recent) open() (open []*agent.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kept := range s.sessions {
		if isOpen(kept.from) {
			open = append(open, kept.from)
		}
	}
	return open
}

// rename gives a session the user's own title.
func (s *recent) rename(id acp.SessionID, title string) (stored, error) {
	return s.change(id, func(kept *stored) { kept.title, kept.own = title, true })
}

// archive puts a session among the archived ones, or takes it out.
func (s *recent) archive(id acp.SessionID, archived bool) error {
	_, err := s.change(id, func(kept *stored) { kept.archived = archived })
	return err
}

func (s *recent) change(id acp.SessionID, f func(*stored)) (stored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.sessions[id]
	if !ok {
		return stored{}, acp.ErrSessionNotFound(id)
	}
	f(kept)
	return *kept, nil
}

// fits reports whether a request asks for a session: those without a turn are in no list, unless the user has named them.
func (kept *stored) fits(req *acp.ListSessionsRequest) bool {
	if req.CWD != "" && req.CWD != kept.from.CWD() || !kept.used && !kept.own || kept.parent != parentAsked(req) {
		return false
	}
	switch req.Archived {
	case acp.SessionArchiveFilterInclude:
		return true
	case acp.SessionArchiveFilterOnly:
		return kept.archived
	}
	return !kept.archived
}

// list describes the sessions that a request asks for: the ones used last come first.
func (s *recent) list(req *acp.ListSessionsRequest) []acp.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*stored
	for _, kept := range s.sessions {
		if kept.fits(req) {
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
		archived := kept.archived
		infos[i] = acp.SessionInfo{
			SessionID: kept.from.ID(), CWD: kept.from.CWD(), AdditionalDirectories: kept.from.Roots()[1:],
			Title: kept.title, UpdatedAt: kept.updated.UTC().Format(time.RFC3339), Archived: &archived,
			Meta: aboutChild(kept.from.ID(), kept.parent),
		}
	}
	return infos
}
