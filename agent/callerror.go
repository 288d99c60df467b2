package agent

import (
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A CallError is the error of a call that the client answered with an error. It wraps that error, so that errors.As finds
// the *acp.Error and errors.Is its code.
//
// What the client said to us is no answer to the client: where a method of the Agent returns a CallError, wrapped or not,
// its client gets CodeInternalError, with the text of the whole error, and with the method and the client's error as data
// ({"method": …, "error": {…}}). An author who wants to answer with another code returns an *acp.Error instead, or one
// that comes before the CallError in the tree of errors.
type CallError struct {
	// Method is what was called.
	Method string

	// Err is what the client answered.
	Err *acp.Error
}

func (e *CallError) Error() string { return fmt.Sprintf("the client failed %s: %v", e.Method, e.Err) }

// Unwrap returns what the client answered.
func (e *CallError) Unwrap() error { return e.Err }

// asCallError says of an error that the client sent which call it answers.
func asCallError(method string, err error) error {
	var sent *acp.Error
	if errors.As(err, &sent) {
		return &CallError{Method: method, Err: sent}
	}
	return err
}

// answerable returns an error that the client may be answered with. One that is the client's own becomes one of ours: its
// -32000 would ask the client to sign in.
func answerable(err error) error {
	call, ok := origin(err).(*CallError)
	if !ok {
		return err
	}
	answer := acp.ErrInternal("%v", err)
	data := rawjson.AppendString([]byte(`{"method":`), call.Method)
	data, failure := call.Err.AppendJSON(append(data, `,"error":`...))
	if failure == nil { // it came as JSON
		answer.Data = append(data, '}')
	}
	return answer
}

// origin returns the error that an answer is made of: the first *CallError or *acp.Error in the order of errors.As, nil if
// there is none.
func origin(err error) error {
	switch e := err.(type) {
	case *CallError, *acp.Error:
		return err
	case interface{ Unwrap() error }:
		return origin(e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if found := origin(one); found != nil {
				return found
			}
		}
	}
	return nil
}
