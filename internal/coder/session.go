package coder

import (
	"cmp"
	"slices"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/tool"
	"github.com/patchbay-dev/patchbay/policy"
)

// A session is what the agent knows about an agent.Session.
type session struct {
	id     acp.SessionID
	roots  []string       // the working directory first
	local  *tool.Local    // works in them
	config *config.Config // for the working directory
	desk   *desk
	grants *policy.Grants // the user's answers that last
	asides asides

	telling sync.Mutex // held while the client is told of commands; taken before mu

	mu           sync.Mutex
	settings     settings
	conversation []model.Message
	counted      count
	files        map[string]bool // instructions that the model has been told
	bill         bill
	commands     []command // of the project, the user and MCP servers, as the client knows them
	brood        *brood
	subagent     *subagent     // nil for a session that the user has opened
	turn         chan struct{} // closed when the turn that runs has ended; nil if none does
	moved        bool          // it goes on as another one
	servers      *servers      // of its client's; nil if there are none
}

// newSession returns a session with an empty conversation and what is configured for its folder. The note tells the user
// what nobody has chosen.
func (c *Coder) newSession(s *agent.Session) (state *session, note string, err error) {
	cfg, err := c.place(s)
	if err != nil {
		return nil, "", err
	}
	e, note, err := c.models.choose(cfg)
	if err != nil {
		return nil, "", c.refuse(s, err)
	}
	chosen, err := c.settingsOf(cfg, e)
	if err != nil {
		return nil, "", err
	}
	return newState(s, cfg, chosen), note, nil
}

// place looks at where a session is to work, and returns the configuration of its folder.
func (c *Coder) place(s *agent.Session) (*config.Config, error) {
	if err := checkFolders(s.Roots()); err != nil {
		return nil, err
	}
	if err := checkSystemPrompt(s.SystemPrompt()); err != nil {
		return nil, err
	}
	cfg, err := c.models.config(s.CWD())
	if err != nil {
		return nil, sessionError(err)
	}
	return cfg, nil
}

func newState(s *agent.Session, cfg *config.Config, chosen settings) *session {
	local := newLocal(s, cfg)
	return &session{
		id: s.ID(), roots: s.Roots(), local: local, config: cfg, desk: newDesk(local, s.Conn()), settings: chosen,
		grants: &policy.Grants{}, files: map[string]bool{}, brood: newBrood(),
	}
}

// chosen returns the settings as they are now. A subagent has its own model, and everything else from the user's session.
func (s *session) chosen() settings {
	s.mu.Lock()
	own := s.settings
	s.mu.Unlock()
	if s.subagent == nil {
		return own
	}
	now := s.user().chosen()
	now.engine, now.thinking, now.maxTokens = own.engine, own.thinking, own.maxTokens
	return now
}

// change changes the settings.
func (s *session) change(f func(*settings)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.settings)
}

// told notes that the model knows an instruction, and reports whether that is new.
func (s *session) told(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.files[path]
	s.files[path] = true
	return !known
}

// forgetFiles notes that the model knows no instructions beyond those that it is told anew in each turn.
func (s *session) forgetFiles() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = map[string]bool{}
}

// replace puts another conversation in the place of what was said.
func (s *session) replace(conversation []model.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conversation, s.counted = conversation, count{}
}

// A count is what a provider has counted of a conversation: so many tokens for the first so many messages.
type count struct {
	tokens   uint64
	messages int
	fixed    uint64 // what went with them, by our estimate; 0 if it isn't known any more
}

// state returns the conversation so far, and what of it was counted.
func (s *session) state() ([]model.Message, count) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.conversation), s.counted
}

// messages returns the conversation so far.
func (s *session) messages() []model.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.conversation)
}

// remember adds a turn to the conversation. What is older than the model's context goes, whole turns at a time (F173).
func (s *session) remember(turn []model.Message, counted count, limit uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append(s.conversation, turn...)
	s.conversation, s.counted = trim(all, limit), counted
	if len(s.conversation) < len(all) {
		s.counted = count{}
	}
}

// unknownWindow is how much is remembered for a model of which nobody knows how much it can hold, in tokens.
const unknownWindow = 1_000_000

// trim drops the oldest turns of a conversation that is longer than limit tokens. The last turn stays, however long it is.
func trim(conversation []model.Message, limit uint64) []model.Message {
	limit = cmp.Or(limit, unknownWindow)
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
