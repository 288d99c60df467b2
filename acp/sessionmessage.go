package acp

// A SessionMessage is a message between two sessions, or what has changed about it, as the session sees it that the
// update is sent on. What is absent stays as it is, null clears. It needs ClientCapabilities.Subagents.
//
// Unstable: not part of the specification yet.
type SessionMessage struct {
	MessageID MessageID `json:"messageId"`

	// SenderSessionID names the session that sent the message.
	SenderSessionID Optional[SessionID] `json:"senderSessionId,omitzero" acp:"lenient"`

	// RecipientSessionID names the session that the message was sent to.
	RecipientSessionID Optional[SessionID] `json:"recipientSessionId,omitzero" acp:"lenient"`

	// SenderMessageID is the message's id in the session that sent it, seen from the other one.
	SenderMessageID Optional[MessageID] `json:"senderMessageId,omitzero" acp:"lenient"`

	// RecipientMessageID is the message's id in the session that it was sent to, seen from the other one.
	RecipientMessageID Optional[MessageID] `json:"recipientMessageId,omitzero" acp:"lenient"`

	// Content is the whole message. An empty list clears it like null.
	Content Optional[[]ContentBlock] `json:"content,omitzero" acp:"lenient,skip"`

	// Meta is part of the patch.
	Meta    Optional[Meta] `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown        `json:"-"`
}

// A SessionMessageChunk adds a block to a message between two sessions. Who sent it to whom is in a SessionMessage,
// which may come before, between or after the chunks.
//
// Unstable: not part of the specification yet.
type SessionMessageChunk struct {
	MessageID MessageID    `json:"messageId"`
	Content   ContentBlock `json:"content"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
