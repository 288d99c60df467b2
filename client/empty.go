package client

import "github.com/patchbay-dev/patchbay/acp"

// listen notes whether an update is one that an answer can be made of (F169). The turn may be nil.
func (t *Turn) listen(u acp.SessionUpdate) {
	if t != nil && !t.spoken.Load() && speaks(u) {
		t.spoken.Store(true)
	}
}

// acts notes that the agent asks something of this side in a session or in one of its subagents': a file, a command, an answer.
func (s *Session) acts() {
	if t := s.root().live.Load(); t != nil {
		t.spoken.Store(true)
	}
}

// speaks reports whether an update says something, or is about a tool call. What is told beside the conversation, such as a
// plan, commands or usage, is no answer.
func speaks(u acp.SessionUpdate) bool {
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		return hasContent(u.Content)
	case *acp.AgentThoughtChunk:
		return hasContent(u.Content)
	case *acp.ToolCall, *acp.ToolCallUpdate, *acp.Notice, *acp.SubagentUpdate:
		return true
	}
	return false
}

func hasContent(block acp.ContentBlock) bool {
	text, ok := block.(*acp.TextContent)
	return !ok || text.Text != ""
}

// noTokens reports whether an agent has used none, or doesn't say.
func noTokens(u *acp.Usage) bool {
	return u == nil || u.TotalTokens == 0 && u.InputTokens == 0 && u.OutputTokens == 0
}
