package coder

import (
	"context"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A wreck is what a turn was when its process was killed, or when another session began with it.
type wreck struct {
	running bool                    // the turn has no end
	open    map[acp.ToolCallID]bool // its calls without a final status
	order   []acp.ToolCallID        // of open
	said    strings.Builder         // by the model since the last call
	lost    lost
}

// mend finishes what was not finished when the process ended that had the session: tool calls get a final status, and the
// model is told what it said and that it was cut short.
func (s *session) mend(ctx context.Context, loaded *store.Loaded) error {
	w := &wreck{open: map[acp.ToolCallID]bool{}}
	for event, err := range loaded.Events(ctx) {
		if err == nil {
			err = w.see(event)
		}
		if err != nil {
			return err
		}
	}
	var change store.Change
	for _, u := range w.ends() {
		event, err := store.UpdateEvent(u)
		if err != nil {
			return err
		}
		change.Events = append(change.Events, event)
	}
	if w.running {
		event, err := store.EndEvent("")
		if err != nil {
			return err
		}
		change.Events = append(change.Events, event)
	}
	for _, m := range w.missing(s.conversation) {
		text, err := encodeMessage(m)
		if err != nil {
			return err
		}
		change.Messages = append(change.Messages, text)
		s.conversation = append(s.conversation, m)
	}
	if len(change.Events) == 0 && len(change.Messages) == 0 {
		return nil
	}
	_, err := s.desk.keep.append(change)
	return err
}

// finished are turns of a session that another one begins with. What the last of them is still doing goes on in the first
// session alone, so here it ends.
func finished(turns []agent.HistoryTurn) []agent.HistoryTurn {
	if len(turns) == 0 {
		return turns
	}
	w := &wreck{open: map[acp.ToolCallID]bool{}}
	last := &turns[len(turns)-1]
	for _, u := range last.Updates {
		w.note(u)
	}
	last.Updates = append(last.Updates, w.ends()...)
	return turns
}

// ends are the updates that give everything a final status.
func (w *wreck) ends() (updates []acp.SessionUpdate) {
	for _, id := range w.order {
		if w.open[id] {
			updates = append(updates, &acp.ToolCallUpdate{
				ToolCallID: id, Status: acp.Some(acp.ToolCallStatusFailed),
				RawOutput: acp.Some(acp.Raw(`{"error":"The session broke off before the tool ended."}`)),
			})
		}
	}
	return append(updates, w.lost.ends()...)
}

// see notes an event.
func (w *wreck) see(event store.Event) error {
	switch event.Kind {
	case store.KindPrompt:
		w.running = true
		w.said.Reset()
		return nil
	case store.KindEnd:
		w.running = false
		return nil
	}
	update, err := event.Update()
	if err != nil {
		return err
	}
	w.note(update)
	return nil
}

// note notes what was said or done.
func (w *wreck) note(update acp.SessionUpdate) {
	switch u := update.(type) {
	case *acp.ToolCall:
		w.said.Reset()
		w.call(u.ToolCallID, u.Status)
	case *acp.ToolCallUpdate:
		if status, ok := u.Status.Get(); ok {
			w.call(u.ToolCallID, status)
		}
	case *acp.SubagentUpdate:
		w.lost.see(u)
	case *acp.AgentMessageChunk:
		if text, ok := u.Content.(*acp.TextContent); ok {
			w.said.WriteString(text.Text)
		}
	}
}

func (w *wreck) call(id acp.ToolCallID, status acp.ToolCallStatus) {
	if _, known := w.open[id]; !known {
		w.order = append(w.order, id)
	}
	w.open[id] = !status.Final()
}

// missing are the messages that make a conversation whole again: each call has a result, and each prompt an answer.
func (w *wreck) missing(conversation []model.Message) (list []model.Message) {
	if len(conversation) == 0 {
		return nil
	}
	last := conversation[len(conversation)-1]
	if len(last.Calls) > 0 {
		results := noResults(last.Calls)
		for i := range results {
			results[i].Text = cutShort
		}
		last = model.Message{Role: model.RoleUser, Results: results}
		list = append(list, last)
	}
	if !w.running || last.Role != model.RoleUser {
		return list
	}
	text := "[interrupted: the agent was ended]"
	if said := strings.TrimSpace(w.said.String()); said != "" && len(list) == 0 {
		text = said + "\n\n" + text
	}
	return append(list, model.Message{Role: model.RoleAssistant, Content: []acp.ContentBlock{acp.Text(text)}})
}
