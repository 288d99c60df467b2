package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A Turn is what follows a prompt: a span of the agent's work that ends with a stop reason or an error. Session.Prompt
// starts one.
type Turn struct {
	session *Session
	ctx     context.Context // for its values and as what cancels the turn
	request acp.PromptRequest
	entered sync.Once
	begun   bool    // the State has the prompt; set by entered
	stream  *stream // nil if nobody will loop
	done    chan struct{}
	answer  context.Context         // of the wait for the agent's answer
	abandon context.CancelCauseFunc // ends it

	spoken  atomic.Bool                     // there was something that an answer can be made of
	pending atomic.Pointer[jsonrpc.Pending] // the prompt's request; another one after signing in
	era     int                             // of signing in, when it was sent

	result *Result // of Wait; fixed when done is closed
	err    error

	// Guarded by Client.mu.
	cancelled bool
	told      bool // the cancel has been handed to the writer
	gaveUp    bool // the agent has not answered it in time
	reason    string
	cause     error // why the turn was cancelled, nil for Cancel
	grace     *time.Timer
	leave     context.CancelCauseFunc // ends the signing in, nil as long as nobody has to
}

// A Result is how a turn ended.
type Result struct {
	// StopReason says why. Only acp.StopReasonEndTurn means that the agent has said all it had to say (F170).
	StopReason acp.StopReason

	// Usage counts the tokens of the turn; nil if the agent did not say.
	//
	// Unstable: not part of the specification yet.
	Usage *acp.Usage

	// Unconfirmed says that the turn was cancelled and the agent has not answered within Options.CancelGrace: it may
	// still be at work. What it still sends arrives at the Handler and Session.Updates.
	Unconfirmed bool

	// Reason is what was given to CancelBecause.
	Reason string

	// Empty says that the agent ended the turn as if all were well, with acp.StopReasonEndTurn, but without a word, a
	// thought, a tool call, a request or a token. Agents do so when their provider has failed: it is no success (F169).
	Empty bool

	// Meta and Unknown are what else stood in the agent's answer.
	Meta    acp.Meta
	Unknown acp.Unknown
}

// Prompt gives the agent a message and with it the turn. It returns when the message has been handed to the writer. What
// the agent says reaches the Handler, the State (which has the message itself, too) and loops over Updates; Wait waits for the end. A session runs one turn
// at a time: a second prompt is ErrTurnRunning. Content that the agent did not advertise is an *acp.UnsupportedError,
// and nothing is sent (W11).
//
// The end of ctx cancels the turn as Cancel does, at any time until it has ended (W7). There is no other time limit but
// Options.IdleTimeout (T5).
//
// Spec: prompt-turn#1-user-message.
func (s *Session) Prompt(ctx context.Context, blocks ...acp.ContentBlock) (*Turn, error) {
	return s.PromptRequest(ctx, acp.PromptRequest{Prompt: blocks})
}

// PromptRequest is Prompt for a whole request. The session's id is filled in.
func (s *Session) PromptRequest(ctx context.Context, req acp.PromptRequest) (*Turn, error) {
	t, err := s.prompt(ctx, req, true)
	if err != nil {
		return nil, err
	}
	go func() {
		defer s.client.work.Done()
		resp, err := t.run()
		t.settle(err)
		t.end(resp, err)
	}()
	return t, nil
}

// Run is Prompt and Wait, for those who see the updates in their Handler. It spares the memory in which a Turn keeps
// them for a loop, and a goroutine.
func (s *Session) Run(ctx context.Context, blocks ...acp.ContentBlock) (*Result, error) {
	t, err := s.runTurn(ctx, blocks...)
	if err != nil {
		return nil, err
	}
	return t.Wait()
}

// runTurn is Run for who needs the turn, which has ended.
func (s *Session) runTurn(ctx context.Context, blocks ...acp.ContentBlock) (*Turn, error) {
	t, err := s.prompt(ctx, acp.PromptRequest{Prompt: blocks}, false)
	if err != nil {
		return nil, err
	}
	defer s.client.work.Done()
	resp, err := t.run()
	if t.pending.Load().Ordered() { // a handler that calls Run would wait for itself
		t.settle(err)
	}
	t.end(resp, err)
	return t, nil
}

