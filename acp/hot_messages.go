package acp

// The JSON methods of the messages that have codecs written by hand; package jsonrpc prefers them to the standard ones.
// AppendJSON appends the message as one line. ParseJSON reads text that is known to be valid and may keep parts of it,
// so the text must not change afterwards.

// AppendJSON appends the message as one line of JSON.
func (v SessionNotification) AppendJSON(dst []byte) ([]byte, error) {
	if out, err := v.append(dst); err == nil {
		return out, nil
	}
	odd := v
	return appendReflected(dst, &odd)
}

// ParseJSON reads valid JSON text that never changes: long strings are parts of it.
func (v *SessionNotification) ParseJSON(text []byte) error {
	l := lexer{text: text, alias: true}
	*v = SessionNotification{}
	if v.parse(&l); l.done() {
		return nil
	}
	return parseReflected(text, v)
}

// AppendJSON appends the message as one line of JSON.
func (v PromptRequest) AppendJSON(dst []byte) ([]byte, error) {
	if out, err := v.append(dst); err == nil {
		return out, nil
	}
	odd := v
	return appendReflected(dst, &odd)
}

// ParseJSON reads valid JSON text that never changes: long strings are parts of it.
func (v *PromptRequest) ParseJSON(text []byte) error {
	l := lexer{text: text, alias: true}
	*v = PromptRequest{}
	if v.parse(&l); l.done() {
		return nil
	}
	return parseReflected(text, v)
}

// AppendJSON appends the message as one line of JSON.
func (v PromptResponse) AppendJSON(dst []byte) ([]byte, error) {
	if out, err := v.append(dst); err == nil {
		return out, nil
	}
	odd := v
	return appendReflected(dst, &odd)
}

// ParseJSON reads valid JSON text that never changes: long strings are parts of it.
func (v *PromptResponse) ParseJSON(text []byte) error {
	l := lexer{text: text, alias: true}
	*v = PromptResponse{}
	if v.parse(&l); l.done() {
		return nil
	}
	return parseReflected(text, v)
}

// AppendJSON appends the message as one line of JSON.
func (v RequestPermissionRequest) AppendJSON(dst []byte) ([]byte, error) {
	if out, err := v.append(dst); err == nil {
		return out, nil
	}
	odd := v
	return appendReflected(dst, &odd)
}

// ParseJSON reads valid JSON text that never changes: long strings are parts of it.
func (v *RequestPermissionRequest) ParseJSON(text []byte) error {
	l := lexer{text: text, alias: true}
	*v = RequestPermissionRequest{}
	if v.parse(&l); l.done() {
		return nil
	}
	return parseReflected(text, v)
}

// AppendJSON appends the message as one line of JSON.
func (v RequestPermissionResponse) AppendJSON(dst []byte) ([]byte, error) {
	if out, err := v.append(dst); err == nil {
		return out, nil
	}
	odd := v
	return appendReflected(dst, &odd)
}

// ParseJSON reads valid JSON text that never changes: long strings are parts of it.
func (v *RequestPermissionResponse) ParseJSON(text []byte) error {
	l := lexer{text: text, alias: true}
	*v = RequestPermissionResponse{}
	if v.parse(&l); l.done() {
		return nil
	}
	return parseReflected(text, v)
}
