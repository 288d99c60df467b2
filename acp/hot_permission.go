package acp

// The codecs of permission requests and their answers; see hot_lexer.go.

func (v *RequestPermissionRequest) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"sessionId":`, v.SessionID)
	dst, err := v.ToolCall.append(append(dst, `,"toolCall":`...), `{"toolCallId":`)
	if err != nil {
		return dst, err
	}
	if dst, err = appendList(dst, `,"options":`, v.Options, appendPermissionOption); err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func (v *RequestPermissionRequest) parse(l *lexer) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "sessionId":
			s.once(l, 1)
			v.SessionID = SessionID(l.string())
		case "toolCall":
			s.once(l, 2)
			v.ToolCall.parse(l, l.open())
		case "options":
			s.once(l, 4)
			v.Options = []PermissionOption{}
			for more := l.openList(); more; more = l.nextItem() {
				v.Options = append(v.Options, PermissionOption{})
				parsePermissionOption(l, &v.Options[len(v.Options)-1])
			}
		case "_meta":
			s.once(l, 8)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2|4)
}

func appendPermissionOption(dst []byte, v *PermissionOption) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"optionId":`, v.OptionID)
	dst = appendText(dst, `,"name":`, v.Name)
	dst = appendText(dst, `,"kind":`, v.Kind)
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parsePermissionOption(l *lexer, v *PermissionOption) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "optionId":
			s.once(l, 1)
			v.OptionID = PermissionOptionID(l.string())
		case "name":
			s.once(l, 2)
			v.Name = l.string()
		case "kind":
			s.once(l, 4)
			v.Kind = PermissionOptionKind(l.string())
		case "_meta":
			s.once(l, 8)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2|4)
}

func (v *RequestPermissionResponse) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, `{"outcome":`...)
	outcome := len(dst)
	var err error
	switch v := v.Outcome.(type) {
	case *SelectedPermissionOutcome:
		if v == nil {
			return dst, errOdd
		}
		dst = appendText(dst, `{"outcome":"selected","optionId":`, v.OptionID)
		dst, err = appendEnd(dst, outcome, v.Meta, v.Unknown)
	case *CancelledPermissionOutcome:
		if v == nil {
			return dst, errOdd
		}
		dst = append(dst, `{"outcome":"cancelled"`...)
		dst, err = appendEnd(dst, outcome, nil, v.Unknown)
	default:
		dst, err = appendByPlan(dst, v)
	}
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func (v *RequestPermissionResponse) parse(l *lexer) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "outcome":
			s.once(l, 1)
			v.Outcome = parseOutcome(l)
		case "_meta":
			s.once(l, 2)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
}

func parseOutcome(l *lexer) RequestPermissionOutcome {
	start := *l
	if string(l.tag("outcome")) != "selected" {
		*l = start
		return parseByPlan[RequestPermissionOutcome](l)
	}
	v := new(SelectedPermissionOutcome)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "optionId":
			s.once(l, 1)
			v.OptionID = PermissionOptionID(l.string())
		case "_meta":
			s.once(l, 2)
			v.Meta = l.meta()
		case "outcome":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
	return v
}