// prompt begins a turn. Somebody has to run it.
func (s *Session) prompt(ctx context.Context, req acp.PromptRequest, loop bool) (*Turn, error) {
	if err := s.client.checkContent(req.Prompt); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", acp.MethodSessionPrompt, err)
	}
	req.SessionID = s.id
	if req.Prompt == nil {
		req.Prompt = []acp.ContentBlock{}
	}
	t := &Turn{session: s, ctx: ctx, request: req, done: make(chan struct{})}
	t.answer, t.abandon = context.WithCancelCause(context.WithoutCancel(ctx))
	if err := s.claim(t); err != nil {
		t.abandon(nil)
		return nil, err
	}
	if loop {
		t.stream = newStream(s)
		t.stream.turn = t
		s.streams.add(t.stream)
	}
	s.tools.clear()
	t.era = s.client.auth.era()
	s.live.Store(t)
	if err := t.send(); err != nil {
		t.end(nil, err)
		s.client.work.Done()
		return nil, err
	}
	return t, nil
}

// checkContent refuses content that the agent did not advertise.
func (c *Client) checkContent(blocks []acp.ContentBlock) error {
	for i, block := range blocks {
		if block == nil {
			return fmt.Errorf("%s: content block %d is nil", acp.MethodSessionPrompt, i)
		}
		if c.init.AgentCapabilities.PromptCapabilities.Allow(block) {
			continue
		}
		capability := "agentCapabilities.promptCapabilities"
		switch block.(type) {
		case *acp.ImageContent:
			capability += ".image"
		case *acp.AudioContent:
			capability += ".audio"
		case *acp.EmbeddedResource:
			capability += ".embeddedContext"
		}
		return &acp.UnsupportedError{Method: acp.MethodSessionPrompt, Capability: capability}
	}
	return nil
}

// claim makes the turn the session's, and counts it among the client's work.
func (s *Session) claim(t *Turn) error {
	c := s.client
	if err := c.conn.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case s.over || c.over:
		return fmt.Errorf("session %s: %w", s.id, ErrSessionClosed)
	case s.turn != nil:
		return fmt.Errorf("session %s: %w", s.id, ErrTurnRunning)
	}
	s.turn = t
	c.work.Add(1)
	return nil
}

// send hands the prompt to the writer.
func (t *Turn) send() error {
	s := t.session
	pending, err := s.client.conn.Prepare(acp.MethodSessionPrompt, &t.request)
	if err != nil {
		return err
	}
	if err := s.lockWire(t.ctx); err != nil {
		return err
	}
	defer s.unlockWire()
	if t.isCancelled() { // before there was anything that a cancel on the wire could have ended
		return acp.ErrRequestCancelled()
	}
	t.pending.Store(pending)
	if err := pending.Send(t.ctx); err != nil {
		return err
	}
	t.enter()
	return nil
}

// covers reports whether an update was read between the prompt and its answer.
func (t *Turn) covers(req *jsonrpc.Request) bool {
	pending := t.pending.Load()
	return pending != nil && pending.Covers(req)
}

// enter puts the prompt into the State, once: when it has been handed to the writer, or before an update that follows it
// and is handled sooner. A prompt that is refused on this side leaves no trace.
func (t *Turn) enter() {
	t.entered.Do(func() {
		t.session.state.UserPrompt(t.request.Prompt...)
		t.begun = true
	})
}

// run waits for the agent's answer.
func (t *Turn) run() (*acp.PromptResponse, error) {
	c := t.session.client
	stopWatching := context.AfterFunc(t.ctx, t.contextEnded)
	defer stopWatching()
	stopIdle := t.watchIdle()
	defer stopIdle()
	var resp acp.PromptResponse
	err := t.pending.Load().Wait(t.answer, &resp)
	if c.mustSignIn(err) && t.untouched() {
		err = t.signIn(err, &resp)
	}
	return &resp, err
}

// untouched reports whether the agent has answered the prompt without having said or asked anything: then it has done nothing,
// as far as one can tell, and the prompt can be given once more. Where the answer did not wait for what came before it, one
// can't tell.
func (t *Turn) untouched() bool { return t.pending.Load().Ordered() && !t.spoken.Load() }

// settle waits until what came before the agent's answer has been handled (W5). In the turn's session that is so, unless the
// prompt was sent with a handler's context; its subagents' sessions have queues of their own, which no answer waits for.
func (t *Turn) settle(err error) {
	if err != nil && codeOf(err) == 0 {
		return // there was no answer
	}
	s := t.session
	behind := s.client.below(s)
	if !t.pending.Load().Ordered() {
		behind = append(behind, s.id)
	}
	for _, id := range behind {
		_ = s.client.conn.Handled(outsider{t.answer}, string(id)) // or somebody has given up the turn
	}
}

// An outsider is a context without what it knows of a handler.
type outsider struct{ context.Context }

func (outsider) Value(any) any { return nil }

