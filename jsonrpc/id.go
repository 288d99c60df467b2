package jsonrpc

import (
	"errors"
	"strconv"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// An ID names a request on the side that sent it. It is a string, an integer or null, and remembers how it was written,
// so that an answer carries the very bytes of the question (W4). IDs can be compared with == as long as both were
// written alike; the zero ID is the id of a notification: none.
type ID struct{ text string }

// NullID is the id of an answer to what could not be read.
var NullID = ID{"null"}

// NumberID returns an integer id.
func NumberID(n int64) ID { return ID{strconv.FormatInt(n, 10)} }

// StringID returns a string id.
func StringID(s string) ID { return ID{string(rawjson.AppendString(nil, s))} }

var errBadID = errors.New("an id must be a string, an integer or null")

// ParseID reads an id from its JSON text.
func ParseID(text []byte) (ID, error) {
	if err := rawjson.Check(text); err != nil {
		return ID{}, errBadID
	}
	start := rawjson.SkipSpace(text, 0)
	end, _ := rawjson.Skip(text, start)
	return parseID(text[start:end])
}

// parseID reads an id from text that is known to be one JSON value with no white space around it.
func parseID(text []byte) (ID, error) {
	switch c := text[0]; {
	case c == '"', c == 'n':
		return ID{string(text)}, nil
	case c == '-' || '0' <= c && c <= '9':
		for _, d := range text[1:] {
			if d < '0' || d > '9' { // a fraction or an exponent
				return ID{}, errBadID
			}
		}
		return ID{string(text)}, nil
	}
	return ID{}, errBadID
}

// IsZero reports whether there is no id: the message is a notification.
func (id ID) IsZero() bool { return id.text == "" }

// IsNull reports whether the id is the literal null.
func (id ID) IsNull() bool { return id.text == "null" }

// Int64 returns the number of an integer id that fits.
func (id ID) Int64() (n int64, ok bool) {
	n, err := strconv.ParseInt(id.text, 10, 64)
	return n, err == nil
}

// Text returns the string of a string id.
func (id ID) Text() (s string, ok bool) {
	if len(id.text) < 2 || id.text[0] != '"' {
		return "", false
	}
	return rawjson.String([]byte(id.text)), true
}

// String returns the id as it is written in JSON, or "none".
func (id ID) String() string {
	if id.text == "" {
		return "none"
	}
	return id.text
}

// MarshalJSON writes the id as it was read. The zero ID is written as null.
func (id ID) MarshalJSON() ([]byte, error) { return id.AppendJSON(nil) }

// AppendJSON appends the id as it was read. The zero ID is written as null.
func (id ID) AppendJSON(dst []byte) ([]byte, error) {
	if id.text == "" {
		return append(dst, "null"...), nil
	}
	return append(dst, id.text...), nil
}

// UnmarshalJSON reads a string, an integer or null.
func (id *ID) UnmarshalJSON(text []byte) (err error) {
	*id, err = ParseID(text)
	return err
}

// same is the id in the form that ids are compared in: one string for each string, however it was escaped.
func (id ID) same() string {
	if s, ok := id.Text(); ok {
		return `"` + s
	}
	return id.text
}
