package store_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// A model is what a store should have, kept in memory in the simplest way.
type model struct {
	sessions map[acp.SessionID]*modelled
	expired  map[acp.SessionID]bool
	made     int // sessions so far
}

type modelled struct {
	store.Record
	store.Documents
	order   int          // of making
	log     []logged     // of events
	changes [][]string   // the conversation after each change of it
	at      []uint64     // the event after which it was so
	lease   *store.Lease // nil if nobody has it
	holder  int          // which store
}

type logged struct {
	kind store.Kind
	text string // for an update, else data
	id   acp.MessageID
}

// A machine does the same to a store and a model of it. There are two stores on one file, as two processes have it.
type machine struct {
	t      *testing.T
	dir    string
	clock  *clock
	stores [2]*store.Store
	model
	prefix string // of ids, so that all runs can use one file
	old    []*store.Lease
}

// A store does what a simple model of it does, whatever is done to it, through two stores on the same file.
func TestStoreDoesWhatItsModelDoes(t *testing.T) {
	m := &machine{t: t, dir: t.TempDir(), clock: newClock()}
	for i := range m.stores {
		m.reopen(i)
	}
	defer func() {
		for _, s := range m.stores {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	if raceEnabled {
		runs := flag.Lookup("rapid.checks").Value
		defer runs.Set(runs.String())
		runs.Set("20")
	}
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		runs++
		m.prefix = fmt.Sprintf("run%d-", runs)
		m.model = model{sessions: map[acp.SessionID]*modelled{}, expired: map[acp.SessionID]bool{}}
		m.old = nil
		defer m.clean(r)
		r.Repeat(map[string]func(*rapid.T){
			"": m.check, "create": m.create, "append": m.append, "rewind": m.rewind, "acquire": m.acquire, "release": m.release,
			"fork": m.fork, "delete": m.delete, "title": m.title, "archive": m.archive, "sweep": m.sweep, "list": m.list,
			"reopen": m.restart, "stale": m.stale, "time": func(r *rapid.T) {
				m.clock.advance(time.Duration(rapid.IntRange(1, 3000).Draw(r, "ms")) * time.Millisecond)
			},
		})
	})
}

func (m *machine) reopen(i int) {
	s, err := store.Open(m.t.Context(), m.dir, store.Options{Now: m.clock.Now})
	if err != nil {
		m.t.Fatal(err)
	}
	m.stores[i] = s
}

// clean removes the sessions of a run.
func (m *machine) clean(r *rapid.T) {
	for _, x := range m.sessions {
		if x.lease != nil {
			must(r, x.lease.Close())
		}
	}
	for id, x := range m.sessions {
		if x.Parent == "" {
			must(r, m.stores[0].Delete(m.t.Context(), id))
		}
	}
}

func must(r *rapid.T, err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// any draws one of the sessions, or one that there is not.
func (m *machine) any(r *rapid.T) (acp.SessionID, *modelled) {
	ids := append(slices.Sorted(maps.Keys(m.sessions)), slices.Sorted(maps.Keys(m.expired))...)
	id := rapid.SampledFrom(append(ids, "unknown")).Draw(r, "session")
	return id, m.sessions[id]
}

// held draws a session with a lease.
func (m *machine) held(r *rapid.T) *modelled {
	id, x := m.any(r)
	if x == nil || x.lease == nil {
		r.Skip(id, "is not held")
	}
	return x
}

func (m *machine) store(r *rapid.T) (int, *store.Store) {
	i := rapid.IntRange(0, 1).Draw(r, "store")
	return i, m.stores[i]
}

// absent checks the error for a session that there is not.
func (m *machine) absent(r *rapid.T, id acp.SessionID, err error) {
	r.Helper()
	want := store.ErrUnknown
	if m.expired[id] {
		want = store.ErrExpired
	}
	if !errors.Is(err, want) {
		r.Fatalf("%s: %v, want %v", id, err, want)
	}
}

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
	_, s := m.store(r)
	id, x := m.any(r)
	archived := rapid.Bool().Draw(r, "archived")
	err := s.Archive(m.t.Context(), id, archived)
	if x == nil {
		m.absent(r, id, err)
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

func (m *machine) list(r *rapid.T) {
	_, s := m.store(r)
	cwd := m.prefix + rapid.SampledFrom([]string{"x", "y", "z"}).Draw(r, "cwd")
	archived := rapid.SampledFrom([]acp.SessionArchiveFilter{"", "exclude", "include", "only"}).Draw(r, "archived")
	parent := acp.SessionID("")
	if rapid.IntRange(0, 3).Draw(r, "children") == 0 {
		if id, x := m.any(r); x != nil {
			parent = id
		}
	}
	var want []*modelled
	for _, x := range m.sessions {
		if x.CWD == cwd && x.Parent == parent && (archived == "include" || x.Archived == (archived == "only")) {
			want = append(want, x)
		}
	}
	slices.SortFunc(want, func(a, b *modelled) int {
		if c := b.Updated.Compare(a.Updated); c != 0 {
			return c
		}
		return b.order - a.order
	})
	f := store.Filter{CWD: cwd, Archived: archived, Parent: parent, Limit: rapid.IntRange(1, 4).Draw(r, "limit")}
	var got, ids []string
	for {
		page, err := s.List(m.t.Context(), f)
		must(r, err)
		for _, x := range page.Sessions {
			got = append(got, string(x.ID))
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			break
		}
	}
	for _, x := range want {
		ids = append(ids, string(x.ID))
	}
	if diff := cmp.Diff(ids, got); diff != "" {
		r.Fatal(diff)
	}
}

// check loads a session, and compares it with its model.
func (m *machine) check(r *rapid.T) {
	_, s := m.store(r)
	id, x := m.any(r)
	loaded, err := s.Load(m.t.Context(), id)
	if x == nil {
		m.absent(r, id, err)
		return
	}
	must(r, err)
	if diff := cmp.Diff(x.Session, loaded.Session); diff != "" {
		r.Fatal(diff)
	}
	if diff := cmp.Diff(x.Documents, loaded.Documents); diff != "" {
		r.Fatal(diff)
	}
	if !x.Created.Equal(loaded.Created) || !x.Updated.Equal(loaded.Updated) || x.Archived != loaded.Archived || (x.lease != nil) != (loaded.Owner != nil) {
		r.Fatalf("the record is %+v, want %+v", loaded.Record, x.Record)
	}
	var log []logged
	for e, err := range loaded.Events(m.t.Context()) {
		must(r, err)
		if e.Kind != store.KindUpdate {
			log = append(log, logged{e.Kind, string(e.Data), ""})
			continue
		}
		u, err := e.Update()
		must(r, err)
		c := u.(*acp.AgentMessageChunk)
		log = append(log, logged{e.Kind, c.Content.(*acp.TextContent).Text, c.MessageID})
	}
	if diff := cmp.Diff(x.log, log, cmp.AllowUnexported(logged{})); diff != "" && len(x.log)+len(log) > 0 {
		r.Fatal(diff)
	}
	var words []string
	for word, err := range loaded.Messages(m.t.Context()) {
		must(r, err)
		words = append(words, string(word))
	}
	if want := x.changes[len(x.changes)-1]; strings.Join(want, "\x00") != strings.Join(words, "\x00") || len(want) != len(words) {
		r.Fatalf("the conversation is %q, want %q", words, want)
	}
}
