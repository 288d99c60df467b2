package client

import (
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
)

// A State accumulates a session from its updates: messages, tool calls, plans, commands, modes, options, usage, notices,
// compactions, subagents, and whatever else an agent sends, in the order in which it came. It understands every update
// of the protocol and keeps those that it does not know (S000.15, S004.8).
//
// The zero State is empty and ready for use. All methods may be called at any time by several goroutines; updates are
// expected from one, since their order counts. What the methods return never changes afterwards, so that it may be kept
// and walked while updates go on; it must not be changed by the caller. Reading costs little, however long the session
// is: a user interface may well read everything after each update, and can tell by comparing pointers what is new.
//
// Updates count whenever they come, during a turn, between turns, or after it: a tool may outlive its turn (F47).
//
// A session that is loaded again needs a new State, since its history is sent again.
//
// A State grows with the session: the content of all messages and tool calls, and each plan, notice and unknown update
// in the timeline. Trim forgets old entries.
type State struct {
	// NullClears says what null means in an update of a tool call. In version 1 of the protocol it is the same as
	// absent, in version 2 it clears the member. In all other updates that are patches null always clears. Set it
	// before the first update.
	NullClears bool

	mu       sync.Mutex
	revision uint64

	timeline vector[Entry]
	messages vector[*Message]
	calls    vector[*ToolCall]
	plans    []*Plan
	notices  vector[*Notice]
	unknown  vector[*acp.UnknownUpdate]

	compactions vector[*Compaction]
	exchanges   vector[*SessionMessage]
	subagents   subagents

	open        *message // that a chunk without an id goes on with
	echo        *echo    // of the last prompt
	dirty       []*message
	byMessageID map[messageKey]*message
	byCallID    map[acp.ToolCallID]place
	byCompact   map[acp.CompactionID]*compaction
	byExchange  map[acp.MessageID]*exchange

	commands []acp.AvailableCommand
	mode     acp.SessionModeID
	modes    []acp.SessionMode
	options  []acp.SessionConfigOption
	models   Models
	usage    *acp.UsageUpdate
	info     Info
}

// A place is where something stands: in the timeline, and in the list of its kind.
type place struct{ pos, own int }

// An Entry is something in the timeline of a session: *Message, *ToolCall, *Plan, *Notice, *Compaction, *ModeChange,
// *Subagent, *SessionMessage or *Unknown. What changes later stays where it first appeared, but a *Plan is one version
// of a plan: the next one is another entry.
type Entry interface{ entry() }

// A Notice is something that the agent told the user. It is no part of the conversation.
type Notice struct{ acp.Notice }

// A ModeChange is the mode that the session went into.
type ModeChange struct{ Mode acp.SessionModeID }

// An Unknown is an update of a type that this package does not know.
type Unknown struct{ Update *acp.UnknownUpdate }

func (*Notice) entry()     {}
func (*ModeChange) entry() {}
func (*Unknown) entry()    {}

// Apply takes an update. The State keeps parts of it, so that it must not be changed afterwards.
//
// The tool call of a permission request is an update, too: some agents announce a call in no other way.
func (s *State) Apply(u acp.SessionUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.apply(u) {
		s.revision++
	}
}

// apply reports whether it knows the type of the update, which is never nil.
func (s *State) apply(u acp.SessionUpdate) bool {
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		s.chunk(RoleUser, u.MessageID, u.Content, u.Meta, u.Unknown)
	case *acp.AgentMessageChunk:
		s.chunk(RoleAgent, u.MessageID, u.Content, u.Meta, u.Unknown)
	case *acp.AgentThoughtChunk:
		s.chunk(RoleThought, u.MessageID, u.Content, u.Meta, u.Unknown)
	case *acp.ToolCall:
		s.announce(u)
	case *acp.ToolCallUpdate:
		s.patchCall(u)
	case *acp.Plan:
		s.setPlan(&Plan{Content: &acp.PlanItems{Entries: u.Entries}, Meta: u.Meta, Unknown: u.Unknown})
	case *acp.PlanUpdate:
		s.setPlan(&Plan{ID: planID(u.Plan), Content: u.Plan, Meta: u.Meta, Unknown: u.Unknown})
	case *acp.PlanRemoved:
		s.removePlan(u)
	case *acp.CompactionUpdate:
		s.patchCompaction(u)
	case *acp.CompactionSummaryChunk:
		s.chunkCompaction(u)
	case *acp.SubagentUpdate:
		s.patchSubagent(u)
	case *acp.SessionMessage:
		s.patchExchange(u)
	case *acp.SessionMessageChunk:
		s.chunkExchange(u)
	default:
		return s.applySetting(u)
	}
	return true
}

