package coder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// create stores a new session.
func (c *Coder) create(ctx context.Context, s *agent.Session, state *session) error {
	db, _ := c.cabinet.get(ctx) // the user is told why there is none
	if db == nil {
		return nil
	}
	lease, err := db.Create(ctx, store.Session{ID: s.ID(), CWD: s.CWD(), Roots: s.Roots()[1:]})
	if err != nil {
		return keptError(s.ID(), err)
	}
	state.desk.keep = newKeeper(db, lease)
	return nil
}

// takeUp makes s go on with a stored session that is open nowhere. It returns what is left to send of it.
func (c *Coder) takeUp(ctx context.Context, db *store.Store, s *agent.Session) (state *session, title string, err error) {
	lease, err := db.Acquire(ctx, s.ID())
	if err != nil {
		return nil, "", keptError(s.ID(), err)
	}
	state, title, err = c.fromStore(ctx, newKeeper(db, lease), s)
	if err != nil {
		return nil, "", errors.Join(err, lease.Close())
	}
	return state, title, nil
}

// fromStore makes a session of what is stored, all of which is read first: one that is damaged fails before anything of it
// is shown. What a process left unfinished that was killed is finished.
func (c *Coder) fromStore(ctx context.Context, k *keeper, s *agent.Session) (*session, string, error) {
	loaded, err := k.store.Load(ctx, s.ID())
	if err != nil {
		return nil, "", keptError(s.ID(), err)
	}
	cfg, err := c.place(s)
	if err != nil {
		return nil, "", err
	}
	chosen, err := c.keptChoice(s, cfg, loaded.Settings)
	if err != nil {
		return nil, "", err
	}
	state := newState(s, cfg, chosen)
	state.desk.keep = k
	if err := state.recall(ctx, loaded); err != nil {
		return nil, "", keptError(s.ID(), err)
	}
	if err := state.mend(ctx, loaded); err != nil {
		return nil, "", keptError(s.ID(), err)
	}
	if _, err := k.append(store.Change{Place: &store.Place{CWD: s.CWD(), Roots: s.Roots()[1:]}}); err != nil {
		return nil, "", keptError(s.ID(), err)
	}
	return state, loaded.Title, nil
}

// keptChoice returns the settings that are stored, as far as they can still be had. What lets the session do things without
// asking does not stay.
func (c *Coder) keptChoice(s *agent.Session, cfg *config.Config, text []byte) (settings, error) {
	var kept keptSettings
	if len(text) > 0 {
		if err := json.Unmarshal(text, &kept); err != nil {
			return settings{}, acp.ErrInternal("the settings of session %s can't be read: %s", s.ID(), err)
		}
	}
	var e engine
	err := errors.New("none is stored")
	if kept.Model != "" && c.models.fixed == nil {
		e, err = c.models.named(cfg, kept.Model)
	}
	if err != nil {
		if e, _, err = c.models.choose(cfg); err != nil {
			return settings{}, c.refuse(s, err)
		}
	}
	chosen := settingsOf(cfg, e)
	if kept.Model != "" {
		chosen.thinking, chosen.maxTokens = settingThinking(kept.Thinking), kept.MaxTokens
	}
	return chosen, nil
}

// recall reads what a session remembers. What the user has rejected for good stays so; what was allowed was allowed for another
// span of work, and is asked again (F59).
func (s *session) recall(ctx context.Context, loaded *store.Loaded) error {
	for text, err := range loaded.Messages(ctx) {
		if err != nil {
			return err
		}
		m, err := decodeMessage(text)
		if err != nil {
			return err
		}
		s.conversation = append(s.conversation, m)
	}
	var kept keptBill
	var memory keptMemory
	decided := map[string]bool{}
	for _, d := range []struct {
		text []byte
		to   any
	}{{loaded.Usage, &kept}, {loaded.Memory, &memory}, {loaded.Grants, &decided}} {
		if len(d.text) == 0 {
			continue
		}
		if err := json.Unmarshal(d.text, d.to); err != nil {
			return fmt.Errorf("what is stored of the session can't be read: %w", err)
		}
	}
	s.bill = bill{kept.Requests, kept.Usage, kept.USD, kept.Unknown}
	maps.Copy(s.files, memory.Files)
	if memory.Messages == len(s.conversation) {
		s.counted = count{memory.Tokens, memory.Messages}
	}
	for covered, allowed := range decided {
		if !allowed {
			s.decided[covered] = false
		}
	}
	s.conversation = trim(s.conversation, s.settings.engine.Info().ContextTokens)
	return nil
}

