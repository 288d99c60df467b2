package acp

// The codecs of tool calls; see hot_lexer.go.

func (v *ToolCall) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"sessionUpdate":"tool_call","toolCallId":`, v.ToolCallID)
	dst = appendText(dst, `,"title":`, v.Title)
	dst = appendOptionalText(dst, `,"name":`, v.Name)
	dst = appendOptionalText(dst, `,"kind":`, v.Kind)
	dst = appendOptionalText(dst, `,"status":`, v.Status)
	dst, err := appendOptionalList(dst, `,"content":`, v.Content, appendToolCallContent)
	if err != nil {
		return dst, err
	}
	if dst, err = appendOptionalList(dst, `,"locations":`, v.Locations, appendLocation); err != nil {
		return dst, err
	}
	if dst, err = appendRaw(dst, `,"rawInput":`, v.RawInput); err != nil {
		return dst, err
	}
	if dst, err = appendRaw(dst, `,"rawOutput":`, v.RawOutput); err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseToolCall(l *lexer) *ToolCall {
	v := new(ToolCall)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "toolCallId":
			s.once(l, 1)
			v.ToolCallID = ToolCallID(l.string())
		case "title":
			s.once(l, 2)
			v.Title = l.string()
		case "name":
			s.once(l, 4)
			v.Name = l.optional(name, &v.Unknown)
		case "kind":
			s.once(l, 8)
			v.Kind = ToolKind(l.optional(name, &v.Unknown))
		case "status":
			s.once(l, 16)
			v.Status = ToolCallStatus(l.optional(name, &v.Unknown))
		case "content":
			s.once(l, 32)
			if !l.null() {
				v.Content = parseToolCallContents(l)
			}
		case "locations":
			s.once(l, 64)
			if !l.null() {
				v.Locations = parseLocations(l)
			}
		case "rawInput":
			s.once(l, 128)
			v.RawInput = l.raw()
		case "rawOutput":
			s.once(l, 256)
			v.RawOutput = l.raw()
		case "_meta":
			s.once(l, 512)
			v.Meta = l.meta()
		case "sessionUpdate":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2)
	return v
}

// append appends an update of a tool call, as one of a session or by itself: the prefix tells.
func (v *ToolCallUpdate) append(dst []byte, prefix string) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, prefix, v.ToolCallID)
	dst = appendPatchText(dst, `,"title":`, v.Title)
	dst = appendPatchText(dst, `,"name":`, v.Name)
	dst = appendPatchText(dst, `,"kind":`, v.Kind)
	dst = appendPatchText(dst, `,"status":`, v.Status)
	dst, err := appendPatchList(dst, `,"content":`, v.Content, appendToolCallContent)
	if err != nil {
		return dst, err
	}
	if dst, err = appendPatchList(dst, `,"locations":`, v.Locations, appendLocation); err != nil {
		return dst, err
	}
	if dst, err = appendPatchRaw(dst, `,"rawInput":`, v.RawInput); err != nil {
		return dst, err
	}
	if dst, err = appendPatchRaw(dst, `,"rawOutput":`, v.RawOutput); err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

// parse reads the members of an update of a tool call from the one called name on.
func (v *ToolCallUpdate) parse(l *lexer, name []byte) {
	var s seen
	for ; name != nil; name = l.next() {
		switch string(name) {
		case "toolCallId":
			s.once(l, 1)
			v.ToolCallID = ToolCallID(l.string())
		case "title":
			s.once(l, 2)
			v.Title = patchText[string](l)
		case "name":
			s.once(l, 4)
			v.Name = patchText[string](l)
		case "kind":
			s.once(l, 8)
			v.Kind = patchText[ToolKind](l)
		case "status":
			s.once(l, 16)
			v.Status = patchText[ToolCallStatus](l)
		case "content":
			s.once(l, 32)
			if l.null() {
				v.Content = Null[[]ToolCallContent]()
			} else {
				v.Content = Some(parseToolCallContents(l))
			}
		case "locations":
			s.once(l, 64)
			if l.null() {
				v.Locations = Null[[]ToolCallLocation]()
			} else {
				v.Locations = Some(parseLocations(l))
			}
		case "rawInput":
			s.once(l, 128)
			v.RawInput = l.patchRaw()
		case "rawOutput":
			s.once(l, 256)
			v.RawOutput = l.patchRaw()
		case "_meta":
			s.once(l, 512)
			v.Meta = l.meta()
		case "sessionUpdate": // a second discriminator, or one outside the union
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
}

// patchText reads a string or null.
func patchText[T ~string](l *lexer) Optional[T] {
	if l.null() {
		return Null[T]()
	}
	return Some(T(l.string()))
}

func appendToolCallContent(dst []byte, content *ToolCallContent) ([]byte, error) {
	switch v := (*content).(type) {
	case *Content:
		if v != nil {
			start := len(dst)
			dst, err := appendContentBlock(append(dst, `{"type":"content","content":`...), &v.Content)
			if err != nil {
				return dst, err
			}
			return appendEnd(dst, start, v.Meta, v.Unknown)
		}
	case *Diff:
		if v != nil {
			start := len(dst)
			dst = appendText(dst, `{"type":"diff","path":`, v.Path)
			if v.OldText != nil {
				dst = appendText(dst, `,"oldText":`, *v.OldText)
			}
			dst = appendText(dst, `,"newText":`, v.NewText)
			return appendEnd(dst, start, v.Meta, v.Unknown)
		}
	case *Terminal:
		if v != nil {
			start := len(dst)
			dst = appendText(dst, `{"type":"terminal","terminalId":`, v.TerminalID)
			return appendEnd(dst, start, v.Meta, v.Unknown)
		}
	default:
		return appendByPlan(dst, *content)
	}
	return dst, errOdd
}

func parseToolCallContents(l *lexer) []ToolCallContent {
	list := []ToolCallContent{}
	for more := l.openList(); more; more = l.nextItem() {
		list = append(list, parseToolCallContent(l))
	}
	return list
}

func parseToolCallContent(l *lexer) ToolCallContent {
	start := *l
	switch string(l.tag("type")) {
	case "content":
		return parseContent(l)
	case "diff":
		return parseDiff(l)
	case "terminal":
		return parseTerminal(l)
	}
	*l = start
	return parseByPlan[ToolCallContent](l)
}

func parseContent(l *lexer) *Content {
	v := new(Content)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "content":
			s.once(l, 1)
			v.Content = parseContentBlock(l)
		case "_meta":
			s.once(l, 2)
			v.Meta = l.meta()
		case "type":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
	return v
}

func parseDiff(l *lexer) *Diff {
	v := new(Diff)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "path":
			s.once(l, 1)
			v.Path = l.string()
		case "oldText":
			s.once(l, 2)
			if !l.null() {
				text := l.string()
				v.OldText = &text
			}
		case "newText":
			s.once(l, 4)
			v.NewText = l.string()
		case "_meta":
			s.once(l, 8)
			v.Meta = l.meta()
		case "type":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|4)
	return v
}

func parseTerminal(l *lexer) *Terminal {
	v := new(Terminal)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "terminalId":
			s.once(l, 1)
			v.TerminalID = TerminalID(l.string())
		case "_meta":
			s.once(l, 2)
			v.Meta = l.meta()
		case "type":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
	return v
}

func appendLocation(dst []byte, v *ToolCallLocation) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"path":`, v.Path)
	dst = appendOptionalUint(dst, `,"line":`, v.Line)
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseLocations(l *lexer) []ToolCallLocation {
	list := []ToolCallLocation{}
	for more := l.openList(); more; more = l.nextItem() {
		list = append(list, ToolCallLocation{})
		parseLocation(l, &list[len(list)-1])
	}
	return list
}

func parseLocation(l *lexer, v *ToolCallLocation) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "path":
			s.once(l, 1)
			v.Path = l.string()
		case "line":
			s.once(l, 2)
			if !l.null() {
				line := uint32(l.uint(32))
				v.Line = &line
			}
		case "_meta":
			s.once(l, 4)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
}
