package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A Turn is a span of work in a session that a prompt has started. It gives Prompt what it needs to do the work and to
// show it.
//
// The streaming methods take no context. They return an error only if the connection is gone, the turn has ended, or
// what was to be sent makes no sense; in a cancelled turn they work until Prompt returns, since a client still wants to
// know how things ended. The methods that ask the client for something take a context and end with the turn, whatever
// context that is: with an error that is ErrCancelled (T4).
type Turn struct {
	session *Session
	req     *jsonrpc.Request        // nil for a child's
	stop    context.CancelCauseFunc // of ctx
	prompt  acp.PromptRequest

	ctx     context.Context // of Prompt
	sending context.Context // the same, but it does not end when the turn is cancelled
	settled chan struct{}   // closed when the answer has been handed to the writer

	recording *recording // nil if the turn is not recorded

	// Guarded by Session.mu. Cancelled says why the turn was cancelled, nil if it was not.
	cancelled error
	reason    string

	// gate is held for reading while something of the turn is sent, so that end, which takes it for writing, knows that
	// nothing follows (T2). Taken before mu.
	gate  sync.RWMutex
	ended bool

	mu      sync.Mutex // guards everything below; never held while sending
	message acp.MessageID
	thought acp.MessageID
	spoke   bool // a message has been begun
	open    map[acp.ToolCallID]*openCall
	usage   *acp.Usage
	meta    acp.Meta
}

type turnKey struct{}

// TurnOf returns the turn whose Prompt was given a context, or one that the context is derived from; otherwise nil.
func TurnOf(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Session returns the session that the turn is part of.
func (t *Turn) Session() *Session { return t.session }

// Request returns the whole request.
func (t *Turn) Request() *acp.PromptRequest { return &t.prompt }

// Prompt returns the user's message. All blocks are of kinds that the agent advertises.
func (t *Turn) Prompt() []acp.ContentBlock { return t.prompt.Prompt }

// PromptText returns the text blocks of the user's message, joined with newlines.
func (t *Turn) PromptText() string {
	var texts []string
	for _, block := range t.prompt.Prompt {
		if text, ok := block.(*acp.TextContent); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Command returns the command that the user's message begins with, "/name" and perhaps some input after it, and whether
// there is one. The name has no further slash, so that a path is not taken for a command. Whether the command is known
// is up to the author: an unknown one deserves a clear answer.
//
// Spec: slash-commands.
func (t *Turn) Command() (name, input string, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(t.PromptText()), "/")
	if !ok {
		return "", "", false
	}
	name = rest
	if end := strings.IndexAny(rest, " \t\r\n"); end >= 0 {
		name, input = rest[:end], strings.TrimSpace(rest[end:])
	}
	if name == "" || strings.Contains(name, "/") {
		return "", "", false
	}
	return name, input, true
}

// SetUsage sets the count of tokens that the turn's answer will have.
//
// Unstable: not part of the specification yet.
func (t *Turn) SetUsage(u acp.Usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = &u
}

// SetMeta sets the _meta that the turn's answer will have.
func (t *Turn) SetMeta(m acp.Meta) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.meta = m
}

// CancelReason returns what the client said about why it cancelled the turn, in the member "reason" of session/cancel
// or of its _meta. It is empty if the client said nothing, and as long as the turn was not cancelled.
func (t *Turn) CancelReason() string {
	t.session.mu.Lock()
	defer t.session.mu.Unlock()
	return t.reason
}

// begin makes the turn ready for Prompt.
func (t *Turn) begin(ctx context.Context) {
	t.ctx = context.WithValue(ctx, turnKey{}, t)
	t.sending = context.WithoutCancel(t.ctx)
}

// run calls Prompt, or does a child's work, and ends the turn, also if that panics or ends its goroutine (W9).
func (t *Turn) run(work func(context.Context, *Turn) (acp.StopReason, error)) (response *acp.PromptResponse, err error) {
	stop, failure := acp.StopReason(""), errPanicked
	defer func() {
		if p := recover(); p != nil {
			t.session.conn.opts.Logger.Error("Prompt panicked", "session", t.session.ID(), "panic", p, "stack", string(debug.Stack()))
			failure = acp.ErrInternal("the agent failed: %v", p)
		}
		response, err = t.end(stop, failure)
	}()
	stop, failure = work(t.ctx, t)
	return nil, nil
}

// end ends the turn: nothing of it is sent any more, its tool calls have a final status, its terminals are gone if it
// was cut short, and it is decided what the answer is (T1, T2, T4).
func (t *Turn) end(stop acp.StopReason, failure error) (*acp.PromptResponse, error) {
	if failure == nil && stop == "" {
		stop = acp.StopReasonEndTurn
	}
	if failure == nil && !stop.Known() {
		failure = fmt.Errorf("the agent ended the turn with the unknown stop reason %q", stop)
	}
	t.gate.Lock()
	t.ended = true
	t.gate.Unlock()
	t.closeCalls(failure)
	tidied := false
	if failure != nil {
		t.tidy()
		tidied = true
	}
	for !t.decide(&stop, &failure, tidied) {
		t.tidy()
		tidied = true
	}
	t.endRecord(stop, failure)
	if failure != nil {
		return nil, failure
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return &acp.PromptResponse{StopReason: stop, Usage: t.usage, Meta: t.meta}, nil
}

// decide takes the turn off the session and says how it ended. From then on a cancel finds no turn (T3). It returns
// false if the turn turns out to be cancelled and has not been tidied up.
func (t *Turn) decide(stop *acp.StopReason, failure *error, tidied bool) bool {
	s := t.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.cancelled != nil || t.ctx.Err() != nil {
		if !tidied {
			return false
		}
		*stop, *failure = acp.StopReasonCancelled, nil
	}
	if s.turn == t {
		s.turn, s.answering = nil, t
	}
	s.history.end(*stop, *failure)
	return true
}

// answerCancelled is the answer to a prompt whose request the client has cancelled, rather than the turn (W7).
func (t *Turn) answerCancelled(result any, _ error) (any, error) {
	answer := &acp.PromptResponse{StopReason: acp.StopReasonCancelled}
	if r, ok := result.(*acp.PromptResponse); ok && r != nil {
		answer.Usage, answer.Meta = r.Usage, r.Meta
	}
	return answer, nil
}

// asCancelled puts ErrCancelled into the error of something that ended because the turn was cancelled.
func (t *Turn) asCancelled(err error) error {
	if err == nil || errors.Is(err, ErrCancelled) || t.ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w (%w)", ErrCancelled, err)
}

// join returns a context for a request to the client: it ends with ctx and with the turn (T4), and is known to belong to
// the turn's handler even if ctx does not come from it (W6).
func (t *Turn) join(ctx context.Context) (context.Context, context.CancelFunc) {
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(t.ctx, func() { cancel(context.Cause(t.ctx)) })
	return mergedContext{joined, t.ctx}, func() {
		stop()
		cancel(nil)
	}
}

// A mergedContext has the values of two contexts.
type mergedContext struct {
	context.Context
	other context.Context
}

func (c mergedContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.other.Value(key)
}

// call makes a request to the client on behalf of the turn.
func (t *Turn) call(ctx context.Context, method string, params, result any) error {
	t.gate.RLock()
	ended := t.ended
	t.gate.RUnlock()
	if ended {
		return ErrTurnEnded
	}
	if err := t.session.usable(); err != nil {
		return err
	}
	ctx, stop := t.join(ctx)
	defer stop()
	return t.asCancelled(t.session.conn.Call(ctx, method, params, result))
}
