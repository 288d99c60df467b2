package agent

import (
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// A textUpdate is one piece of a message and all that is around it, in one piece of memory: streaming text is what an
// agent does most.
type textUpdate struct {
	n     acp.SessionNotification
	chunk acp.AgentMessageChunk
	text  acp.TextContent
}

// Text streams a piece of what the agent says. Pieces belong to one message, with one message id, until NewMessage or a
// tool call comes between them.
func (t *Turn) Text(s string) error {
	u := &textUpdate{}
	u.text.Text = s
	u.chunk.Content = &u.text
	u.n.Update = &u.chunk
	t.gate.RLock()
	defer t.gate.RUnlock()
	if t.ended {
		return ErrTurnEnded
	}
	u.chunk.MessageID = t.messageID()
	session := t.session
	recorded, err := session.record(&u.chunk)
	if err != nil {
		return err
	}
	defer recorded.done()
	session.history.add(&u.chunk)
	if session.child != nil && session.child.hidden {
		return nil
	}
	u.n.SessionID = session.id
	return session.conn.rpc.Notify(t.sending, acp.MethodSessionUpdate, &u.n)
}

// Textf is Text with a format.
func (t *Turn) Textf(format string, args ...any) error { return t.Text(fmt.Sprintf(format, args...)) }

// Write is Text, so that a turn is an io.Writer.
func (t *Turn) Write(p []byte) (int, error) {
	if err := t.Text(string(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Thought streams a piece of the agent's reasoning. Thoughts have message ids of their own.
func (t *Turn) Thought(s string) error {
	return t.Update(&acp.AgentThoughtChunk{Content: acp.Text(s), MessageID: t.thoughtID()})
}

// Content streams a piece of a message that may be of any kind: an image, a link, a resource.
func (t *Turn) Content(block acp.ContentBlock) error {
	return t.Update(&acp.AgentMessageChunk{Content: block, MessageID: t.messageID()})
}

// NewMessage makes the next text begin another message, and the next thought another thought.
func (t *Turn) NewMessage() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.message, t.thought = "", ""
}

func (t *Turn) messageID() acp.MessageID {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.message == "" {
		t.message = acp.MessageID(t.session.next("msg"))
		t.spoke = true
	}
	return t.message
}

// hasSpoken reports whether anything was said in the turn.
func (t *Turn) hasSpoken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spoke
}

func (t *Turn) thoughtID() acp.MessageID {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.thought == "" {
		t.thought = acp.MessageID(t.session.next("thought"))
	}
	return t.thought
}

// Plan replaces the session's plan.
//
// Spec: agent-plan.
func (t *Turn) Plan(entries ...acp.PlanEntry) error {
	return t.Update(&acp.Plan{Entries: some(entries)})
}

// Commands replaces the list of commands that the user can give.
//
// Spec: slash-commands.
func (t *Turn) Commands(list ...acp.AvailableCommand) error {
	return t.Update(&acp.AvailableCommandsUpdate{AvailableCommands: some(list)})
}

// Mode says that the session is in another mode.
func (t *Turn) Mode(mode acp.SessionModeID) error {
	return t.Update(&acp.CurrentModeUpdate{CurrentModeID: mode})
}

// ConfigOptions says what the session's options are now, all of them.
func (t *Turn) ConfigOptions(list ...acp.SessionConfigOption) error {
	return t.Update(&acp.ConfigOptionUpdate{ConfigOptions: some(list)})
}

// Title says what the session is about.
func (t *Turn) Title(s string) error {
	return t.Update(&acp.SessionInfoUpdate{Title: acp.Some(s)})
}

// Usage says how full the session's context is. Say it once for each answer of the model (F165).
func (t *Turn) Usage(u acp.UsageUpdate) error { return t.Update(&u) }

// Notice tells the user something that is not part of the conversation.
func (t *Turn) Notice(n acp.Notice) error { return t.Update(&n) }

// Compaction says that the session's context is being shortened, or how far that has come.
func (t *Turn) Compaction(u acp.CompactionUpdate) error { return t.Update(&u) }

// CompactionSummary streams a piece of the summary that a compaction makes.
func (t *Turn) CompactionSummary(id acp.CompactionID, block acp.ContentBlock) error {
	return t.Update(&acp.CompactionSummaryChunk{CompactionID: id, Content: block})
}

// Subagent says that the session has a child session, or what has changed about it.
//
// Unstable: not part of the specification yet.
func (t *Turn) Subagent(u acp.SubagentUpdate) error { return t.Update(&u) }

// Update sends any update as part of the turn. Where the client does not understand it, its fallback goes out instead;
// the package's documentation lists them. A tool call that is announced so has to reach a final status like any other
// and is failed with the turn otherwise. The update must not be changed afterwards.
func (t *Turn) Update(u acp.SessionUpdate) error {
	t.gate.RLock()
	defer t.gate.RUnlock()
	return t.updateGated(u)
}

// updateGated is Update with the gate held for reading.
func (t *Turn) updateGated(u acp.SessionUpdate) error {
	if t.ended {
		return ErrTurnEnded
	}
	u = t.session.stamped(u)
	shown := t.session.adapt(u)
	id, status, tracked := statusOf(shown)
	if tracked {
		if err := t.trackable(id); err != nil {
			return err
		}
	}
	recorded, err := t.session.record(u)
	if err != nil {
		return err
	}
	defer recorded.done()
	t.session.history.add(u)
	if shown == nil {
		return nil
	}
	err = t.session.post(t.sending, shown)
	if tracked && !unsent(err) {
		t.track(id, status, &openCall{background: u != shown})
	}
	return err
}
