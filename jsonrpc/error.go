package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// Error codes of JSON-RPC 2.0, and the one that answers a request which the caller cancelled.
const (
	CodeParseError       = -32700 // the text is not JSON
	CodeInvalidRequest   = -32600 // the JSON is not a request
	CodeMethodNotFound   = -32601 // no such method here
	CodeInvalidParams    = -32602 // the params don't fit the method
	CodeInternalError    = -32603 // the handler failed
	CodeRequestCancelled = -32800 // the caller cancelled the request
)

// An Error is the error of an answer: what the peer sent, or what it will be sent. Errors that arise on this side of
// the wire are never of this type.
type Error struct {
	Code    int            // one of the codes above, or the peer's own
	Message string         // one sentence for people
	Data    jsontext.Value // anything more, as JSON; nil if absent
}

// NewError returns an error with a formatted message and no data.
func NewError(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) Error() string {
	if len(e.Data) > 0 && len(e.Data) <= 512 {
		return fmt.Sprintf("%s (code %d, data %s)", e.Message, e.Code, e.Data)
	}
	return fmt.Sprintf("%s (code %d)", e.Message, e.Code)
}

// Is reports whether target is an Error of the same code, so that errors.Is works on the code alone.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && (t.Message == "" || t.Message == e.Message)
}

// AppendJSON appends the error object.
func (e *Error) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = rawjson.AppendString(dst, e.Message)
	if len(e.Data) > 0 {
		dst = append(dst, `,"data":`...)
		var err error
		if dst, err = rawjson.AppendValue(dst, e.Data); err != nil {
			return dst, fmt.Errorf("data of error %d: %w", e.Code, err)
		}
	}
	return append(dst, '}'), nil
}

// MarshalJSON writes the error object.
func (e *Error) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil) }

// UnmarshalJSON reads an error object. A code that is missing or no number is read as CodeInternalError, a message
// that is missing or no string as the text that stands there: half an error is still an error.
func (e *Error) UnmarshalJSON(text []byte) error {
	if err := rawjson.Check(text); err != nil {
		return err
	}
	e.parse(text)
	return nil
}

// parse reads an error from valid text.
func (e *Error) parse(text []byte) {
	*e = Error{Code: CodeInternalError}
	found := false
	c := rawjson.Walk(text)
	for c.Next() {
		value := c.Value()
		switch string(c.Name()) {
		case "code":
			if n, err := strconv.ParseFloat(string(value), 64); err == nil && n == float64(int32(n)) {
				e.Code, found = int(n), true
			}
		case "message":
			if rawjson.IsString(value) {
				e.Message, found = rawjson.String(value), true
			}
		case "data":
			if e.Data = nil; !rawjson.IsNull(value) {
				e.Data = append(e.Data, value...)
			}
		}
	}
	if !found {
		e.Message = string(text)
	}
}

// Errors that arise on this side.
var (
	// ErrClosed is in every error of a call or notification on a connection that has ended; the error says why.
	ErrClosed = errors.New("connection closed")

	// ErrOverloaded fails a call, notification or answer of a handler that was waiting while messages for the
	// connection's sessions piled up to four times the budget (W6). The connection lives.
	ErrOverloaded = errors.New("too many messages are waiting to be handled")
)

// A TooLargeError says that a message was larger than the connection's limit (W2).
type TooLargeError struct {
	What  string // "request", "notification" or "answer", with the method where it is known
	Size  int64  // bytes
	Limit int    // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s of %d bytes is over the limit of %d bytes", e.What, e.Size, e.Limit)
}

// A ClosedError is the error of everything that was under way or tried when the connection had ended. It matches
// ErrClosed, and its cause.
type ClosedError struct {
	// Cause says why: io.EOF when the peer closed its side, a *transport.ExitError when its process ended, nil when
	// this side called Close.
	Cause error
}

func (e *ClosedError) Error() string {
	if e.Cause == nil {
		return "connection closed by this side"
	}
	return "connection closed: " + e.Cause.Error()
}

func (e *ClosedError) Unwrap() []error {
	if e.Cause == nil {
		return []error{ErrClosed}
	}
	return []error{ErrClosed, e.Cause}
}

// asError turns what a handler returned into what the peer is sent.
func asError(err error) *Error {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &Error{Code: CodeRequestCancelled, Message: "request cancelled"}
	}
	return &Error{Code: CodeInternalError, Message: err.Error()}
}
