package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// A clock tells the time that a test wants it to be.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// list returns all pages of a list, as ids.
func list(t testing.TB, s *store.Store, f store.Filter, between func()) (pages [][]string) {
	t.Helper()
	for {
		page, err := s.List(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range page.Sessions {
			ids = append(ids, string(r.ID))
		}
		pages = append(pages, ids)
		if page.Next == "" {
			return pages
		}
		f.Cursor = page.Next
		between()
	}
}

func nothing() {}

// A list has the session that was used last first, and only those that were asked for: by default the user's own that are not
// archived (F76).
func TestF76_Lists(t *testing.T) {
	c := newClock()
	s := open(t, t.TempDir(), store.Options{Now: c.Now})
	for _, session := range []store.Session{
		{ID: "a", CWD: "/x"}, {ID: "b", CWD: "/y"}, {ID: "a1", CWD: "/x", Parent: "a"}, {ID: "c", CWD: "/x"}, {ID: "a2", CWD: "/x", Parent: "a"},
		{ID: "d", CWD: "/x"}, {ID: "a11", CWD: "/x", Parent: "a1"},
	} {
		create(t, s, session)
		c.advance(time.Minute)
	}
	if err := s.Archive(t.Context(), "c", true); err != nil {
		t.Fatal(err)
	}
	if err := s.Archive(t.Context(), "a2", true); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		filter store.Filter
		want   string
	}{
		{store.Filter{}, "d b a"},
		{store.Filter{CWD: "/x"}, "d a"},
		{store.Filter{CWD: "/z"}, ""},
		{store.Filter{Archived: acp.SessionArchiveFilterExclude}, "d b a"},
		{store.Filter{Archived: acp.SessionArchiveFilterOnly}, "c"},
		{store.Filter{Archived: acp.SessionArchiveFilterInclude}, "d c b a"},
		{store.Filter{Archived: acp.SessionArchiveFilterInclude, CWD: "/x"}, "d c a"},
		{store.Filter{Parent: "a"}, "a1"},
		{store.Filter{Parent: "a", Archived: acp.SessionArchiveFilterInclude}, "a2 a1"},
		{store.Filter{Parent: "a1"}, "a11"},
		{store.Filter{Parent: "d"}, ""},
	} {
		if got := strings.Join(list(t, s, step.filter, nothing)[0], " "); got != step.want {
			t.Errorf("%+v: %q, want %q", step.filter, got, step.want)
		}
	}
	if _, err := s.List(t.Context(), store.Filter{Archived: "perhaps"}); err == nil {
		t.Error("a filter that there is not was taken")
	}
	if err := s.Archive(t.Context(), "c", false); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(list(t, s, store.Filter{}, nothing)[0], " "); got != "d c b a" {
		t.Errorf("taken out of the archive: %q", got)
	}
	page, err := s.List(t.Context(), store.Filter{Parent: "a", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	r := page.Sessions[0]
	if r.Parent != "a" || r.CWD != "/x" || !r.Updated.Equal(r.Created) || r.Owner == nil {
		t.Errorf("got %+v", r)
	}
}

// Pages have so many sessions, and fit together; sessions made at the same moment too.
func TestPages(t *testing.T) {
	c := newClock()
	s := open(t, t.TempDir(), store.Options{Now: c.Now})
	var want []string
	for i := range 25 {
		create(t, s, store.Session{ID: acp.SessionID(fmt.Sprint(i))})
		want = append(want, fmt.Sprint(i))
	}
	slices.Reverse(want)
	for _, limit := range []int{1, 7, 24, 25, 26, 0, -1} {
		pages := list(t, s, store.Filter{Limit: limit}, nothing)
		if diff := cmp.Diff(want, slices.Concat(pages...)); diff != "" {
			t.Errorf("limit %d: %s", limit, diff)
		}
		if n := len(pages); limit > 0 && n != (24+limit)/limit {
			t.Errorf("limit %d: %d pages", limit, n)
		}
	}
}

// While pages are read, sessions are made, used, archived and deleted. None comes twice, and none that was let be is left out.
func TestPagesWhileSessionsChange(t *testing.T) {
	c := newClock()
	s := open(t, t.TempDir(), store.Options{Now: c.Now})
	leases := map[string]*store.Lease{}
	make := func(id string) {
		leases[id] = create(t, s, store.Session{ID: acp.SessionID(id)})
		c.advance(time.Second)
	}
	for i := range 30 {
		make(fmt.Sprint("s", i))
	}
	changed := map[string]bool{}
	step := 0
	pages := list(t, s, store.Filter{Limit: 4}, func() {
		step++
		make(fmt.Sprint("new", step))
		used, archived, deleted := fmt.Sprint("s", step), fmt.Sprint("s", 29-step), fmt.Sprint("s", 10+step)
		add(t, leases[used], store.Change{Events: []store.Event{prompt(t, "again")}})
		if err := s.Archive(t.Context(), acp.SessionID(archived), true); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(t.Context(), acp.SessionID(deleted)); err != nil {
			t.Fatal(err)
		}
		changed[used], changed[archived], changed[deleted] = true, true, true
	})
	seen := map[string]bool{}
	for _, id := range slices.Concat(pages...) {
		if seen[id] {
			t.Errorf("%s came twice", id)
		}
		seen[id] = true
		if strings.HasPrefix(id, "new") {
			t.Errorf("%s came, which is newer than the first page", id)
		}
	}
	for i := range 30 {
		if id := fmt.Sprint("s", i); !seen[id] && !changed[id] {
			t.Errorf("%s was left out", id)
		}
	}
	if step < 4 {
		t.Errorf("there were only %d pages", step)
	}
}

// A cursor that the list has not made is refused, and so is one of another list.
func TestBadCursors(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	for i := range 3 {
		create(t, s, store.Session{ID: poolName(i)})
	}
	page, err := s.List(t.Context(), store.Filter{Limit: 1})
	if err != nil || page.Next == "" {
		t.Fatal(page, err)
	}
	good := page.Next
	for _, f := range []store.Filter{
		{Cursor: "x"}, {Cursor: "😀"}, {Cursor: strings.Repeat("A", 32)}, {Cursor: good[1:]}, {Cursor: good + "A"}, {Cursor: "B" + good[1:]},
		{Cursor: good, CWD: "/work"}, {Cursor: good, Archived: acp.SessionArchiveFilterOnly}, {Cursor: good, Parent: poolName(0)},
	} {
		if _, err := s.List(t.Context(), f); !errors.Is(err, store.ErrCursor) {
			t.Errorf("%+v: %v", f, err)
		}
	}
	for _, f := range []store.Filter{{Cursor: good}, {Cursor: good, Limit: 2}, {Cursor: good, Archived: acp.SessionArchiveFilterExclude}} {
		if page, err := s.List(t.Context(), f); err != nil || len(page.Sessions) != 2 {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// A session's time is that of its last prompt, and of its last update to a second.
func TestUsedSessionsComeFirst(t *testing.T) {
	c := newClock()
	s := open(t, t.TempDir(), store.Options{Now: c.Now})
	l := create(t, s, store.Session{ID: "a"})
	began := c.Now()
	for _, step := range []struct {
		after time.Duration
		event store.Event
		want  time.Duration
	}{
		{100 * time.Millisecond, prompt(t, "x"), 100 * time.Millisecond},
		{500 * time.Millisecond, chunk(t, "m", "y"), 100 * time.Millisecond},
		{500 * time.Millisecond, chunk(t, "m", "y"), 1100 * time.Millisecond},
		{-time.Hour, chunk(t, "m", "y"), 1100*time.Millisecond - time.Hour}, // the clock was set
	} {
		c.advance(step.after)
		add(t, l, store.Change{Events: []store.Event{step.event}})
		if got := load(t, s, "a").Updated.Sub(began); got != step.want {
			t.Errorf("updated after %s, want %s", got, step.want)
		}
	}
	if _, err := s.SetTitle(t.Context(), "a", "x", true); err != nil {
		t.Fatal(err)
	}
	if err := s.Archive(t.Context(), "a", true); err != nil {
		t.Fatal(err)
	}
	if r := load(t, s, "a").Record; !r.Archived || !r.Created.Equal(began) || r.Updated.Sub(began) != 1100*time.Millisecond-time.Hour {
		t.Errorf("got %+v", r)
	}
}