// signIn has the user sign in, unless the turn is cancelled meanwhile, and sends the prompt once more.
func (t *Turn) signIn(failed error, resp *acp.PromptResponse) error {
	c := t.session.client
	ctx, leave := context.WithCancelCause(t.answer)
	defer leave(nil)
	c.mu.Lock()
	t.leave = leave
	cancelled := t.cancelled
	c.mu.Unlock()
	if cancelled {
		return acp.ErrRequestCancelled()
	}
	err := c.signedIn(ctx, t.era, failed, func() error { return t.again(resp) })
	if errors.Is(context.Cause(ctx), errTurnCancelled) && errors.Is(err, errSignIn) {
		return acp.ErrRequestCancelled()
	}
	return err
}

// again sends the prompt once more.
func (t *Turn) again(resp *acp.PromptResponse) error {
	if err := t.send(); err != nil {
		return err
	}
	return t.pending.Load().Wait(t.answer, resp)
}

// end makes the outcome of the turn.
func (t *Turn) end(resp *acp.PromptResponse, err error) {
	s, c := t.session, t.session.client
	if t.stream != nil {
		s.streams.remove(t.stream)
	}
	if t.begun {
		s.state.EndTurn()
	}
	s.live.Store(nil)
	c.mu.Lock()
	if s.turn == t {
		s.turn, s.allowances = nil, nil
	}
	cancelled, gaveUp, reason, cause := t.cancelled, t.gaveUp, t.reason, t.cause
	if t.grace != nil {
		t.grace.Stop()
	}
	c.mu.Unlock()
	switch {
	case err == nil:
		t.result = &Result{StopReason: resp.StopReason, Usage: resp.Usage, Meta: resp.Meta, Unknown: resp.Unknown}
		t.result.Empty = resp.StopReason == acp.StopReasonEndTurn && !t.spoken.Load() && noTokens(resp.Usage)
	case cancelled && codeOf(err) == acp.CodeRequestCancelled:
		t.result = &Result{StopReason: acp.StopReasonCancelled}
	case gaveUp && codeOf(err) == 0: // also if the agent was killed for it
		t.result, t.err = &Result{StopReason: acp.StopReasonCancelled, Unconfirmed: true}, unconfirmed(s.id, cause)
	default:
		t.err = err
	}
	if t.result != nil {
		t.result.Reason = reason
		if t.err == nil && errors.Is(cause, ErrIdle) {
			t.err = cause
		}
	}
	t.abandon(nil)
	close(t.done)
}

func unconfirmed(id acp.SessionID, cause error) error {
	if cause == nil {
		return fmt.Errorf("turn of session %s: %w", id, ErrUnconfirmed)
	}
	return fmt.Errorf("turn of session %s: %w; %w", id, cause, ErrUnconfirmed)
}

// Session returns the session that the turn belongs to.
func (t *Turn) Session() *Session { return t.session }

// Done is closed when the turn has ended.
func (t *Turn) Done() <-chan struct{} { return t.done }

// Wait waits until the turn has ended and returns how. It works with and without a loop over Updates; by then all
// updates of the turn have been handled, are in the State, and have been given to the loops, which still yield them all
// (W5). Any number of goroutines may wait, but none inside a loop over updates or in Handler.Update: what these have not
// taken may be what the end of the turn waits for. Run can be called there.
//
// If the agent answered with an error that is returned, an *acp.Error (T6); if the connection ended, a
// *jsonrpc.ClosedError. A turn that was cancelled ends as the agent says, normally with acp.StopReasonCancelled and no
// error. If the agent has not said so within Options.CancelGrace, Wait returns both an unconfirmed Result and an error
// that wraps ErrUnconfirmed and, if it was the end of the prompt's context that cancelled the turn, that context's error.
// A turn that was too idle is an error that wraps ErrIdle.
func (t *Turn) Wait() (*Result, error) {
	<-t.done
	return t.result, t.err
}

// Updates returns the turn's updates in order, from its beginning, until the turn ends; also when it is called later.
// What a loop has not taken waits as Session.Updates describes. Leaving a loop does not lose what comes: the next loop
// goes on there. While no loop runs, nothing is held up, so that beyond Options.Budget, what came first is forgotten:
// Missed counts it. One loop can run at a time.
//
// The order of the wire decides what the turn's are: those that are read after the prompt has been handed to the writer and
// before the agent's answer is read, whenever they are handled. What the agent sends after its answer, by mistake or in the
// background, or after a turn that is Unconfirmed, is one of Session.Updates, until the next prompt is on its way: from
// then on the protocol has nothing that could tell it from the next turn's.
func (t *Turn) Updates() iter.Seq[acp.SessionUpdate] {
	if t.stream == nil {
		return func(func(acp.SessionUpdate) bool) {}
	}
	return t.stream.all
}

// Missed returns how many updates were forgotten because no loop over Updates was running and the budget was spent.
func (t *Turn) Missed() int {
	if t.stream == nil {
		return 0
	}
	return t.stream.lost()
}
