package store_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// What was not used for long is removed, and has expired for who asks for it: it is not unknown (S001.4). What is in use stays, and so
// does what has a subagent that was used.
func TestSweep(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	s := open(t, dir, store.Options{Now: c.Now})
	for _, session := range []store.Session{
		{ID: "old"}, {ID: "old child", Parent: "old"}, {ID: "archived"}, {ID: "held"}, {ID: "parent"}, {ID: "child", Parent: "parent"},
		{ID: "other parent"}, {ID: "held child", Parent: "other parent"}, {ID: "used"},
	} {
		l := create(t, s, session)
		add(t, l, store.Change{Events: []store.Event{prompt(t, "x")}})
		if !strings.HasPrefix(string(session.ID), "held") {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.Archive(t.Context(), "archived", true); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Hour)
	for _, id := range []acp.SessionID{"child", "used"} {
		l := acquire(t, s, id)
		add(t, l, store.Change{Events: []store.Event{prompt(t, "x")}})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for _, keep := range []time.Duration{0, -time.Hour, time.Hour} {
		if n, err := s.Sweep(t.Context(), keep); n != 0 || err != nil {
			t.Errorf("kept for %s: %d were removed, %v", keep, n, err)
		}
	}
	if n, err := s.Sweep(t.Context(), 59*time.Minute); n != 2 || err != nil {
		t.Errorf("%d were removed, %v", n, err)
	}
	for _, id := range []acp.SessionID{"old", "old child", "archived"} {
		_, loading := s.Load(t.Context(), id)
		_, acquiring := s.Acquire(t.Context(), id)
		_, listing := s.List(t.Context(), store.Filter{Parent: id})
		for _, err := range []error{loading, acquiring, listing, s.Delete(t.Context(), id)} {
			if !errors.Is(err, store.ErrExpired) || errors.Is(err, store.ErrUnknown) {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	for _, id := range []acp.SessionID{"held", "parent", "child", "other parent", "held child", "used"} {
		load(t, s, id)
	}
	create(t, s, store.Session{ID: "old"}) // one that has its name is another one
	if n := load(t, s, "old").Last; n != 0 {
		t.Errorf("it has %d events", n)
	}
}

// A session that can't be removed keeps no other one, and is named.
func TestSweepPassesOverDamage(t *testing.T) {
	c := newClock()
	s := open(t, t.TempDir(), store.Options{Now: c.Now})
	for i := range 5 {
		if err := create(t, s, store.Session{ID: poolName(i)}).Close(); err != nil {
			t.Fatal(err)
		}
	}
	store.Statement(t, s, "UPDATE sessions SET owner = '{' WHERE id = ?", string(poolName(2)))
	c.advance(time.Hour)
	n, err := s.Sweep(t.Context(), time.Minute)
	if e := (*store.SessionError)(nil); n != 4 || !errors.As(err, &e) || e.ID != poolName(2) {
		t.Errorf("%d were removed, %v", n, err)
	}
}

// The file gets smaller when sessions are removed, and what is left is whole.
func TestTheFileShrinks(t *testing.T) {
	c := newClock()
	dir := t.TempDir()
	s := open(t, dir, store.Options{Now: c.Now})
	size := func() int64 {
		t.Helper()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, store.Options{Now: c.Now})
		return info.Size()
	}
	for i := range 20 {
		l := create(t, s, store.Session{ID: poolName(i)})
		for n := range 5 {
			add(t, l, store.Change{Events: []store.Event{prompt(t, strings.Repeat(fmt.Sprint(i, n), 10_000))}})
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		c.advance(time.Hour)
	}
	before := size()
	if err := s.Delete(t.Context(), poolName(19)); err != nil {
		t.Fatal(err)
	}
	if after := size(); after != before { // a little is soon used again
		t.Errorf("%d bytes have become %d", before, after)
	}
	if n, err := s.Sweep(t.Context(), 3*time.Hour+time.Minute); n != 17 || err != nil {
		t.Fatal(n, err)
	}
	if after := size(); after > before/4 {
		t.Errorf("%d bytes have become %d", before, after)
	}
	for i := 17; i < 19; i++ {
		if err := load(t, s, poolName(i)).Check(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// A file of an older version becomes one of ours, with all that it has. One of a newer version is not touched.
func TestMigrations(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	create(t, s, store.Session{ID: "a", Title: "of the first version"})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	bad := store.Options{}.Migrations("CREATE TABLE more (x)", "CREATE TABLE sessions (x)")
	if _, err := store.Open(t.Context(), dir, bad); err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("got %v", err)
	}
	next := store.Options{}.Migrations("ALTER TABLE sessions ADD COLUMN more TEXT NOT NULL DEFAULT ''", "UPDATE sessions SET title = 'moved'")
	for range 2 {
		s := open(t, dir, next)
		if got := load(t, s, "a"); got.Title != "moved" {
			t.Errorf("the title is %q", got.Title)
		}
		if _, err := s.SetTitle(t.Context(), "a", "moved", true); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), dir, store.Options{}); !errors.Is(err, store.ErrNewer) {
		t.Errorf("got %v", err)
	}
	if after, err := os.ReadFile(s.Path()); err != nil || string(after) != string(before) {
		t.Error("the file has changed", err)
	}
	open(t, t.TempDir(), next) // and a new file has all at once
}

// A file of an older version is brought to the newest one once, however many open it at the same moment.
func TestMigratedByMany(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir, store.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	next := store.Options{}.Migrations("ALTER TABLE sessions ADD COLUMN more TEXT")
	stores := make([]*store.Store, 8)
	var all sync.WaitGroup
	for i := range stores {
		all.Go(func() {
			var err error
			if stores[i], err = store.Open(t.Context(), dir, next); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, s := range stores {
		if s != nil {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
