package acp

import "encoding/base64"

// Text returns a block of text, which is shown as Markdown.
func Text(text string) ContentBlock { return &TextContent{Text: text} }

// Image returns a block with an image of a media type such as "image/png".
func Image(mimeType string, data []byte) ContentBlock {
	return &ImageContent{MIMEType: mimeType, Data: base64.StdEncoding.EncodeToString(data)}
}

// Audio returns a block with a sound of a media type such as "audio/wav".
func Audio(mimeType string, data []byte) ContentBlock {
	return &AudioContent{MIMEType: mimeType, Data: base64.StdEncoding.EncodeToString(data)}
}

// Link returns a block that points at a resource.
func Link(name, uri string) ContentBlock { return &ResourceLink{Name: name, URI: uri} }

// TextResource returns a block that carries a resource which is text. The media type may be empty.
func TextResource(uri, mimeType, text string) ContentBlock {
	return &EmbeddedResource{Resource: &TextResourceContents{URI: uri, MIMEType: mimeType, Text: text}}
}

// BlobResource returns a block that carries a resource which is bytes. The media type may be empty.
func BlobResource(uri, mimeType string, data []byte) ContentBlock {
	blob := base64.StdEncoding.EncodeToString(data)
	return &EmbeddedResource{Resource: &BlobResourceContents{URI: uri, MIMEType: mimeType, Blob: blob}}
}

// Bytes returns the image.
func (c *ImageContent) Bytes() ([]byte, error) { return base64.StdEncoding.DecodeString(c.Data) }

// Bytes returns the sound.
func (c *AudioContent) Bytes() ([]byte, error) { return base64.StdEncoding.DecodeString(c.Data) }

// Bytes returns the contents.
func (c *BlobResourceContents) Bytes() ([]byte, error) {
	return base64.StdEncoding.DecodeString(c.Blob)
}

// UserText returns an update that repeats what the user said.
func UserText(text string) SessionUpdate { return &UserMessageChunk{Content: Text(text)} }

// AgentText returns an update in which the agent says something.
func AgentText(text string) SessionUpdate { return &AgentMessageChunk{Content: Text(text)} }

// AgentThought returns an update in which the agent thinks something.
func AgentThought(text string) SessionUpdate { return &AgentThoughtChunk{Content: Text(text)} }

// ToolContent returns what shows a block in a tool call.
func ToolContent(block ContentBlock) ToolCallContent { return &Content{Content: block} }

// DiffContent returns what shows a change to a file in a tool call: the whole text before, nil for a new file, and
// after.
func DiffContent(path string, oldText *string, newText string) ToolCallContent {
	return &Diff{Path: path, OldText: oldText, NewText: newText}
}

// TerminalContent returns what shows a terminal in a tool call.
func TerminalContent(id TerminalID) ToolCallContent { return &Terminal{TerminalID: id} }

// PermissionOptions returns options of these kinds, in this order, with plain English labels and the kinds as ids. Use
// it where the ids need not tell more than the kinds do.
func PermissionOptions(kinds ...PermissionOptionKind) []PermissionOption {
	options := make([]PermissionOption, 0, len(kinds))
	for _, kind := range kinds {
		options = append(options, PermissionOption{OptionID: PermissionOptionID(kind), Name: kind.label(), Kind: kind})
	}
	return options
}

// label is what a button for an answer of this kind says.
func (k PermissionOptionKind) label() string {
	switch k {
	case PermissionOptionKindAllowOnce:
		return "Allow"
	case PermissionOptionKindAllowAlways:
		return "Always allow"
	case PermissionOptionKindRejectOnce:
		return "Reject"
	case PermissionOptionKindRejectAlways:
		return "Always reject"
	}
	return string(k)
}

// PermissionSelected returns the outcome that the user chose an option.
func PermissionSelected(id PermissionOptionID) RequestPermissionOutcome {
	return &SelectedPermissionOutcome{OptionID: id}
}

// PermissionCancelled returns the outcome that the turn was cancelled before the user chose.
func PermissionCancelled() RequestPermissionOutcome { return &CancelledPermissionOutcome{} }
