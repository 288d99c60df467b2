package jsonrpc

import (
	"fmt"
	"time"
)

// Options adjust a connection. The zero value is a client's connection with the default limits and no sessions.
type Options struct {
	// KeyMember is the member of params that names the session that a message belongs to. If it is empty, no message
	// belongs to a session.
	KeyMember string

	// Key names the session that a message belongs to, given its method, the text of its params (nil if there are none)
	// and that of KeyMember's value in them (nil if it has none); nil or empty means none. The result is only looked at,
	// so it may be a part of params. Default: the text of the value, if it is a string.
	Key func(method string, params, member []byte) []byte

	// MaxMessageBytes limits a message in either direction. Default 64 MiB.
	MaxMessageBytes int

	// Budget limits the bytes of messages that have arrived and wait to be handled; reading pauses while it is spent
	// and no handler is waiting for the peer (W6). Each message counts for its own size and a little more. Default
	// 64 MiB, and never less than MaxMessageBytes. Requests whose handlers run have a limit of their own, four times
	// the budget and at least 4 MiB: reading does not pause for them, since it might be their cancel that comes next,
	// but a request beyond it is answered with CodeInternalError.
	Budget int

	// SessionShare is the part of the budget that a session may fill before its own handlers are the first to fail with
	// ErrOverloaded when all else has failed. Default an eighth of Budget.
	SessionShare int

	// AnswerNoise makes the connection answer what is no message with CodeParseError or CodeInvalidRequest and a null
	// id, as servers do. Without it such input is only reported to Diagnose (W3).
	AnswerNoise bool

	// CancelMethod is the notification that cancels a request; its params name it in the member "requestId". Default
	// "$/cancel_request".
	CancelMethod string

	// Preempt, if set, sees every request and notification as soon as it is read, in the order of the wire and before
	// it waits for earlier ones. If it returns true for a notification, that is done with. It must be quick and must
	// not call the connection; it may use the methods of the Request.
	Preempt func(*Request) (done bool)

	// Translator, if set, stands between the wire and everything above.
	Translator Translator

	// Observe, if set, sees every frame in both directions, in the order of the wire. It must be quick, must not call
	// the connection, and must neither change nor keep the bytes.
	Observe func(Traffic)

	// Diagnose, if set, is told of what went wrong without being anybody's error: stray output of the peer, messages
	// over the limit, answers to no call, handlers that panic. It may be called from several goroutines at once, must be
	// quick and must not call the connection.
	Diagnose func(Diagnostic)

	// HandlerGrace is how long handlers may go on after the end of input before their contexts are cancelled. Default 0:
	// they are cancelled at once. Close does not wait for it.
	HandlerGrace time.Duration
}

// Limits and defaults.
const (
	DefaultMaxMessageBytes = 64 << 20
	DefaultCancelMethod    = "$/cancel_request"

	// messageCost is what a message counts for beyond its own bytes while it waits, and runningCost what a request counts
	// for while its handler runs: roughly what the records and the goroutine take.
	messageCost = 256
	runningCost = 4096

	// maxIDBytes is how long an id may be: longer than any that is meant to be one.
	maxIDBytes = 4096

	// overload is how many times the budget may be exceeded for the sake of handlers that wait for the peer.
	overload = 4

	// leastLimit is the least value of the limits that are no plain multiple of the budget.
	leastLimit = 4 << 20

	// maxBacklog is how many bytes may wait for the writer before calls, notifications and answers wait too.
	maxBacklog = 1 << 20

	// flushTimeout bounds how long an ended connection goes on writing what was accepted before.
	flushTimeout = time.Second
)

func (o Options) withDefaults() Options {
	switch {
	case o.KeyMember == "":
		o.Key = func(string, []byte, []byte) []byte { return nil }
	case o.Key == nil:
		o.Key = func(_ string, _, member []byte) []byte { return StringText(member) }
	}
	if o.MaxMessageBytes <= 0 {
		o.MaxMessageBytes = DefaultMaxMessageBytes
	}
	if o.Budget <= 0 {
		o.Budget = DefaultMaxMessageBytes
	}
	o.Budget = max(o.Budget, o.MaxMessageBytes)
	if o.SessionShare <= 0 {
		o.SessionShare = o.Budget / 8
	}
	if o.CancelMethod == "" {
		o.CancelMethod = DefaultCancelMethod
	}
	return o
}

// Traffic is one frame that crossed the wire.
type Traffic struct {
	Outgoing bool
	Data     []byte    // the message's text; nil if it was too large to keep
	TooLarge *TooLarge // what is known of an incoming message over the limit
}

// A Diagnostic reports what nobody waited for.
type Diagnostic struct {
	Kind DiagnosticKind

	// Text is what the peer sent, cut at 4 KiB, where there is such a thing.
	Text string

	// Method is the message's method, where it is known.
	Method string

	// Err says what is wrong.
	Err error
}

// A DiagnosticKind says what a Diagnostic is about.
type DiagnosticKind int

const (
	Noise           DiagnosticKind = iota // input that is no message: banners, log lines, half a line
	InvalidMessage                        // a message that breaks the rules of JSON-RPC
	UnmatchedAnswer                       // an answer without an id, or to no request of ours
	Oversize                              // a message over the limit
	HandlerPanic                          // a handler panicked or called runtime.Goexit
	HandlerError                          // a notification's handler returned an error
	AnswerLost                            // an answer could not be sent as it was
)

var diagnosticNames = [...]string{"noise", "invalid message", "unmatched answer", "oversize message", "handler panic", "handler error", "answer lost"}

func (k DiagnosticKind) String() string {
	if k < 0 || int(k) >= len(diagnosticNames) {
		return fmt.Sprintf("diagnostic %d", int(k))
	}
	return diagnosticNames[k]
}

func (d Diagnostic) String() string {
	s := d.Kind.String()
	if d.Method != "" {
		s += " in " + d.Method
	}
	if d.Err != nil {
		s += ": " + d.Err.Error()
	}
	if d.Text != "" {
		s += fmt.Sprintf(" (%.200q)", d.Text)
	}
	return s
}

const maxDiagnosticText = 4096

func (c *Conn) diagnose(kind DiagnosticKind, method string, text []byte, err error) {
	if c.opts.Diagnose != nil {
		c.opts.Diagnose(Diagnostic{Kind: kind, Method: method, Text: string(text[:min(len(text), maxDiagnosticText)]), Err: err})
	}
}
