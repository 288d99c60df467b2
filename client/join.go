package client

import (
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// A voice is what pieces of a message have in common.
type voice struct {
	role    Role
	message acp.MessageID
}

// pieceOf returns the text of an update that is a plain piece of a message: it has nothing that another piece could not have
// beside it.
func pieceOf(u acp.SessionUpdate) (v voice, piece string, ok bool) {
	var content acp.ContentBlock
	var plain bool
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		v, content, plain = voice{RoleUser, u.MessageID}, u.Content, u.Meta == nil && u.Unknown == nil
	case *acp.AgentMessageChunk:
		v, content, plain = voice{RoleAgent, u.MessageID}, u.Content, u.Meta == nil && u.Unknown == nil
	case *acp.AgentThoughtChunk:
		v, content, plain = voice{RoleThought, u.MessageID}, u.Content, u.Meta == nil && u.Unknown == nil
	}
	t, isText := content.(*acp.TextContent)
	if !plain || !isText || t.Annotations != nil || t.Meta != nil || t.Unknown != nil {
		return voice{}, "", false
	}
	return v, t.Text, true
}

// join adds an update to the one that waits, if the two are pieces of one message (F171), and reports whether it has.
func (it *queued) join(next queued) bool {
	v, piece, ok := pieceOf(next.update)
	if !ok {
		return false
	}
	before, first, ok := pieceOf(it.update)
	if !ok || before != v {
		return false
	}
	if it.pieces == nil {
		it.pieces = []string{first}
	}
	it.pieces = append(it.pieces, piece)
	it.size += next.size
	return true
}

// whole returns the update with all that has joined it. The State and the Handler have the pieces, so that it is a new one.
func (it *queued) whole() acp.SessionUpdate {
	if it.pieces == nil {
		return it.update
	}
	content := acp.Text(strings.Join(it.pieces, ""))
	switch u := it.update.(type) {
	case *acp.UserMessageChunk:
		return &acp.UserMessageChunk{Content: content, MessageID: u.MessageID}
	case *acp.AgentMessageChunk:
		return &acp.AgentMessageChunk{Content: content, MessageID: u.MessageID}
	case *acp.AgentThoughtChunk:
		return &acp.AgentThoughtChunk{Content: content, MessageID: u.MessageID}
	}
	return it.update
}
