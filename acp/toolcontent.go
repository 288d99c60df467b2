package acp

// A ToolCallContent is something that a tool call shows: *Content, *Diff, *Terminal, or *UnknownToolCallContent for one
// that this package does not know. ToolContent, DiffContent and TerminalContent build one.
//
// Spec: tool-calls#content.
type ToolCallContent interface{ toolCallContent() }

func (*Content) toolCallContent()                {}
func (*Diff) toolCallContent()                   {}
func (*Terminal) toolCallContent()               {}
func (*UnknownToolCallContent) toolCallContent() {}

var _ = union[ToolCallContent]("type").
	variant("content", &Content{}).
	variant("diff", &Diff{}).
	variant("terminal", &Terminal{}).
	unknown(&UnknownToolCallContent{})

// A Content shows a content block.
type Content struct {
	Content ContentBlock `json:"content"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A Diff shows a change to a file, as the whole text before and after.
type Diff struct {
	// Path is the absolute path of the file.
	Path string `json:"path"`

	// OldText is the text before; nil if the file is new, which is not the same as a file that was empty.
	OldText *string `json:"oldText,omitzero" acp:"lenient"`

	// NewText is the text after.
	NewText string `json:"newText"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A Terminal shows the live output of a terminal of the client's, which goes on being shown when the agent has released
// it. It has to be shown before it is released.
//
// Spec: terminals#embedding-in-tool-calls.
type Terminal struct {
	TerminalID TerminalID `json:"terminalId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownToolCallContent is content of a type that this package does not know. It is written as it was read.
type UnknownToolCallContent struct {
	Type string
	Raw  Raw
}
