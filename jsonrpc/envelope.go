package jsonrpc

import (
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// An envelope is what the read loop needs to know of a message. All its parts are slices of the message's text; what
// is inside params, result and error has been checked to be JSON but not looked at.
type envelope struct {
	version bool   // jsonrpc is "2.0"
	id      []byte // nil if absent
	method  []byte // the literal, nil if absent
	params  []byte // nil if absent or null
	key     []byte // the member of params that names the session, nil if there is none
	result  []byte // nil if absent
	err     []byte // nil if absent or null
	more    bool   // there are members that no message has
}

var (
	errNotObject  = errors.New("not a JSON object")
	errNoVersion  = errors.New(`member "jsonrpc" is not "2.0"`)
	errNoMethod   = errors.New(`member "method" is not a string`)
	errBadParams  = errors.New(`member "params" is neither an object nor an array`)
	errNotMessage = errors.New("neither a request nor an answer")
	errLongID     = fmt.Errorf("the id is longer than %d bytes", maxIDBytes)
	errTwoAnswers = errors.New(`both "result" and "error" are set`)
)

// parseEnvelope checks text, which must be one JSON value, and finds the members of the message. Their order means
// nothing, and of a repeated name the last counts. The error is a *rawjson.SyntaxError or the like if the text is not
// JSON, errNotObject if it is some other JSON. Long messages are long because of their params, which are read only once,
// with an eye on the member that names the session.
func parseEnvelope(text []byte, keyMember string) (envelope, error) {
	var e envelope
	i := rawjson.SkipSpace(text, 0)
	if i == len(text) || text[i] != '{' {
		if err := rawjson.Check(text); err != nil {
			return e, err
		}
		return e, errNotObject
	}
	c := rawjson.Walk(text[i:])
	c.Note(keyMember)
	for c.Next() {
		value := c.Value()
		switch string(c.Name()) {
		case "jsonrpc":
			e.version = string(value) == `"2.0"`
		case "id":
			e.id = value
		case "method":
			e.method = value
		case "params":
			if e.params = value; rawjson.IsNull(value) {
				e.params = nil
			}
			e.key = c.Noted()
		case "result":
			e.result = value
		case "error":
			if e.err = value; rawjson.IsNull(value) {
				e.err = nil
			}
		default:
			e.more = true
		}
	}
	return e, c.Err()
}

// checkRequest reports why the envelope, which has a method, is not a legal request or notification.
func (e *envelope) checkRequest() error {
	switch {
	case !e.version:
		return errNoVersion
	case !rawjson.IsString(e.method):
		return errNoMethod
	case e.params != nil && e.params[0] != '{' && e.params[0] != '[':
		return errBadParams
	case len(e.id) > maxIDBytes:
		return errLongID
	case e.id != nil:
		_, err := parseID(e.id)
		return err
	}
	return nil
}

// isAnswer reports whether the envelope claims to answer something: a log line that happens to be JSON does not (W3). One
// that has no proper outcome is a log line if it has other members (a level, a time), and else an answer gone wrong, on
// which the call must not wait on.
func (e *envelope) isAnswer() bool {
	if !e.version || e.method != nil || e.id == nil && e.err == nil {
		return false
	}
	proper := e.result != nil || e.err != nil && e.err[0] == '{'
	return proper || !e.more
}
