package acp

import "strconv"

// The codecs of prompts and their answers; see hot_lexer.go.

func (v *PromptRequest) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"sessionId":`, v.SessionID)
	dst, err := appendList(dst, `,"prompt":`, v.Prompt, appendContentBlock)
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func (v *PromptRequest) parse(l *lexer) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "sessionId":
			s.once(l, 1)
			v.SessionID = SessionID(l.string())
		case "prompt":
			s.once(l, 2)
			v.Prompt = parseContentBlocks(l)
		case "_meta":
			s.once(l, 4)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2)
}

func (v *PromptResponse) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"stopReason":`, v.StopReason)
	if v.Usage != nil {
		var err error
		if dst, err = v.Usage.append(append(dst, `,"usage":`...)); err != nil {
			return dst, err
		}
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func (v *PromptResponse) parse(l *lexer) {
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "stopReason":
			s.once(l, 1)
			v.StopReason = StopReason(l.string())
		case "usage":
			s.once(l, 2)
			if !l.null() {
				v.Usage = parseUsage(l)
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

func (v *Usage) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = strconv.AppendUint(append(dst, `{"totalTokens":`...), v.TotalTokens, 10)
	dst = strconv.AppendUint(append(dst, `,"inputTokens":`...), v.InputTokens, 10)
	dst = strconv.AppendUint(append(dst, `,"outputTokens":`...), v.OutputTokens, 10)
	dst = appendOptionalUint(dst, `,"thoughtTokens":`, v.ThoughtTokens)
	dst = appendOptionalUint(dst, `,"cachedReadTokens":`, v.CachedReadTokens)
	dst = appendOptionalUint(dst, `,"cachedWriteTokens":`, v.CachedWriteTokens)
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseUsage(l *lexer) *Usage {
	v := new(Usage)
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "totalTokens":
			s.once(l, 1)
			v.TotalTokens = l.uint(64)
		case "inputTokens":
			s.once(l, 2)
			v.InputTokens = l.uint(64)
		case "outputTokens":
			s.once(l, 4)
			v.OutputTokens = l.uint(64)
		case "thoughtTokens":
			s.once(l, 8)
			v.ThoughtTokens = l.optionalUint()
		case "cachedReadTokens":
			s.once(l, 16)
			v.CachedReadTokens = l.optionalUint()
		case "cachedWriteTokens":
			s.once(l, 32)
			v.CachedWriteTokens = l.optionalUint()
		case "_meta":
			s.once(l, 64)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2|4)
	return v
}

func (l *lexer) optionalUint() *uint64 {
	if l.null() {
		return nil
	}
	n := l.uint(64)
	return &n
}
