package acp

// The codecs of session updates; see hot_lexer.go. What comes rarely, once a session or so, is left to the reflective
// codec.

func (v *SessionNotification) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"sessionId":`, v.SessionID)
	dst, err := appendUpdate(append(dst, `,"update":`...), v.Update)
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func (v *SessionNotification) parse(l *lexer) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "sessionId":
			s.once(l, 1)
			v.SessionID = SessionID(l.string())
		case "update":
			s.once(l, 2)
			v.Update = parseUpdate(l)
		case "_meta":
			s.once(l, 4)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2)
}

func appendUpdate(dst []byte, update SessionUpdate) ([]byte, error) {
	switch v := update.(type) {
	case *AgentMessageChunk:
		if v != nil {
			return appendChunk(dst, `{"sessionUpdate":"agent_message_chunk","content":`, (*chunk)(v))
		}
	case *AgentThoughtChunk:
		if v != nil {
			return appendChunk(dst, `{"sessionUpdate":"agent_thought_chunk","content":`, (*chunk)(v))
		}
	case *UserMessageChunk:
		if v != nil {
			return appendChunk(dst, `{"sessionUpdate":"user_message_chunk","content":`, (*chunk)(v))
		}
	case *ToolCallUpdate:
		if v != nil {
			return v.append(dst, `{"sessionUpdate":"tool_call_update","toolCallId":`)
		}
	case *ToolCall:
		if v != nil {
			return v.append(dst)
		}
	case *Plan:
		if v != nil {
			return v.append(dst)
		}
	default:
		return appendByPlan(dst, update)
	}
	return dst, errOdd
}

func parseUpdate(l *lexer) SessionUpdate {
	start := *l
	switch string(l.tag("sessionUpdate")) {
	case "agent_message_chunk":
		v := new(withText[AgentMessageChunk])
		(*chunk)(&v.chunk).parse(l, &v.text)
		return &v.chunk
	case "agent_thought_chunk":
		v := new(withText[AgentThoughtChunk])
		(*chunk)(&v.chunk).parse(l, &v.text)
		return &v.chunk
	case "user_message_chunk":
		v := new(withText[UserMessageChunk])
		(*chunk)(&v.chunk).parse(l, &v.text)
		return &v.chunk
	case "tool_call_update":
		v := new(ToolCallUpdate)
		v.parse(l, l.next())
		return v
	case "tool_call":
		return parseToolCall(l)
	case "plan":
		return parsePlan(l)
	}
	*l = start
	return parseByPlan[SessionUpdate](l)
}

// A chunk is what the chunks of the three kinds of messages have in common: everything but the discriminator.
type chunk AgentMessageChunk

// withText is a chunk and the text that it nearly always holds, in one allocation.
type withText[C any] struct {
	chunk C
	text  TextContent
}

func appendChunk(dst []byte, prefix string, v *chunk) ([]byte, error) {
	start := len(dst)
	dst, err := appendContentBlock(append(dst, prefix...), &v.Content)
	if err != nil {
		return dst, err
	}
	dst = appendOptionalText(dst, `,"messageId":`, v.MessageID)
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func (v *chunk) parse(l *lexer, text *TextContent) {
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "content":
			s.once(l, 1)
			v.Content = parseContentBlockInto(l, text)
		case "messageId":
			s.once(l, 2)
			v.MessageID = MessageID(l.optional(name, &v.Unknown))
		case "_meta":
			s.once(l, 4)
			v.Meta = l.meta()
		case "sessionUpdate":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
}

func (v *Plan) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst, err := appendList(dst, `{"sessionUpdate":"plan","entries":`, v.Entries, appendPlanEntry)
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parsePlan(l *lexer) *Plan {
	v := new(Plan)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "entries":
			s.once(l, 1)
			v.Entries = []PlanEntry{}
			for more := l.openList(); more; more = l.nextItem() {
				v.Entries = append(v.Entries, PlanEntry{})
				parsePlanEntry(l, &v.Entries[len(v.Entries)-1])
			}
		case "_meta":
			s.once(l, 2)
			v.Meta = l.meta()
		case "sessionUpdate":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
	return v
}

func appendPlanEntry(dst []byte, v *PlanEntry) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"content":`, v.Content)
	dst = appendText(dst, `,"priority":`, v.Priority)
	dst = appendText(dst, `,"status":`, v.Status)
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parsePlanEntry(l *lexer, v *PlanEntry) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "content":
			s.once(l, 1)
			v.Content = l.string()
		case "priority":
			s.once(l, 2)
			v.Priority = PlanEntryPriority(l.string())
		case "status":
			s.once(l, 4)
			v.Status = PlanEntryStatus(l.string())
		case "_meta":
			s.once(l, 8)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2|4)
}
