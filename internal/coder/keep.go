package coder

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/policy"
)

// A cabinet is where sessions are kept for other processes: a store that is opened when the first session needs it, so that
// starting costs nothing. If it can't be opened, sessions are in memory, and the user is told once.
type cabinet struct {
	open func(ctx context.Context) (*store.Store, error) // nil if sessions are only in memory

	mu      sync.Mutex // guards what follows
	opened  bool
	store   *store.Store
	problem error
	told    bool
}

// get returns the store. It is nil if there is none, with an error if there should be.
func (c *cabinet) get(ctx context.Context) (*store.Store, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open != nil && !c.opened {
		c.opened = true
		c.store, c.problem = c.open(context.WithoutCancel(ctx))
	}
	return c.store, c.problem
}

// warning returns what the user has to be told, once.
func (c *cabinet) warning() *acp.Notice {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.problem == nil || c.told {
		return nil
	}
	c.told = true
	return &acp.Notice{
		Severity: acp.NoticeSeverityWarning, Title: "Sessions are not kept",
		Description: "They end with this process: " + c.problem.Error(),
	}
}

// A keeper keeps a session in the store.
type keeper struct {
	store *store.Store
	lease *store.Lease
	turn  chan struct{} // full while a turn is recorded
	began uint64        // the event that the turn began with
}

func newKeeper(db *store.Store, lease *store.Lease) *keeper {
	return &keeper{store: db, lease: lease, turn: make(chan struct{}, 1)}
}

// append adds to the session. It waits for no client, so that it ends although a turn is cancelled.
func (k *keeper) append(c store.Change) (last uint64, err error) {
	if last, err = k.lease.Append(context.Background(), c); err != nil {
		return last, fmt.Errorf("the session can't be kept: %w", err)
	}
	return last, nil
}

// close gives the session free for other processes, when its turn has ended. One that does not end is not waited for longer
// than handOverTime.
func (k *keeper) close() error {
	late := time.NewTimer(handOverTime)
	defer late.Stop()
	select {
	case k.turn <- struct{}{}:
		defer func() { <-k.turn }()
	case <-late.C:
	}
	return k.lease.Close()
}

// A recorder has what the client sees of a session kept.
type recorder struct {
	*keeper
	session *session
}

var _ agent.Recorder = recorder{}

// Begin keeps a prompt.
func (r recorder) Begin(prompt []acp.ContentBlock) error {
	if r.session.hasMoved() {
		return errMoved()
	}
	event, err := store.PromptEvent(prompt)
	if err != nil {
		return err
	}
	r.turn <- struct{}{}
	if r.began, err = r.append(store.Change{Events: []store.Event{event}}); err != nil {
		<-r.turn
	}
	return err
}

// Update keeps updates. Which commands there are is told anew whenever a session is opened.
func (r recorder) Update(list ...acp.SessionUpdate) error {
	if r.session.hasMoved() {
		return nil
	}
	var change store.Change
	for _, u := range list {
		if _, commands := u.(*acp.AvailableCommandsUpdate); commands {
			continue
		}
		event, err := store.UpdateEvent(u)
		if err != nil {
			return err
		}
		change.Events = append(change.Events, event)
	}
	if len(change.Events) == 0 {
		return nil
	}
	_, err := r.append(change)
	return err
}

// End keeps how a turn ended. A refused one is forgotten, with all that came after its prompt.
func (r recorder) End(stop acp.StopReason, _ error) error {
	defer func() { <-r.turn }()
	if stop == acp.StopReasonRefusal {
		return r.lease.Rewind(context.Background(), r.began-1)
	}
	event, err := store.EndEvent(stop)
	if err == nil {
		_, err = r.append(store.Change{Events: []store.Event{event}})
	}
	return err
}

// The documents of a session, as they are stored.
type (
	keptSettings struct {
		Model     string `json:"model"`
		Thinking  string `json:"thinking"`
		MaxTokens int    `json:"maxTokens"`
		Mode      string `json:"mode,omitempty"`

		Permissions policy.Mode `json:"permissions,omitempty"`
	}
	keptBill struct {
		Requests int       `json:"requests"`
		Usage    acp.Usage `json:"usage"`
		USD      float64   `json:"usd"`
		Unknown  bool      `json:"unknown,omitempty"`
	}
	keptMemory struct {
		Files    map[string]bool `json:"files,omitempty"` // instructions that the model has been told
		Tokens   uint64          `json:"tokens,omitempty"`
		Messages int             `json:"messages,omitempty"`
	}
)

// keepSettings stores what the user has chosen.
func (s *session) keepSettings() error {
	if s.desk.keep == nil {
		return nil
	}
	now := s.chosen()
	text, err := json.Marshal(keptSettings{
		now.engine.Info().Name, thinkingName(now.thinking), now.maxTokens, string(now.mode.id), now.permissions,
	})
	if err == nil {
		_, err = s.desk.keep.append(store.Change{Documents: store.Documents{Settings: text}})
	}
	return err
}

// giveTitle says what a session is about, unless the user has: in the store, where another process may have put that, and to
// the client.
func (s *session) giveTitle(ctx context.Context, t *agent.Turn, title string) error {
	if k := s.desk.keep; k != nil {
		given, err := k.store.SetTitle(ctx, k.lease.ID(), title, false)
		if err != nil {
			return fmt.Errorf("the session's title can't be kept: %w", err)
		}
		if !given {
			return nil
		}
	}
	return t.Title(title)
}

// keepConversation stores messages with what was used for them. With replace they take the place of the conversation.
func (s *session) keepConversation(messages []message, counted count, replace bool) error {
	if s.desk.keep == nil {
		return nil
	}
	change := store.Change{Replace: replace}
	for _, m := range messages {
		text, err := encodeMessage(m)
		if err != nil {
			return err
		}
		change.Messages = append(change.Messages, text)
	}
	s.mu.Lock()
	usage, errUsage := json.Marshal(keptBill{s.bill.requests, s.bill.usage, s.bill.usd, s.bill.unknown})
	memory, errMemory := json.Marshal(keptMemory{s.files, counted.tokens, counted.messages})
	s.mu.Unlock()
	change.Usage, change.Memory = usage, memory
	err := errors.Join(errUsage, errMemory)
	if err == nil {
		_, err = s.desk.keep.append(change)
	}
	return err
}

// save stores what the turn has added to the conversation since the last time.
func (x *exchange) save() error {
	err := x.session.keepConversation(x.messages[x.saved:], x.counted, false)
	if err == nil {
		x.saved = len(x.messages)
	}
	return err
}

// saveAll stores the conversation anew, when it has become a summary.
func (x *exchange) saveAll() error {
	all := append(x.before[:len(x.before):len(x.before)], x.messages...)
	err := x.session.keepConversation(all, x.counted, true)
	if err == nil {
		x.saved = len(x.messages)
	}
	return err
}

// keptError is an error of the store as a client gets it: each that it can act on differs from the others (F68, F74).
func keptError(id acp.SessionID, err error) error {
	switch {
	case errors.Is(err, store.ErrUnknown):
		return acp.ErrSessionNotFound(id)
	case errors.Is(err, store.ErrExpired):
		expired := acp.ErrSessionNotFound(id)
		expired.Message = err.Error()
		return expired
	case errors.Is(err, store.ErrBusy):
		return acp.ErrInvalidRequest("%s", err)
	}
	return acp.ErrInternal("%s", err)
}
