package jsonrpc

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// A Handler answers requests and takes notifications.
//
// The notifications of one session are handled one after the other, in the order they arrived. A request starts after
// its session's earlier notifications and then runs beside later ones, on a goroutine of its own (W5); it does not wait
// for one whose handler is itself waiting for the peer, since that might be for this very request (W6). Sessions don't
// wait for each other. Messages that belong to no session are handled likewise, except that a request among them starts
// at once.
//
// Calls that a handler makes on any connection must use the context it was given, or one derived from it: that is how
// the connection knows that the handler is waiting, and does not in turn wait for the handler.
type Handler interface {
	// Handle returns the result of a request: any value that can be written as JSON, nil for null. If it returns an
	// error that is or wraps an *Error, the peer gets that; any other error is sent as CodeInternalError with its text.
	// What it returns for a notification is dropped, an error after being reported as a Diagnostic.
	//
	// A panic or runtime.Goexit is CodeInternalError to the peer and a Diagnostic here (W9).
	Handle(ctx context.Context, req *Request) (result any, err error)
}

// A HandlerFunc is a function that is a Handler.
type HandlerFunc func(ctx context.Context, req *Request) (any, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, req *Request) (any, error) { return f(ctx, req) }

// ErrMethodNotFound is what a Handler returns for a method it does not know. The peer of a request is told so, with the
// method's name; a notification is ignored (W10).
var ErrMethodNotFound = errors.New("method not found")

// A Request is an incoming request, or a notification if it has no id.
type Request struct {
	// ID is the request's id, or the zero ID for a notification.
	ID ID

	// Method is the method's name.
	Method string

	// Params is the text of the parameters, nil if there are none. It must not be changed. It is nil too if a
	// Translator decoded them; Decode works in both cases.
	Params jsontext.Value

	conn    *Conn
	key     []byte // of its session
	value   any    // decoded parameters, from a Translator
	size    int    // bytes that count for the budget while the message waits
	arrival uint64 // its number among what was read
	ctx     handlerContext
	cancel  context.CancelCauseFunc

	// Guarded by Conn.mu.
	cancelled bool // the peer's cancel was read before the answer was handed over
	counted   bool // in Conn.running

	onCancelled func(result any, err error) (any, error)
	afterAnswer []func()
}

// weight is what the request counts for while its handler runs.
func (r *Request) weight() int { return r.size + runningCost }

// IsNotification reports whether the peer expects no answer.
func (r *Request) IsNotification() bool { return r.ID.IsZero() }

// Key returns the name of the session that the request belongs to, as Options.Key says; empty for none. It must not be
// changed.
func (r *Request) Key() []byte { return r.key }

// Conn returns the connection that the request came from.
func (r *Request) Conn() *Conn { return r.conn }

// Decode reads the parameters into v, a pointer. Its error is an *Error of CodeInvalidParams, fit to be returned by the
// handler. Absent parameters are read as an empty object.
func (r *Request) Decode(v any) error {
	var err error
	switch {
	case r.value != nil:
		err = assign(r.value, v)
	case r.Params == nil:
		err = decodeValue([]byte("{}"), v)
	default:
		err = decodeValue(r.Params, v)
	}
	if err != nil {
		return NewError(CodeInvalidParams, "invalid params of %s: %v", r.Method, err)
	}
	return nil
}

// Cancel cancels the context of the request's handler with a cause, also before the handler has started. The answer is
// still what the handler returns.
func (r *Request) Cancel(cause error) {
	if r.cancel != nil {
		r.cancel(cause)
	}
}

// CancelledByPeer does what the peer's $/cancel_request for this request would do, for protocols that cancel in other ways
// too: the context of the handler is cancelled and, if the answer has not been handed to the writer, the cancel wins (W7).
// Otherwise nothing happens. Cancel before, with a cause, to give the context one of its own.
func (r *Request) CancelledByPeer() {
	if r.conn != nil && !r.IsNotification() {
		r.conn.cancelledByPeer(r)
	}
}

// OnCancelled sets how the request is answered if the peer cancelled it before its answer was handed to the writer.
// The function gets what the handler returned; without one the answer is CodeRequestCancelled whatever that was (W7).
// It is for Options.Preempt and for the handler, not for goroutines beside them.
func (r *Request) OnCancelled(f func(result any, err error) (any, error)) { r.onCancelled = f }

// AfterAnswer adds a function that is called once the answer has been handed to the writer, so that whatever it sends
// follows the answer. It runs on the handler's goroutine. Like OnCancelled, it is for Options.Preempt and the handler.
func (r *Request) AfterAnswer(f func()) { r.afterAnswer = append(r.afterAnswer, f) }

// errCancelledByPeer is the cause of a context that the peer's cancel ended.
var errCancelledByPeer = errors.New("cancelled by the peer")

// A handlerContext is the context of a handler. It tells the connection's own functions that a handler is calling.
type handlerContext struct {
	context.Context
	conn    *Conn
	queue   *queue // nil for a request without a session
	ordered bool   // of a notification: the session's later messages wait for it
	waits   int    // waiters of this handler, guarded by Conn.mu of conn
}

type handlerContextKey struct{}

func (h *handlerContext) Value(key any) any {
	if key == (handlerContextKey{}) {
		return h
	}
	return h.Context.Value(key)
}

// handlerOf returns the handler that a context was given to, or nil.
func handlerOf(ctx context.Context) *handlerContext {
	h, _ := ctx.Value(handlerContextKey{}).(*handlerContext)
	return h
}
