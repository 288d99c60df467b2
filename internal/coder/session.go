package coder

import (
	"maps"
	"slices"
	"sync"

	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A session is what the agent knows about an agent.Session.
type session struct {
	local *tool.Local

	mu           sync.Mutex
	conversation []model.Message
	decided      map[string]bool // tool to whether it may always, or may never, be used in this session
}

func newSession(s *agent.Session) *session {
	return &session{local: tool.NewLocal(s.Cwd(), s.Roots()), decided: map[string]bool{}}
}

// messages returns the conversation so far.
func (s *session) messages() []model.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.conversation)
}

// remember adds a turn to the conversation. What is older than the model's context goes, whole turns at a time (F173).
func (s *session) remember(turn []model.Message, limit uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversation = trim(append(s.conversation, turn...), limit)
}

// trim drops the oldest turns of a conversation that is longer than limit tokens. The last turn stays, however long it is.
func trim(conversation []model.Message, limit uint64) []model.Message {
	var total uint64
	keep := 0
	for i, m := range slices.Backward(conversation) {
		total += m.Tokens()
		if !begins(m) {
			continue
		}
		if total > limit && keep > 0 {
			return slices.Clone(conversation[keep:])
		}
		keep = i
		if i == 0 {
			break
		}
	}
	return conversation
}

// begins reports whether a message begins a turn: it is the user's, and no result.
func begins(m model.Message) bool { return m.Role == model.RoleUser && len(m.Results) == 0 }

// decision returns what the user has decided about a tool for the whole session.
func (s *session) decision(name string) (allowed, decided bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	allowed, decided = s.decided[name]
	return allowed, decided
}

func (s *session) decide(name string, allowed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decided[name] = allowed
}

// decisions returns the tools that are always allowed, or always rejected, by name.
func (s *session) decisions(allowed bool) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.decided)) {
		if s.decided[name] == allowed {
			names = append(names, name)
		}
	}
	return names
}
