package jsonrpc

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A Message is one request, notification or answer on its way between the wire and the handlers: what a Translator
// sees and makes.
type Message struct {
	// ID is the request's or the answer's id. A message with a method and no id is a notification.
	ID ID

	// Method is empty for an answer.
	Method string

	// Params is the text of a request's or notification's parameters, nil if there are none.
	Params jsontext.Value

	// Result and Error are an answer's; one of them is set.
	Result jsontext.Value
	Error  *Error

	// Value, when it is not nil, is the parameters or the result in decoded form and counts instead of the text. On its
	// way up it reaches Request.Decode and Conn.Call without being decoded again; on its way out it is encoded last.
	Value any

	// Key, when it is not empty, names the session that the message belongs to. Otherwise Options.Key is asked, which
	// needs Params.
	Key string
}

// IsAnswer reports whether the message answers a request.
func (m *Message) IsAnswer() bool { return m.Method == "" }

// A Translator turns what a peer says into what the handlers understand, and back: the seam for peers that speak
// another shape of the protocol. It sits between the envelope and everything else: pending calls, queues, cancellation
// and handlers see only what it lets through.
//
// Both methods are called in the order of the wire and never at the same time, so a translator needs no lock for its
// state. They must not block, and must not call the connection. A translator may hold messages, drop, answer, invent
// and split them; ids that it invents must not be those of the connection's own calls, which are integers from 1 on.
type Translator interface {
	// Inbound takes a message from the peer. Messages in up go on to this side's handlers and calls, messages in back
	// go straight to the peer.
	Inbound(m Message) (up, back []Message)

	// Outbound takes a message from this side. Messages in out go on to the peer, messages in back return to this side
	// as if the peer had sent them.
	Outbound(m Message) (out, back []Message)
}

// An Appender writes itself as one JSON value without line breaks. Types of parameters and results that implement it
// are spared reflection.
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// A Parser reads itself from one JSON value that is known to be valid. Unlike UnmarshalJSON it may keep parts of the
// text, which never changes.
type Parser interface {
	ParseJSON(text []byte) error
}

// jsonOptions is how everything that is not an Appender or a Parser is coded: peers send invalid UTF-8 and repeat names.
var jsonOptions = json.JoinOptions(
	jsontext.AllowInvalidUTF8(true),
	jsontext.AllowDuplicateNames(true),
)

// appendValue appends v as JSON. A nil v is null.
func appendValue(dst []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case Appender:
		if isNilPointer(v) {
			return append(dst, "null"...), nil
		}
		return v.AppendJSON(dst)
	case jsontext.Value:
		if len(v) == 0 {
			return append(dst, "null"...), nil
		}
		return rawjson.AppendValue(dst, v)
	}
	text, err := marshal(v)
	if err != nil {
		return dst, err
	}
	return rawjson.AppendValue(dst, text)
}

// marshal is json.Marshal, with a short cut for types that do it all themselves.
func marshal(v any) ([]byte, error) {
	if m, ok := v.(interface{ MarshalJSON() ([]byte, error) }); ok && !isNilPointer(v) {
		return m.MarshalJSON()
	}
	return json.Marshal(v, jsonOptions)
}

// isNilPointer tells a pointer without a value, which is null, whatever its methods would say.
func isNilPointer(v any) bool {
	p := reflect.ValueOf(v)
	return p.Kind() == reflect.Pointer && p.IsNil()
}

// decodeValue decodes valid text into v, which is a pointer.
func decodeValue(text []byte, v any) error {
	switch v := v.(type) {
	case Parser:
		return v.ParseJSON(text)
	case *jsontext.Value:
		*v = text
		return nil
	case interface{ UnmarshalJSON(text []byte) error }:
		return v.UnmarshalJSON(text)
	}
	return json.Unmarshal(text, v, jsonOptions)
}

// assign puts a value that is decoded already into what v points to.
func assign(value, v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return fmt.Errorf("decode target %T is not a pointer", v)
	}
	source := reflect.ValueOf(value)
	if source.Type().AssignableTo(target.Type().Elem()) {
		target.Elem().Set(source)
		return nil
	}
	if source.Kind() == reflect.Pointer && !source.IsNil() && source.Elem().Type().AssignableTo(target.Type().Elem()) {
		target.Elem().Set(source.Elem())
		return nil
	}
	text, err := appendValue(nil, value)
	if err != nil {
		return err
	}
	return decodeValue(text, v)
}

const (
	openRequest      = `{"jsonrpc":"2.0","id":`
	openNotification = `{"jsonrpc":"2.0","method":`
)

// appendRequest appends a request or, with no id, a notification, up to and including the colon before its params.
func appendRequest(dst []byte, id ID, method string, hasParams bool) []byte {
	if id.IsZero() {
		dst = append(dst, openNotification...)
	} else {
		dst = append(append(dst, openRequest...), id.text...)
		dst = append(dst, `,"method":`...)
	}
	dst = rawjson.AppendString(dst, method)
	if hasParams {
		dst = append(dst, `,"params":`...)
	}
	return dst
}

// appendCall is appendRequest for the connection's own ids.
func appendCall(dst []byte, id int64, method string, hasParams bool) []byte {
	dst = strconv.AppendInt(append(dst, openRequest...), id, 10)
	dst = rawjson.AppendString(append(dst, `,"method":`...), method)
	if hasParams {
		dst = append(dst, `,"params":`...)
	}
	return dst
}

// appendAnswer appends an answer.
func appendAnswer(dst []byte, id ID, result any, failure *Error) (_ []byte, err error) {
	dst = openAnswer(dst, id)
	if failure != nil {
		dst, err = failure.AppendJSON(append(dst, `,"error":`...))
	} else {
		dst, err = appendValue(append(dst, `,"result":`...), result)
	}
	return append(dst, '}'), err
}

// openAnswer appends the beginning of an answer.
func openAnswer(dst []byte, id ID) []byte {
	if id.IsZero() {
		id = NullID
	}
	return append(append(dst, openRequest...), id.text...)
}

// appendMessage appends a message that a Translator let out.
func appendMessage(dst []byte, m *Message) (_ []byte, err error) {
	value := m.Value
	if m.IsAnswer() {
		if value == nil {
			value = m.Result
		}
		return appendAnswer(dst, m.ID, value, m.Error)
	}
	if value == nil && len(m.Params) > 0 {
		value = m.Params
	}
	dst = appendRequest(dst, m.ID, m.Method, value != nil)
	if value != nil {
		dst, err = appendValue(dst, value)
	}
	return append(dst, '}'), err
}

// StringText returns the text of a string literal, nil for any other value. It is part of the literal's memory unless that
// is written with escapes.
func StringText(value []byte) []byte {
	if !rawjson.IsString(value) {
		return nil
	}
	if text, ok := rawjson.Plain(value); ok {
		return text[:len(text):len(text)] // so that appending to it does not write into the literal
	}
	return []byte(rawjson.String(value))
}
