package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A Child describes a child session: a subagent's.
type Child struct {
	// SessionID names the child. Empty for a new one; a child that goes on with earlier work has the id that it had then.
	SessionID acp.SessionID

	// Title is what users know the child by. It stands before everything that they are asked on its behalf.
	Title string

	// Description says what the child is for.
	Description string

	// Call is a tool call of the turn that shows what the child does. If it is nil, a client that does not understand child
	// sessions gets a call that the child's states are made into.
	Call *ToolCall

	// Meta is the _meta of all that the parent says about the child.
	Meta acp.Meta
}

// childMeta is the member of _meta that tells whose something is; docs/subagents.md describes it.
const childMeta = "patchbay.dev/subagent"

// childhood is what makes a session a child.
type childhood struct {
	Child
	of     *Turn
	hidden bool // the client does not understand child sessions, and gets nothing of this one

	asks sync.Mutex // held while the client is told whether the child waits for the user
	open int        // questions
}

// NewChild returns a child session of the turn's, which works where its parent does. The client hears of it when it runs.
//
// A client that understands child sessions (ClientCapabilities.Subagents) sees all that the child sends, under the child's
// id, and can cancel it alone; any other client sees none of it, and has only the tool call. What a child asks of its client is
// asked in the name of the session that the client has opened: permissions and questions with the child's title before their
// own, files and terminals like the parent's.
func (t *Turn) NewChild(o Child) *Session {
	parent := t.session
	s := newSession(parent.conn, o.SessionID, &opening{parent.cwd, parent.roots[1:], parent.servers, parent.system, parent.meta})
	s.child = &childhood{Child: o, of: t, hidden: parent.conn.clientCapabilities().Subagents == nil}
	return s
}

// Parent returns the session that this one is a child of, nil for one that the client has opened.
func (s *Session) Parent() *Session {
	if s.child == nil {
		return nil
	}
	return s.child.of.session
}

// Run does a child's work: it is a turn, to which the parent is the client. It returns how that has ended when nothing of it is
// sent any more; the session is closed then. The work's context ends with ctx, with the parent's turn, and when the client
// cancels the child alone; the stop reason is StopReasonCancelled in each case.
func (s *Session) Run(ctx context.Context, prompt []acp.ContentBlock, work func(ctx context.Context, t *Turn) (acp.StopReason, error)) (stop acp.StopReason, err error) {
	if s.child == nil {
		return "", fmt.Errorf("run session %s: it is no child", s.ID())
	}
	ctx, leave := s.child.of.join(ctx)
	defer leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &Turn{session: s, stop: cancel, settled: make(chan struct{}), prompt: acp.PromptRequest{SessionID: s.ID(), Prompt: prompt}}
	t.begin(ctx)
	if err := s.enter(t); err != nil {
		return "", err
	}
	defer s.leave(t)
	if err := t.beginRecord(prompt); err != nil {
		return "", err
	}
	s.history.begin(prompt)
	if err := s.introduce(t); err != nil {
		t.endRecord("", err)
		return "", err
	}
	stop, err = "", errPanicked // unless the work returns
	defer func() { s.settled(t, stop, err) }()
	answer, err := t.run(work)
	if err != nil {
		return "", err
	}
	return answer.StopReason, nil
}

// enter makes the child known, so that a cancel finds its turn.
func (s *Session) enter(t *Turn) error {
	c, id := s.conn, s.ID()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[id] != nil || c.children[id] != nil {
		return fmt.Errorf("run session %s: it is open already", id)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrSessionClosed
	}
	s.turn = t
	if c.children == nil {
		c.children = map[acp.SessionID]*Session{}
	}
	c.children[id] = s
	return nil
}

// leave closes the child.
func (s *Session) leave(t *Turn) {
	s.conn.mu.Lock()
	delete(s.conn.children, s.ID())
	s.conn.mu.Unlock()
	t.settle()
	s.releaseTerminals(t.sending, nil)
	s.close()
}

// introduce tells the client of the child, before anything of the child's, and the child's stream of its task.
func (s *Session) introduce(t *Turn) error {
	if err := s.announceChild(&acp.RunningStateUpdate{}, func(u *acp.SubagentUpdate) {
		u.Title, u.Description = acp.Some(s.child.Title), acp.Some(s.child.Description)
		u.Capabilities = acp.Some(acp.SubagentSessionCapabilities{Cancel: &acp.SessionCancelCapabilities{}})
	}); err != nil {
		return err
	}
	return s.post(t.sending, &acp.SessionMessage{
		MessageID: acp.MessageID(s.next("msg")), SenderSessionID: acp.Some(s.Parent().ID()), Content: acp.Some(t.prompt.Prompt),
	})
}

// settled tells the client how the child's work has ended. If the parent's turn is over, nobody is left to be told.
func (s *Session) settled(t *Turn, stop acp.StopReason, failure error) {
	idle := &acp.IdleStateUpdate{StopReason: acp.IdleStopReason(stop)}
	t.mu.Lock()
	idle.Usage = t.usage
	t.mu.Unlock()
	if failure != nil {
		idle.StopReason = acp.IdleStopReasonError
		if !errors.As(failure, &idle.Error) {
			idle.Error = acp.ErrInternal("%s", failure)
		}
	}
	_ = s.announceChild(idle, nil)
}

// announceChild says in the parent what the child is doing.
func (s *Session) announceChild(state acp.StateUpdate, more func(*acp.SubagentUpdate)) error {
	meta := acp.Meta{}
	for name, value := range s.child.Meta {
		meta[name] = value
	}
	about := map[string]any{"parentSessionId": s.Parent().ID()}
	if s.child.Call != nil {
		about["toolCallId"] = s.child.Call.ID()
	}
	raw, err := rawOf(about)
	if err != nil {
		return err
	}
	meta[childMeta] = raw
	u := acp.SubagentUpdate{SessionID: s.ID(), State: acp.Some(state), Meta: acp.Some(meta)}
	if more != nil {
		more(&u)
	}
	return s.child.of.Subagent(u)
}

// childOf returns a child session that is at work, or nil.
func (c *Conn) childOf(id acp.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.children[id]
}

// isFree refuses what would change a session that is a child at work: the client may only cancel it.
func (c *Conn) isFree(id acp.SessionID) error {
	if c.childOf(id) != nil {
		return acp.ErrInvalidRequest("session %s is a subagent's that is at work: it can be cancelled", id)
	}
	return nil
}

// ended reports whether nobody could be told of something.
func ended(err error) bool { return errors.Is(err, ErrTurnEnded) || errors.Is(err, jsonrpc.ErrClosed) }
