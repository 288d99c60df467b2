package agent

import (
	"context"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Recorder is told what happens in a session before the client is: what it keeps then can be shown again although the
// process was killed in between. It is called by one goroutine at a time, and must not use the session or its turn.
type Recorder interface {
	// Begin is called with a prompt before the turn begins. An error refuses the prompt, and is its answer.
	Begin(prompt []acp.ContentBlock) error

	// Update is called with an update before it is sent, whether or not this client understands it. An error is the error
	// of what was to send it, and nothing is sent. What is sent can still fail to leave: a tool call that was too large is
	// followed by an update which fails it. The update must not be changed.
	Update(u acp.SessionUpdate) error

	// End is called before the answer to a prompt leaves, once for each Begin that returned nil. The reason is empty if
	// the turn failed. An error is logged.
	End(stop acp.StopReason, failure error) error
}

// A recording is a recorder in use.
type recording struct {
	to   Recorder
	turn sync.Mutex // held from Begin to End: the next prompt may come when a turn has ended and its end is not recorded
	mu   sync.Mutex // held while an update is recorded and sent, so that both happen in the same order
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

// record records an update. Done has to be called on what it returns when the update was sent; that may be nil.
func (s *Session) record(u acp.SessionUpdate) (*recording, error) {
	r := s.recording.Load()
	if r == nil {
		return nil, nil
	}
	r.mu.Lock()
	if err := r.to.Update(u); err != nil {
		r.mu.Unlock()
		return nil, err
	}
	return r, nil
}

// done ends what record has begun.
func (r *recording) done() {
	if r != nil {
		r.mu.Unlock()
	}
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
