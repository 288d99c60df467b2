package coder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/policy"
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

// takeUp makes s go on with a stored session that is open nowhere. What keeps it from being opened is found before anything is
// written: what is wrong is left as it is.
func (c *Coder) takeUp(ctx context.Context, db *store.Store, s *agent.Session) (*session, *store.Loaded, error) {
	found, err := db.Load(ctx, s.ID())
	if err == nil {
		err = found.Check(ctx)
	}
	if err != nil {
		return nil, nil, keptError(s.ID(), err)
	}
	cfg, err := c.place(s)
	if err != nil {
		return nil, nil, err
	}
	lease, err := db.Acquire(ctx, s.ID())
	if err != nil {
		return nil, nil, keptError(s.ID(), err)
	}
	state, loaded, err := c.fromStore(ctx, newKeeper(db, lease), s, cfg)
	if err != nil {
		return nil, nil, errors.Join(err, lease.Close())
	}
	return state, loaded, nil
}

// fromStore makes a session of what is stored, all of which is read first: one that can't be understood fails before anything
// of it is shown. What a process left unfinished that was killed is finished.
func (c *Coder) fromStore(ctx context.Context, k *keeper, s *agent.Session, cfg *config.Config) (*session, *store.Loaded, error) {
	loaded, err := k.store.Load(ctx, s.ID())
	if err != nil {
		return nil, nil, keptError(s.ID(), err)
	}
	chosen, err := c.keptChoice(s, cfg, loaded)
	if err != nil {
		return nil, nil, err
	}
	state := newState(s, cfg, chosen)
	state.desk.keep = k
	if err := state.recall(ctx, loaded); err != nil {
		return nil, nil, keptError(s.ID(), err)
	}
	if err := state.mend(ctx, loaded); err != nil {
		return nil, nil, keptError(s.ID(), err)
	}
	if err := state.movedFrom(loaded); err != nil {
		return nil, nil, keptError(s.ID(), err)
	}
	return state, loaded, nil
}

// movedFrom stores where a session works now (F71). To open it where it was is not to use it, so nothing is written then.
func (s *session) movedFrom(before *store.Loaded) error {
	if sameFolders(before, s.roots) {
		return nil
	}
	return s.keepPlace()
}

// keepPlace stores where a session works, and what may be done there: what was allowed elsewhere would be allowed here the next
// time.
func (s *session) keepPlace() error {
	_, err := s.desk.keep.append(store.Change{Place: &store.Place{CWD: s.roots[0], Roots: s.roots[1:]}})
	return errors.Join(err, s.keepSettings(), s.keepGrants())
}

// keptChoice returns the settings that are stored, as far as they can still be had. What lets the session do things without
// asking does not stay.
func (c *Coder) keptChoice(s *agent.Session, cfg *config.Config, loaded *store.Loaded) (settings, error) {
	var kept keptSettings
	if text := loaded.Settings; len(text) > 0 {
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
	chosen, err := c.settingsOf(cfg, e)
	if err != nil {
		return settings{}, err
	}
	if kept.Model != "" {
		chosen.thinking, chosen.maxTokens = settingThinking(kept.Thinking), kept.MaxTokens
	}
	if kept.Mode != "" {
		chosen.mode = c.keptMode(acp.SessionModeID(kept.Mode))
	}
	if kept.Permissions != "" {
		chosen.permissions = permissionsAgain(kept.Permissions, cfg, sameFolders(loaded, s.Roots()))
	}
	return chosen, nil
}

// recall reads what a session remembers, the answers that the user has given for it too (see inherit).
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
	var given policy.Grants
	for _, d := range []struct {
		text []byte
		to   any
	}{{loaded.Usage, &kept}, {loaded.Memory, &memory}, {loaded.Grants, &given}} {
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
		s.counted = count{tokens: memory.Tokens, messages: memory.Messages}
	}
	if err := s.inherit(given.List(), sameFolders(loaded, s.roots)); err != nil {
		return err
	}
	s.conversation = trim(s.conversation, s.settings.engine.Info().ContextTokens)
	return nil
}

// sameFolders reports whether a session works where it did when it was stored.
func sameFolders(loaded *store.Loaded, roots []string) bool {
	return loaded.CWD == roots[0] && slices.Equal(loaded.Roots, roots[1:])
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
	cfg, err := c.place(s)
	if err != nil {
		return nil, "", err
	}
	lease, err := db.Fork(ctx, from, store.Session{ID: s.ID(), CWD: s.CWD(), Roots: s.Roots()[1:], Title: source.Title}, 0)
	if err != nil {
		return nil, "", keptError(from, err)
	}
	state, _, err := c.fromStore(ctx, newKeeper(db, lease), s, cfg)
	if err == nil && !sameFolders(source, state.roots) { // the fork is stored as one that has always worked here
		state.change(func(o *settings) { o.permissions = permissionsAgain(o.permissions, cfg, false) })
		err = state.keepSettings()
	}
	if err != nil {
		return nil, "", errors.Join(err, db.Delete(context.WithoutCancel(ctx), s.ID()))
	}
	return state, source.Title, nil
}
