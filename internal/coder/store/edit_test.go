package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// Where a session works is stored with it, and can be changed (F71).
func TestF71_SessionsMove(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a", CWD: "/old"})
	add(t, l, store.Change{Place: &store.Place{CWD: "/new", Roots: []string{"/more"}}})
	if got := load(t, s, "a"); got.CWD != "/new" || !slices.Equal(got.Roots, []string{"/more"}) {
		t.Errorf("got %+v", got.Session)
	}
}

// A title that the user chose stays; any other is replaced.
func TestTitles(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	create(t, s, store.Session{ID: "a"})
	for i, step := range []struct {
		title string
		own   bool
		set   bool
		want  string
	}{
		{"made", false, true, "made"},
		{"made anew", false, true, "made anew"},
		{"mine", true, true, "mine"},
		{"made again", false, false, "mine"},
		{"mine too", true, true, "mine too"},
		{"", true, true, ""},
		{"made at last", false, true, "made at last"},
	} {
		set, err := s.SetTitle(t.Context(), "a", step.title, step.own)
		if err != nil || set != step.set {
			t.Errorf("step %d: %v, %v", i, set, err)
		}
		if got := load(t, s, "a"); got.Title != step.want || got.Own != (step.own && step.title != "" || !set) {
			t.Errorf("step %d: %+v", i, got.Session)
		}
	}
}

// Replacing the conversation leaves what came before for forks, and taking back a turn brings it back.
func TestConversationsAreReplaced(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	say := func(word string, replace bool) {
		add(t, l, store.Change{Events: []store.Event{prompt(t, word)}, Messages: [][]byte{[]byte(word)}, Replace: replace})
	}
	say("one", false)
	say("two", false)
	say("sum", true)
	say("four", false)
	check := func(id acp.SessionID, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, messages(t, load(t, s, id))); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
	check("a", "sum", "four")
	for at, want := range map[uint64][]string{1: {"one"}, 2: {"one", "two"}, 3: {"sum"}, 4: {"sum", "four"}, 0: {"sum", "four"}} {
		id := acp.SessionID(fmt.Sprint("fork", at))
		if _, err := s.Fork(t.Context(), "a", store.Session{ID: id, CWD: "/work"}, at); err != nil {
			t.Fatal(err)
		}
		check(id, want...)
		if n := len(events(t, load(t, s, id))); at > 0 && n != int(at) {
			t.Errorf("%s has %d events", id, n)
		}
	}
	if err := l.Rewind(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	check("a", "one", "two")
	say("three", false)
	check("a", "one", "two", "three")
	if n := len(events(t, load(t, s, "a"))); n != 3 {
		t.Errorf("there are %d events", n)
	}
	if _, err := s.Fork(t.Context(), "a", store.Session{ID: "x", CWD: "/work"}, 4); err == nil {
		t.Error("forked after an event that is not there")
	}
}

// A fork has the settings and the memory, and neither what was allowed nor what was used.
func TestForksStandAlone(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	add(t, l, store.Change{Events: []store.Event{chunk(t, "m", "a")}, Documents: store.Documents{
		Settings: []byte("s"), Grants: []byte("g"), Usage: []byte("u"), Memory: []byte("m"),
	}})
	fork, err := s.Fork(t.Context(), "a", store.Session{ID: "b", CWD: "/other", Title: "of a"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	add(t, fork, store.Change{Events: []store.Event{chunk(t, "m", "b")}})
	add(t, l, store.Change{Events: []store.Event{chunk(t, "m", "c")}})
	got := load(t, s, "b")
	if diff := cmp.Diff(store.Documents{Settings: []byte("s"), Memory: []byte("m")}, got.Documents); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{string(chunk(t, "m", "ab").Data)}, events(t, got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{string(chunk(t, "m", "ac").Data)}, events(t, load(t, s, "a"))); diff != "" {
		t.Error(diff)
	}
	if got.CWD != "/other" || got.Title != "of a" {
		t.Errorf("got %+v", got.Session)
	}
}

// Delete removes a session with its subagents, and nothing else.
func TestDeleteTakesTheSubagents(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	for _, session := range []store.Session{{ID: "a"}, {ID: "a1", Parent: "a"}, {ID: "a2", Parent: "a1"}, {ID: "b"}, {ID: "b1", Parent: "b"}} {
		add(t, create(t, s, session), store.Change{Events: []store.Event{prompt(t, "x")}, Messages: [][]byte{nil}, Documents: store.Documents{Usage: []byte("1")}})
	}
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []acp.SessionID{"a", "a1", "a2"} {
		if _, err := s.Load(t.Context(), id); !errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []acp.SessionID{"b", "b1"} {
		if got := load(t, s, id); len(events(t, got)) != 1 || len(messages(t, got)) != 1 || string(got.Usage) != "1" {
			t.Errorf("%s has changed", id)
		}
	}
	if n := store.Rows(t, s); n != 2*3 {
		t.Errorf("%d rows are left", n)
	}
}

// What is removed while it is read is said to be gone, not damaged.
func TestRemovedWhileItIsRead(t *testing.T) {
	c := newClock()
	s := open(t, t.TempDir(), store.Options{Now: c.Now})
	want := map[acp.SessionID]error{"deleted": store.ErrUnknown, "swept": store.ErrExpired}
	loaded := map[acp.SessionID]*store.Loaded{}
	for id := range want {
		l := create(t, s, store.Session{ID: id})
		add(t, l, store.Change{Events: []store.Event{prompt(t, "x")}, Messages: [][]byte{[]byte("x")}})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		loaded[id] = load(t, s, id)
	}
	if err := s.Delete(t.Context(), "deleted"); err != nil {
		t.Fatal(err)
	}
	c.advance(time.Hour)
	if _, err := s.Sweep(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	for id, want := range want {
		for _, err := range loaded[id].Events(t.Context()) {
			if !errors.Is(err, want) {
				t.Errorf("events of what was %s: %v", id, err)
			}
		}
		for _, err := range loaded[id].Messages(t.Context()) {
			if !errors.Is(err, want) {
				t.Errorf("messages of what was %s: %v", id, err)
			}
		}
	}
}
