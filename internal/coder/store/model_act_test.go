package store_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// What a machine does to a store and its model, each method one thing.

func (m *machine) create(r *rapid.T) {
	i, s := m.store(r)
	parent, p := acp.SessionID(""), (*modelled)(nil)
	if rapid.Bool().Draw(r, "child") {
		parent, p = m.any(r)
	}
	session := m.newSession(r, parent)
	l, err := s.Create(m.t.Context(), session)
	if parent != "" && p == nil {
		m.absent(r, parent, err)
		return
	}
	must(r, err)
	m.add(session, l, i)
}

func (m *machine) newSession(r *rapid.T, parent acp.SessionID) store.Session {
	m.made++
	return store.Session{
		ID: acp.SessionID(fmt.Sprint(m.prefix, m.made)), CWD: m.prefix + rapid.SampledFrom([]string{"x", "y"}).Draw(r, "cwd"), Parent: parent,
		Title: rapid.SampledFrom([]string{"", "title"}).Draw(r, "title"),
	}
}

func (m *machine) add(session store.Session, l *store.Lease, holder int) *modelled {
	now := m.clock.Now()
	x := &modelled{
		Record: store.Record{Session: session, Created: now, Updated: now}, order: m.made, lease: l, holder: holder,
		changes: [][]string{nil}, at: []uint64{0},
	}
	m.sessions[session.ID] = x
	return x
}

func (m *machine) append(r *rapid.T) {
	x := m.held(r)
	var c store.Change
	prompted := false
	for range rapid.IntRange(0, 5).Draw(r, "events") {
		text := rapid.StringN(0, 5, -1).Draw(r, "text")
		e := logged{store.KindUpdate, text, acp.MessageID(rapid.SampledFrom([]string{"m", "n"}).Draw(r, "message"))}
		if rapid.IntRange(0, 3).Draw(r, "kind") == 0 {
			p, err := store.PromptEvent([]acp.ContentBlock{acp.Text(text)})
			must(r, err)
			e, prompted = logged{store.KindPrompt, string(p.Data), ""}, true
			c.Events = append(c.Events, p)
		} else {
			u, err := store.UpdateEvent(&acp.AgentMessageChunk{Content: acp.Text(text), MessageID: e.id})
			must(r, err)
			c.Events = append(c.Events, u)
		}
		x.log = join(x.log, e)
	}
	c.Replace = rapid.IntRange(0, 4).Draw(r, "replace") == 0
	conversation := slices.Clone(x.changes[len(x.changes)-1])
	if c.Replace {
		conversation = nil
	}
	for range rapid.IntRange(0, 2).Draw(r, "messages") {
		word := rapid.StringN(0, 3, -1).Draw(r, "word")
		c.Messages, conversation = append(c.Messages, []byte(word)), append(conversation, word)
	}
	x.changes, x.at = append(x.changes, conversation), append(x.at, uint64(len(x.log)))
	if rapid.Bool().Draw(r, "settings") {
		c.Settings, c.Usage = []byte(fmt.Sprint(len(x.changes))), []byte("{}")
		x.Settings, x.Usage = c.Settings, c.Usage
	}
	if rapid.IntRange(0, 4).Draw(r, "move") == 0 {
		x.CWD = m.prefix + "z"
		x.Roots = []string{"/a", "/b"}
		c.Place = &store.Place{CWD: x.CWD, Roots: x.Roots}
	}
	if now := m.clock.Now(); prompted || now.Sub(x.Updated) >= time.Second {
		x.Updated = now
	}
	last, err := x.lease.Append(m.t.Context(), c)
	must(r, err)
	if last != uint64(len(x.log)) {
		r.Fatalf("the last event is %d, want %d", last, len(x.log))
	}
}

// join adds an event to a log, or its text to the last one.
func join(log []logged, e logged) []logged {
	log = slices.Clone(log)
	if n := len(log); n > 0 && e.kind == store.KindUpdate && log[n-1].kind == e.kind && log[n-1].id == e.id {
		log[n-1].text += e.text
		return log
	}
	return append(log, e)
}

func (m *machine) rewind(r *rapid.T) {
	x := m.held(r)
	to := rapid.Uint64Range(0, uint64(len(x.log))).Draw(r, "to")
	must(r, x.lease.Rewind(m.t.Context(), to))
	x.cut(to)
}

// cut takes back what came after an event.
func (x *modelled) cut(to uint64) {
	x.log = slices.Clone(x.log[:to])
	for x.at[len(x.at)-1] > to {
		x.at, x.changes = x.at[:len(x.at)-1], x.changes[:len(x.changes)-1]
	}
	x.at, x.changes = slices.Clone(x.at), slices.Clone(x.changes)
}

func (m *machine) acquire(r *rapid.T) {
	i, s := m.store(r)
	id, x := m.any(r)
	l, err := s.Acquire(m.t.Context(), id)
	switch {
	case x == nil:
		m.absent(r, id, err)
	case x.lease != nil:
		if !errors.Is(err, store.ErrBusy) {
			r.Fatalf("acquired twice: %v", err)
		}
	default:
		must(r, err)
		x.lease, x.holder = l, i
	}
}