// applySetting takes the updates that say how the session is, rather than what happened in it.
func (s *State) applySetting(u acp.SessionUpdate) bool {
	switch u := u.(type) {
	case *acp.AvailableCommandsUpdate: // S004.9
		s.commands = u.AvailableCommands
	case *acp.CurrentModeUpdate:
		s.setMode(u.CurrentModeID)
	case *acp.ConfigOptionUpdate:
		s.options = u.ConfigOptions
	case *acp.SessionInfoUpdate:
		s.patchInfo(u)
	case *acp.UsageUpdate:
		s.usage = u
	case *acp.Notice:
		n := &Notice{*u}
		s.notices.append(n)
		s.timeline.append(n)
	case *acp.UnknownUpdate:
		s.unknown.append(u)
		s.timeline.append(&Unknown{u})
	default:
		return false
	}
	return true
}

// setMode notes a mode. Saying again that the session is in its mode is no change.
func (s *State) setMode(id acp.SessionModeID) {
	if s.mode == id {
		return
	}
	s.mode = id
	s.timeline.append(&ModeChange{id})
}

// Info is what a client shows about a session in a list.
type Info struct {
	// Title says what the session is about. Empty means that it has none.
	Title string

	// UpdatedAt is the time of the last activity, in ISO 8601. Empty means that it is not known.
	UpdatedAt string

	// Meta and Unknown have the further members of all updates, the last ones where several have the same.
	Meta    acp.Meta
	Unknown acp.Unknown
}

func (s *State) patchInfo(u *acp.SessionInfoUpdate) {
	patch(&s.info.Title, u.Title, true)
	patch(&s.info.UpdatedAt, u.UpdatedAt, true)
	s.info.Meta = merged(s.info.Meta, u.Meta)
	s.info.Unknown = merged(s.info.Unknown, u.Unknown)
}

// patch changes a member as a patch says. What is absent stays; null clears, or stays if it must not clear.
func patch[T any](member *T, change acp.Optional[T], clears bool) {
	if value, ok := change.Get(); ok {
		*member = value
		return
	}
	if change.IsNull() && clears {
		var zero T
		*member = zero
	}
}

// EndTurn says that a turn has ended: what the agent says next without an id is another message.
func (s *State) EndTurn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt()
}

// Trim forgets the oldest entries of the timeline so that at most keep are left, and the messages, tool calls, notices,
// compactions, unknown updates and messages between sessions among them with everything known about them. A later
// update of one that was forgotten begins it anew. Plans and subagents are forgotten in the timeline only; of subagents there are never very many.
func (s *State) Trim(keep int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	s.revision++
	for s.timeline.end-s.timeline.first > max(keep, 0) {
		s.forget(s.timeline.at(s.timeline.first))
		s.timeline.drop()
	}
}

// forget drops an entry, the oldest of its kind, from everything but the timeline.
func (s *State) forget(e Entry) {
	switch e := e.(type) {
	case *Message:
		delete(s.byMessageID, messageKey{e.Role, e.ID})
		s.forgetOpen(s.messages.first)
		s.messages.drop()
	case *ToolCall:
		delete(s.byCallID, e.ID)
		s.calls.drop()
	case *Notice:
		s.notices.drop()
	case *Compaction:
		delete(s.byCompact, e.ID)
		s.compactions.drop()
	case *SessionMessage:
		delete(s.byExchange, e.ID)
		s.exchanges.drop()
	case *Unknown:
		s.unknown.drop()
	}
}

// forgetOpen makes sure that nothing is added to a message that is gone.
func (s *State) forgetOpen(own int) {
	if s.open != nil && s.open.own == own {
		s.open = nil
	}
	if s.echo != nil && s.echo.message.own == own {
		s.echo = nil
	}
}
