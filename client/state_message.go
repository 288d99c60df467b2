package client

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Role says whose message it is.
type Role string

// The roles.
const (
	RoleUser    Role = "user"    // what the user said
	RoleAgent   Role = "agent"   // what the agent says to the user
	RoleThought Role = "thought" // the agent's reasoning
)

// A Message is what one side said without interruption, as far as it has come. It never changes; when more of the
// message arrives, another Message takes its place in the State (S000.15).
type Message struct {
	Role Role

	// ID is what the agent calls the message. Empty means that it gives it no id.
	ID acp.MessageID

	// Sent is true for a prompt of this client's, false for what came from the agent.
	Sent bool

	Body

	// Meta and Unknown have the further members of all chunks. Where several chunks have the same, the last one counts.
	Meta    acp.Meta
	Unknown acp.Unknown
}

func (*Message) entry() {}

// A message is a Message that grows.
type message struct {
	role    Role
	id      acp.MessageID
	sent    bool
	body    *body
	meta    acp.Meta // replaced, never changed
	unknown acp.Unknown

	pos, own int // in the timeline and among the messages
	dirty    bool
}

type messageKey struct {
	role Role
	id   acp.MessageID
}

func (m *message) view() *Message {
	return &Message{Role: m.role, ID: m.id, Sent: m.sent, Body: m.body.view(), Meta: m.meta, Unknown: m.unknown}
}

// chunk takes a piece of a message.
//
// Chunks with the same id and role are one message, also when something else came between them. A chunk without an id
// goes on with the last message if that has the same role and no id either (agents with ids send warnings without one),
// and if nothing began since that interrupts it: a tool call, a compaction or a subagent, the end of a turn. Plans,
// notices and the rest don't interrupt.
func (s *State) chunk(role Role, id acp.MessageID, block acp.ContentBlock, meta acp.Meta, unknown acp.Unknown) {
	if role == RoleUser && s.echoed(id, block) {
		s.echo.message.annotate(s, meta, unknown)
		return
	}
	if role != RoleUser {
		s.echo = nil
	}
	m := s.messageFor(role, id)
	m.body.add(block)
	m.annotate(s, meta, unknown)
	s.open = m
}

func (s *State) messageFor(role Role, id acp.MessageID) *message {
	if id != "" {
		if m := s.byMessageID[messageKey{role, id}]; m != nil {
			return m
		}
		return s.newMessage(role, id)
	}
	if s.open != nil && s.open.role == role && s.open.id == "" {
		return s.open
	}
	return s.newMessage(role, "")
}

func (s *State) newMessage(role Role, id acp.MessageID) *message {
	m := &message{role: role, id: id, body: new(body)}
	m.pos = s.timeline.append(nil)
	m.own = s.messages.append(nil)
	s.nameMessage(m, id)
	m.touch(s)
	return m
}

func (s *State) nameMessage(m *message, id acp.MessageID) {
	if id == "" {
		return
	}
	m.id = id
	if s.byMessageID == nil {
		s.byMessageID = map[messageKey]*message{}
	}
	s.byMessageID[messageKey{m.role, id}] = m
}

// touch has the message shown anew to the next reader. Readers pay for it, not each chunk.
func (m *message) touch(s *State) {
	if !m.dirty {
		m.dirty = true
		s.dirty = append(s.dirty, m)
	}
}

func (m *message) annotate(s *State, meta acp.Meta, unknown acp.Unknown) {
	m.meta = merged(m.meta, meta)
	m.unknown = merged(m.unknown, unknown)
	m.touch(s)
}

// merged returns old with the members of more. Neither is changed.
func merged[M ~map[string]acp.Raw](old, more M) M {
	if len(more) == 0 {
		return old
	}
	if len(old) == 0 {
		return more
	}
	out := maps.Clone(old)
	maps.Copy(out, more)
	return out
}

// UserPrompt adds a prompt that this client sends, as a message of the user's with just these blocks. Call it before the
// prompt is sent. The blocks must not be changed afterwards.
//
// Some agents repeat the prompt in user_message_chunk updates. These become no second message: as long as nothing of the
// agent's own (a message, a thought, a tool call, a compaction, a subagent) has come after the prompt, chunks whose
// content is the prompt's next content are its echo. Their message id becomes the prompt's, and further chunks with this
// id are the echo too, whatever they say. A chunk that says something else is a message of somebody else's.
func (s *State) UserPrompt(blocks ...acp.ContentBlock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision++
	m := s.newMessage(RoleUser, "")
	m.sent = true
	m.body.addWhole(blocks)
	s.open = nil // a chunk of somebody else's is not part of it
	s.echo = &echo{message: m, want: slices.Clone(blocks)}
}

// An echo is what an agent has not repeated yet of a prompt.
type echo struct {
	message *message
	want    []acp.ContentBlock // what is to come
	skip    int                // how much of the first block's text has come, in bytes
	id      acp.MessageID
}

// echoed reports whether a chunk repeats the prompt.
func (s *State) echoed(id acp.MessageID, block acp.ContentBlock) bool {
	e := s.echo
	if e == nil {
		return false
	}
	if id != "" && id == e.id {
		e.consume(block)
		return true
	}
	if (e.id != "" && id != "") || !e.consume(block) {
		return false
	}
	if id != "" {
		e.id = id
		s.nameMessage(e.message, id)
	}
	return true
}

// consume takes the block off what is to come, if it is that.
func (e *echo) consume(block acp.ContentBlock) bool {
	text, ok := block.(*acp.TextContent)
	if !ok {
		if len(e.want) == 0 || !reflect.DeepEqual(e.want[0], block) {
			return false
		}
		e.want = e.want[1:]
		return true
	}
	want, skip, got := e.want, e.skip, text.Text
	for len(want) > 0 {
		next, ok := want[0].(*acp.TextContent)
		if !ok {
			break
		}
		rest := next.Text[skip:]
		if len(got) < len(rest) {
			if !strings.HasPrefix(rest, got) {
				return false
			}
			e.want, e.skip = want, skip+len(got)
			return true
		}
		if !strings.HasPrefix(got, rest) {
			return false
		}
		want, skip, got = want[1:], 0, got[len(rest):]
	}
	if got != "" || len(e.want) == 0 {
		return false
	}
	e.want, e.skip = want, 0
	return true
}

// interrupt makes the next chunk without an id begin a message.
func (s *State) interrupt() {
	s.open = nil
	s.echo = nil
}

// flush brings what readers see of messages up to date.
func (s *State) flush() {
	for _, m := range s.dirty {
		m.dirty = false
		v := m.view()
		s.timeline.set(m.pos, v)
		s.messages.set(m.own, v)
	}
	s.dirty = nil
}