func (m *machine) release(r *rapid.T) {
	x := m.held(r)
	must(r, x.lease.Close())
	m.old = append(m.old, x.lease)
	x.lease = nil
}

// stale appends with a lease that has ended.
func (m *machine) stale(r *rapid.T) {
	if len(m.old) == 0 {
		r.Skip("there is no old lease")
	}
	l := rapid.SampledFrom(m.old).Draw(r, "lease")
	e, err := store.PromptEvent(nil)
	must(r, err)
	_, err = l.Append(m.t.Context(), store.Change{Events: []store.Event{e}})
	switch {
	case errors.Is(err, store.ErrClosed):
	case m.sessions[l.ID()] == nil:
		m.absent(r, l.ID(), err)
	case !errors.Is(err, store.ErrLost):
		r.Fatalf("appended by a lease that has ended: %v", err)
	}
}

func (m *machine) fork(r *rapid.T) {
	i, s := m.store(r)
	id, x := m.any(r)
	at := uint64(0)
	if x != nil {
		at = rapid.Uint64Range(0, uint64(len(x.log))).Draw(r, "at")
	}
	session := m.newSession(r, "")
	session.Own = rapid.Bool().Draw(r, "own")
	l, err := s.Fork(m.t.Context(), id, session, at)
	if x == nil {
		m.absent(r, id, err)
		return
	}
	must(r, err)
	fork := m.add(session, l, i)
	fork.log, fork.changes, fork.at = slices.Clone(x.log), slices.Clone(x.changes), slices.Clone(x.at)
	fork.Settings = x.Settings
	if at > 0 {
		fork.cut(at)
	}
}

func (m *machine) delete(r *rapid.T) {
	i, s := m.store(r)
	id, x := m.any(r)
	err := s.Delete(m.t.Context(), id)
	if x == nil {
		m.absent(r, id, err)
		return
	}
	tree := m.tree(id)
	for _, member := range tree {
		if member.lease != nil && member.holder != i {
			if !errors.Is(err, store.ErrBusy) {
				r.Fatalf("deleted what someone has: %v", err)
			}
			return
		}
	}
	must(r, err)
	for _, member := range tree {
		m.gone(member)
	}
}

func (m *machine) gone(x *modelled) {
	if x.lease != nil {
		m.old = append(m.old, x.lease)
	}
	delete(m.sessions, x.ID)
}

// tree returns a session and its subagents.
func (m *machine) tree(id acp.SessionID) []*modelled {
	tree := []*modelled{m.sessions[id]}
	for _, x := range m.sessions {
		if x.Parent == id {
			tree = append(tree, m.tree(x.ID)...)
		}
	}
	return tree
}

func (m *machine) title(r *rapid.T) {
	_, s := m.store(r)
	id, x := m.any(r)
	title, own := rapid.SampledFrom([]string{"", "one", "two"}).Draw(r, "title"), rapid.Bool().Draw(r, "own")
	set, err := s.SetTitle(m.t.Context(), id, title, own)
	if x == nil {
		m.absent(r, id, err)
		return
	}
	must(r, err)
	if set != (own || !x.Own) {
		r.Fatalf("set is %t", set)
	}
	if set {
		x.Title, x.Own = title, own && title != ""
	}
}

func (m *machine) archive(r *rapid.T) {
	i, s := m.store(r)
	id, x := m.any(r)
	archived := rapid.Bool().Draw(r, "archived")
	err := s.Archive(m.t.Context(), id, archived)
	if x == nil {
		m.absent(r, id, err)
		return
	}
	if archived && x.lease != nil && x.holder != i {
		if !errors.Is(err, store.ErrBusy) {
			r.Fatalf("archived what someone has: %v", err)
		}
		return
	}
	must(r, err)
	x.Archived = archived
}

func (m *machine) sweep(r *rapid.T) {
	_, s := m.store(r)
	keep := time.Duration(rapid.IntRange(1, 5000).Draw(r, "keep")) * time.Millisecond
	limit := m.clock.Now().Add(-keep)
	want := 0
	for id, x := range maps.Clone(m.sessions) {
		if x.Parent != "" || slices.ContainsFunc(m.tree(id), func(x *modelled) bool { return x.lease != nil || !x.Updated.Before(limit) }) {
			continue
		}
		want++
		for _, member := range m.tree(id) {
			m.expired[member.ID] = true
			m.gone(member)
		}
	}
	n, err := s.Sweep(m.t.Context(), keep)
	must(r, err)
	if n != want {
		r.Fatalf("%d were removed, want %d", n, want)
	}
}

// restart closes a store and opens it again.
func (m *machine) restart(r *rapid.T) {
	i, s := m.store(r)
	if rapid.IntRange(0, 3).Draw(r, "really") > 0 {
		r.Skip("it takes time")
	}
	must(r, s.Close())
	m.reopen(i)
	for _, x := range m.sessions {
		if x.lease != nil && x.holder == i {
			m.old = append(m.old, x.lease)
			x.lease = nil
		}
	}
}
