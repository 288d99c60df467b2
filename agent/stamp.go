package agent

import (
	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// stampKey is the member of _meta that holds a stamp.
const stampKey = "patchbay.dev/message"

// A stamp is kept with an update in whose place a client gets a message. With it the message is the same one when the update is
// repeated: clients know messages by their ids (F64).
type stamp struct {
	MessageID acp.MessageID `json:"messageId"`
	Apart     bool          `json:"apart,omitzero"` // it came after something else in its turn
}

// stamped returns an update as it is kept: with a stamp if this client gets a message in its place.
func (s *Session) stamped(u acp.SessionUpdate) acp.SessionUpdate {
	if s.recording.Load() == nil && !s.history.keep.Load() {
		return u
	}
	var can acp.ClientSessionCapabilities
	if c := s.conn.clientCapabilities().Session; c != nil {
		can = *c
	}
	switch u := u.(type) {
	case *acp.Notice:
		if can.Notices == nil {
			kept := *u
			kept.Meta = withMeta(u.Meta, s.stamp())
			return &kept
		}
	case *acp.CompactionUpdate:
		if can.Compaction == nil {
			kept := *u
			kept.Meta = acp.Some(withMeta(u.Meta.Or(nil), s.stamp()))
			return &kept
		}
	}
	return u
}

// stamp makes a stamp for a message that is sent now.
func (s *Session) stamp() acp.Meta {
	raw, err := rawOf(s.newStamp())
	if err != nil {
		return nil // there is nothing in it that has no JSON
	}
	return acp.Meta{stampKey: raw}
}

func (s *Session) newStamp() stamp {
	t := s.Turn()
	return stamp{acp.MessageID(s.next("msg")), t != nil && t.hasSpoken()}
}

// message is a message of its own, as a stamp says if there is one. It is a paragraph of its own too, for clients that run
// together whatever is said in a turn.
func (s *Session) message(meta acp.Meta, text string) acp.SessionUpdate {
	var as stamp
	if json.Unmarshal(meta[stampKey], &as) != nil || as.MessageID == "" {
		as = s.newStamp()
	}
	if as.Apart {
		text = "\n\n" + text
	}
	return &acp.AgentMessageChunk{Content: acp.Text(text + "\n\n"), MessageID: as.MessageID}
}
