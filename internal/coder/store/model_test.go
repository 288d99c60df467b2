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

func (m *machine) list(r *rapid.T) {
	_, s := m.store(r)
	cwd := m.prefix + rapid.SampledFrom([]string{"x", "y", "z"}).Draw(r, "cwd")
	archived := rapid.SampledFrom([]acp.SessionArchiveFilter{"", "exclude", "include", "only"}).Draw(r, "archived")
	used := rapid.Bool().Draw(r, "used")
	parent := acp.SessionID("")
	if rapid.IntRange(0, 3).Draw(r, "children") == 0 {
		if id, x := m.any(r); x != nil {
			parent = id
		}
	}
	var want []*modelled
	for _, x := range m.sessions {
		if x.CWD == cwd && x.Parent == parent && (archived == "include" || x.Archived == (archived == "only")) && (!used || x.used()) {
			want = append(want, x)
		}
	}
	slices.SortFunc(want, func(a, b *modelled) int {
		if c := b.Updated.Compare(a.Updated); c != 0 {
			return c
		}
		return b.order - a.order
	})
	f := store.Filter{CWD: cwd, Archived: archived, Parent: parent, Used: used, Limit: rapid.IntRange(1, 4).Draw(r, "limit")}
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

// used reports whether the user has said something in a session, or named it.
func (x *modelled) used() bool {
	return x.Own || slices.ContainsFunc(x.log, func(e logged) bool { return e.kind == store.KindPrompt })
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
