package client

import "github.com/patchbay-dev/patchbay/acp"

// A Compaction is how the agent shortened the session's context, as far as it has come. It never changes; another one
// takes its place in the State.
type Compaction struct {
	ID acp.CompactionID

	// Status is empty as long as only chunks of the summary have come.
	Status acp.CompactionStatus

	// Summary is for people.
	Summary Body

	// Error says why the compaction failed.
	Error string

	Meta    acp.Meta
	Unknown acp.Unknown
}

func (*Compaction) entry() {}

// A compaction is a Compaction that grows.
type compaction struct {
	place
	Compaction
	body *body
}

func (s *State) compaction(id acp.CompactionID) *compaction {
	if c := s.byCompact[id]; c != nil {
		return c
	}
	s.interrupt()
	if s.byCompact == nil {
		s.byCompact = map[acp.CompactionID]*compaction{}
	}
	c := &compaction{body: new(body), place: place{s.timeline.append(nil), s.compactions.append(nil)}}
	c.ID = id
	s.byCompact[id] = c
	return c
}

func (s *State) patchCompaction(u *acp.CompactionUpdate) {
	c := s.compaction(u.CompactionID)
	c.Status = or(u.Status, c.Status)
	patch(&c.Error, u.Error, true)
	patch(&c.Meta, u.Meta, true)
	c.Unknown = merged(c.Unknown, u.Unknown)
	c.body = c.body.patched(u.Summary)
	s.putCompaction(c)
}

func (s *State) chunkCompaction(u *acp.CompactionSummaryChunk) {
	c := s.compaction(u.CompactionID)
	c.body.add(u.Content)
	c.Meta = merged(c.Meta, u.Meta)
	c.Unknown = merged(c.Unknown, u.Unknown)
	s.putCompaction(c)
}

func (s *State) putCompaction(c *compaction) {
	v := c.Compaction
	v.Summary = c.body.view()
	s.timeline.set(c.pos, &v)
	s.compactions.set(c.own, &v)
}

// patched returns the body after a patch of the whole content.
func (b *body) patched(change acp.Optional[[]acp.ContentBlock]) *body {
	if change.IsZero() {
		return b
	}
	blocks, _ := change.Get()
	b = new(body)
	b.addAll(blocks)
	return b
}

// A SessionMessage is a message between two sessions, one of which is this one. It never changes; when more of it is
// known, another one takes its place in the State.
//
// Unstable: not part of the specification yet.
type SessionMessage struct {
	ID acp.MessageID

	// Sender and Recipient name the sessions, empty as long as the agent has not said.
	Sender, Recipient acp.SessionID

	// SenderMessageID and RecipientMessageID are what the message is called in the other session.
	SenderMessageID, RecipientMessageID acp.MessageID

	Body

	Meta    acp.Meta
	Unknown acp.Unknown
}

func (*SessionMessage) entry() {}

// An exchange is a SessionMessage that grows.
type exchange struct {
	place
	SessionMessage
	body *body
}

func (s *State) exchange(id acp.MessageID) *exchange {
	if x := s.byExchange[id]; x != nil {
		return x
	}
	if s.byExchange == nil {
		s.byExchange = map[acp.MessageID]*exchange{}
	}
	x := &exchange{body: new(body), place: place{s.timeline.append(nil), s.exchanges.append(nil)}}
	x.ID = id
	s.byExchange[id] = x
	return x
}

func (s *State) patchExchange(u *acp.SessionMessage) {
	x := s.exchange(u.MessageID)
	patch(&x.Sender, u.SenderSessionID, true)
	patch(&x.Recipient, u.RecipientSessionID, true)
	patch(&x.SenderMessageID, u.SenderMessageID, true)
	patch(&x.RecipientMessageID, u.RecipientMessageID, true)
	patch(&x.Meta, u.Meta, true)
	x.Unknown = merged(x.Unknown, u.Unknown)
	x.body = x.body.patched(u.Content)
	s.putExchange(x)
}

func (s *State) chunkExchange(u *acp.SessionMessageChunk) {
	x := s.exchange(u.MessageID)
	x.body.add(u.Content)
	x.Meta = merged(x.Meta, u.Meta)
	x.Unknown = merged(x.Unknown, u.Unknown)
	s.putExchange(x)
}

func (s *State) putExchange(x *exchange) {
	v := x.SessionMessage
	v.Body = x.body.view()
	s.timeline.set(x.pos, &v)
	s.exchanges.set(x.own, &v)
}
