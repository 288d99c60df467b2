package acp

import (
	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// An Error is the error of an answer: what the peer sent, or what it will be sent.
type Error = jsonrpc.Error

// A RequestID is the id of a request, as its sender wrote it.
type RequestID = jsonrpc.ID

// The codes of errors. Two are of this protocol, the rest are JSON-RPC's.
const (
	CodeParseError       = jsonrpc.CodeParseError       // the text is not JSON
	CodeInvalidRequest   = jsonrpc.CodeInvalidRequest   // the JSON is not a request
	CodeMethodNotFound   = jsonrpc.CodeMethodNotFound   // no such method, or it was not advertised
	CodeInvalidParams    = jsonrpc.CodeInvalidParams    // the params don't fit the method
	CodeInternalError    = jsonrpc.CodeInternalError    // the handler failed
	CodeRequestCancelled = jsonrpc.CodeRequestCancelled // the caller cancelled the request
	CodeAuthRequired     = -32000                       // the user has to sign in first
	CodeResourceNotFound = -32002                       // there is no such session, file or other thing
)

// ErrInvalidRequest says that a request makes no sense at this point.
func ErrInvalidRequest(format string, args ...any) *Error {
	return jsonrpc.NewError(CodeInvalidRequest, format, args...)
}

// ErrMethodNotFound says that a method is not served here.
func ErrMethodNotFound(method string) *Error {
	return jsonrpc.NewError(CodeMethodNotFound, "method not found: %s", method)
}

// ErrInvalidParams says what is wrong with a request's params.
func ErrInvalidParams(format string, args ...any) *Error {
	return jsonrpc.NewError(CodeInvalidParams, format, args...)
}

// ErrInternal says that a request failed for no fault of the caller's.
func ErrInternal(format string, args ...any) *Error {
	return jsonrpc.NewError(CodeInternalError, format, args...)
}

// ErrRequestCancelled says that a request ended because its caller cancelled it.
func ErrRequestCancelled() *Error {
	return jsonrpc.NewError(CodeRequestCancelled, "request cancelled")
}

// ErrAuthRequired says that the user has to sign in first, with one of the agent's AuthMethods.
func ErrAuthRequired() *Error {
	return jsonrpc.NewError(CodeAuthRequired, "authentication required")
}

// ErrResourceNotFound says that there is nothing at a URI, which its data names too.
func ErrResourceNotFound(uri string) *Error {
	err := jsonrpc.NewError(CodeResourceNotFound, "resource not found: %s", uri)
	err.Data = stringMember("uri", uri)
	return err
}

// ErrSessionNotFound says that there is no such session, which its data names too.
func ErrSessionNotFound(id SessionID) *Error {
	err := jsonrpc.NewError(CodeResourceNotFound, "session not found: %s", id)
	err.Data = stringMember("sessionId", string(id))
	return err
}

// stringMember returns an object with one member.
func stringMember(name, value string) Raw {
	text := rawjson.AppendString([]byte{'{'}, name)
	text = rawjson.AppendString(append(text, ':'), value)
	return append(text, '}')
}
