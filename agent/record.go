package agent

import (
	"context"
	"errors"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Recorder is told what happens in a session before the client is: what it keeps then can be shown again although the
// process was killed in between. It is called by one goroutine at a time, and must not use the session or its turn.
type Recorder interface {
	// Begin is called with a prompt before the turn begins. An error refuses the prompt, and is its answer.
	Begin(prompt []acp.ContentBlock) error

	// Update is called with an update before it is sent, whether or not this client understands it, or with several in
	// their order if they come at the same moment. An error means that none of them was kept: several are then tried one by
	// one, and the error of one is that of what was to send it, and nothing is sent. What is sent can still fail to leave: a
	// tool call that was too large is followed by an update which fails it. The updates must not be changed.
	Update(list ...acp.SessionUpdate) error

	// End is called before the answer to a prompt leaves, once for each Begin that returned nil. The reason is empty if
	// the turn failed. An error is logged.
	End(stop acp.StopReason, failure error) error
}

// A recording is a recorder in use. Updates are recorded and sent in the same order. While some are recorded others queue,
// and those are recorded together by the first of them: to keep something durably takes as long for one as for many.
type recording struct {
	to   Recorder
	turn sync.Mutex // held from Begin to End: the next prompt may come when a turn has ended and its end is not recorded

	mu    sync.Mutex // guards what follows
	busy  bool       // some are being recorded or sent
	queue []*entry   // what comes meanwhile, each of a caller that waits
}

// An entry is what one caller wants to be recorded.
type entry struct {
	in      *recording
	updates []acp.SessionUpdate
	err     error
	next    *entry    // is sent after this one
	turn    chan bool // true: record all that is queued, of which this is the first; false: this was recorded
}

// SetRecorder has all that the session sends from now on recorded first, prompts included. What Replay and Repeat send is
// not. Set it before the session has a turn, when what opening it sends has been sent. Nil ends it.
func (s *Session) SetRecorder(r Recorder) {
	if r == nil {
		s.recording.Store(nil)
		return
	}
	s.recording.Store(&recording{to: r})
}

// Repeat sends an update that was recorded, without recording it again. Where the client does not understand it, its
// fallback goes out instead. A text that is too long for a message goes in parts; anything else that is too large was not
// sent the first time either, and is left out.
func (s *Session) Repeat(ctx context.Context, u acp.SessionUpdate) error {
	if u = s.adapt(u); u == nil {
		return nil
	}
	return s.repeat(ctx, u)
}

// record records updates that are to be sent one after the other. Done has to be called on what it returns when they were
// sent; that may be nil.
func (s *Session) record(list ...acp.SessionUpdate) (*entry, error) {
	r := s.recording.Load()
	if r == nil {
		return nil, nil
	}
	e := &entry{in: r, updates: list, turn: make(chan bool, 1)}
	r.mu.Lock()
	first := !r.busy
	r.busy = true
	r.queue = append(r.queue, e)
	r.mu.Unlock()
	if first || <-e.turn {
		r.recordQueue()
	}
	if e.err != nil {
		e.done()
		return nil, e.err
	}
	return e, nil
}

// errUnrecorded is the error of updates whose recorder has panicked.
var errUnrecorded = errors.New("the update was not recorded")

// recordQueue records all that is queued, and links it: each is sent when the one before was.
func (r *recording) recordQueue() {
	r.mu.Lock()
	queue := r.queue
	r.queue = nil
	r.mu.Unlock()
	var all []acp.SessionUpdate
	for i, e := range queue {
		e.err = errUnrecorded
		all = append(all, e.updates...)
		if i > 0 {
			queue[i-1].next = e
		}
	}
	ended := false
	defer func() {
		if !ended { // it panics, and the others must go on
			queue[0].done()
		}
	}()
	if err := r.to.Update(all...); err == nil || len(queue) == 1 {
		for _, e := range queue {
			e.err = err
		}
	} else {
		for _, e := range queue {
			e.err = r.to.Update(e.updates...)
		}
	}
	ended = true
}

// done ends what record has begun: it is the next one's turn.
func (e *entry) done() {
	if e == nil {
		return
	}
	if e.next != nil {
		e.next.turn <- false
		return
	}
	r := e.in
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.queue) > 0 {
		r.queue[0].turn <- true
		return
	}
	r.busy = false
}

// fail records that tool calls which were recorded have failed, since they can't be sent.
func (e *entry) fail(calls []*ToolCall, why error) error {
	if e == nil {
		return nil
	}
	var ends []acp.SessionUpdate
	for _, c := range calls {
		ends = append(ends, &acp.ToolCallUpdate{
			ToolCallID: c.ID(), Status: acp.Some(acp.ToolCallStatusFailed), RawOutput: acp.Some(failureOutput(why.Error())),
		})
	}
	return e.in.to.Update(ends...)
}

// beginRecord records a prompt.
func (t *Turn) beginRecord(prompt []acp.ContentBlock) error {
	r := t.session.recording.Load()
	if r == nil {
		return nil
	}
	r.turn.Lock()
	if err := r.to.Begin(prompt); err != nil {
		r.turn.Unlock()
		return err
	}
	t.recording = r
	return nil
}

// endRecord records how the turn ended.
func (t *Turn) endRecord(stop acp.StopReason, failure error) {
	r := t.recording
	if r == nil {
		return
	}
	defer r.turn.Unlock()
	if failure != nil {
		stop = ""
	}
	if err := r.to.End(stop, failure); err != nil {
		t.session.conn.opts.Logger.Error("the end of a turn can't be recorded", "session", t.session.ID(), "error", err)
	}
}