// A wreck is what a turn was when its process was killed.
type wreck struct {
	running bool                    // the turn has no end
	open    map[acp.ToolCallID]bool // its calls without a final status
	order   []acp.ToolCallID        // of open
	said    strings.Builder         // by the model since the last call
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
	for _, id := range w.order {
		if !w.open[id] {
			continue
		}
		event, err := store.UpdateEvent(&acp.ToolCallUpdate{
			ToolCallID: id, Status: acp.Some(acp.ToolCallStatusFailed),
			RawOutput: acp.Some(acp.Raw(`{"error":"The agent ended before the tool did."}`)),
		})
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
	switch u := update.(type) {
	case *acp.ToolCall:
		w.said.Reset()
		w.call(u.ToolCallID, u.Status)
	case *acp.ToolCallUpdate:
		if status, ok := u.Status.Get(); ok {
			w.call(u.ToolCallID, status)
		}
	case *acp.AgentMessageChunk:
		if text, ok := u.Content.(*acp.TextContent); ok {
			w.said.WriteString(text.Text)
		}
	}
	return nil
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

// replay repeats what the client saw of a session.
func (k *keeper) replay(ctx context.Context, s *agent.Session) error {
	loaded, err := k.store.Load(ctx, s.ID())
	if err != nil {
		return keptError(s.ID(), err)
	}
	for event, err := range loaded.Events(ctx) {
		if err == nil {
			err = repeat(ctx, s, event)
		}
		if err != nil {
			return keptError(s.ID(), err)
		}
	}
	return nil
}

func repeat(ctx context.Context, s *agent.Session, event store.Event) error {
	switch event.Kind {
	case store.KindUpdate:
		update, err := event.Update()
		if err != nil {
			return err
		}
		return s.Repeat(ctx, update)
	case store.KindPrompt:
		blocks, err := event.Prompt()
		if err != nil {
			return err
		}
		id := acp.MessageID(fmt.Sprintf("user_%d", event.Number))
		for _, block := range blocks {
			if err := s.Repeat(ctx, &acp.UserMessageChunk{Content: block, MessageID: id}); err != nil {
				return err
			}
		}
	}
	return nil
}

// forkStored makes s begin with what a stored session is now.
func (c *Coder) forkStored(ctx context.Context, db *store.Store, from acp.SessionID, s *agent.Session) (*session, string, error) {
	source, err := db.Load(ctx, from)
	if err != nil {
		return nil, "", keptError(from, err)
	}
	lease, err := db.Fork(ctx, from, store.Session{ID: s.ID(), CWD: s.CWD(), Roots: s.Roots()[1:], Title: source.Title}, 0)
	if err != nil {
		return nil, "", keptError(from, err)
	}
	state, title, err := c.fromStore(ctx, newKeeper(db, lease), s)
	if err != nil {
		return nil, "", errors.Join(err, db.Delete(context.WithoutCancel(ctx), s.ID()))
	}
	return state, title, nil
}

// listStored lists stored sessions.
func listStored(ctx context.Context, db *store.Store, req *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	page, err := db.List(ctx, store.Filter{CWD: req.CWD, Cursor: req.Cursor})
	switch {
	case errors.Is(err, store.ErrCursor):
		return nil, acp.ErrInvalidParams("the cursor %q is unknown: %s", req.Cursor, err)
	case err != nil:
		return nil, keptError("", err)
	}
	answer := &acp.ListSessionsResponse{NextCursor: page.Next, Sessions: []acp.SessionInfo{}}
	for _, r := range page.Sessions {
		answer.Sessions = append(answer.Sessions, acp.SessionInfo{
			SessionID: r.ID, CWD: r.CWD, AdditionalDirectories: r.Roots, Title: r.Title, UpdatedAt: r.Updated.UTC().Format(time.RFC3339),
		})
	}
	return answer, nil
}
