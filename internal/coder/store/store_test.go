package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// open opens a store in a directory until the test ends.
func open(t testing.TB, dir string, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func create(t testing.TB, s *store.Store, session store.Session) *store.Lease {
	t.Helper()
	if session.CWD == "" {
		session.CWD = "/work"
	}
	l, err := s.Create(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func acquire(t testing.TB, s *store.Store, id acp.SessionID) *store.Lease {
	t.Helper()
	l, err := s.Acquire(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func add(t testing.TB, l *store.Lease, c store.Change) uint64 {
	t.Helper()
	last, err := l.Append(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return last
}

func load(t testing.TB, s *store.Store, id acp.SessionID) *store.Loaded {
	t.Helper()
	l, err := s.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func update(t testing.TB, u acp.SessionUpdate) store.Event {
	t.Helper()
	e, err := store.UpdateEvent(u)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// chunk is a piece of an answer.
func chunk(t testing.TB, id acp.MessageID, text string) store.Event {
	t.Helper()
	return update(t, &acp.AgentMessageChunk{Content: acp.Text(text), MessageID: id})
}

func prompt(t testing.TB, text string) store.Event {
	t.Helper()
	e, err := store.PromptEvent([]acp.ContentBlock{acp.Text(text)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// events returns all events, as text, and checks their numbers.
func events(t testing.TB, l *store.Loaded) []string {
	t.Helper()
	var all []string
	for e, err := range l.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(e.Data))
		if e.Number != uint64(len(all)) {
			t.Fatalf("event %d has the number %d", len(all), e.Number)
		}
	}
	if l.Last != uint64(len(all)) {
		t.Fatalf("the last event is %d, and there are %d", l.Last, len(all))
	}
	return all
}

func messages(t testing.TB, l *store.Loaded) []string {
	t.Helper()
	var all []string
	for m, err := range l.Messages(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(m))
	}
	return all
}

// All that is appended is there for the next store: byte for byte, in order (F64, F65).
func TestWhatIsAppendedIsThereAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	l := create(t, s, store.Session{ID: "a", CWD: "/work", Roots: []string{"/lib", "/doc"}, Title: "first"})
	said := []store.Event{
		prompt(t, "hello"),
		chunk(t, "m1", "hi "), chunk(t, "m1", "there"),
		update(t, &acp.ToolCall{ToolCallID: "t1", Title: "Read a.go", RawInput: acp.Raw(`{"path":"a.go"}`)}),
		chunk(t, "m2", "done"),
	}
	last := add(t, l, store.Change{
		Events: said, Messages: [][]byte{[]byte("m1"), []byte("m2")},
		Documents: store.Documents{Settings: []byte(`{"mode":"full"}`), Usage: []byte(`{"usd":1}`), Memory: []byte{}},
	})
	if last != 4 {
		t.Errorf("the last event is %d", last)
	}
	end, err := store.EndEvent(acp.StopReasonEndTurn)
	if err != nil {
		t.Fatal(err)
	}
	add(t, l, store.Change{Events: []store.Event{end}, Messages: [][]byte{[]byte("m3")}, Documents: store.Documents{Usage: []byte(`{"usd":2}`)}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	got := load(t, open(t, dir, store.Options{}), "a")
	want := []string{
		string(said[0].Data), string(chunk(t, "m1", "hi there").Data), string(said[3].Data), string(said[4].Data), `"end_turn"`,
	}
	if diff := cmp.Diff(want, events(t, got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"m1", "m2", "m3"}, messages(t, got)); diff != "" {
		t.Error(diff)
	}
	documents := store.Documents{Settings: []byte(`{"mode":"full"}`), Usage: []byte(`{"usd":2}`), Memory: []byte{}}
	if diff := cmp.Diff(documents, got.Documents); diff != "" {
		t.Error(diff)
	}
	session := store.Session{ID: "a", CWD: "/work", Roots: []string{"/lib", "/doc"}, Title: "first"}
	if diff := cmp.Diff(session, got.Session); diff != "" {
		t.Error(diff)
	}
	if got.Owner != nil || got.Created.IsZero() || got.Archived {
		t.Errorf("got %+v", got.Record)
	}
	if err := got.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// Every update can be read back as what it was; so can a prompt and an end.
func TestEventsAreReadBack(t *testing.T) {
	said := acp.AgentText("hi")
	u, err := update(t, said).Update()
	if diff := cmp.Diff(said, u); err != nil || diff != "" {
		t.Error(err, diff)
	}
	blocks := []acp.ContentBlock{acp.Text("look"), &acp.ResourceLink{Name: "a.go", URI: "file:///a.go"}}
	p, err := store.PromptEvent(blocks)
	if err != nil {
		t.Fatal(err)
	}
	back, err := p.Prompt()
	if diff := cmp.Diff(blocks, back); err != nil || diff != "" {
		t.Error(err, diff)
	}
	e, err := store.EndEvent(acp.StopReasonCancelled)
	if err != nil {
		t.Fatal(err)
	}
	if reason, err := e.StopReason(); err != nil || reason != acp.StopReasonCancelled {
		t.Errorf("got %q, %v", reason, err)
	}
	if _, err := p.Update(); err == nil {
		t.Error("a prompt was an update")
	}
	if _, err := e.Prompt(); err == nil {
		t.Error("an end was a prompt")
	}
	if _, err := p.StopReason(); err == nil {
		t.Error("a prompt was an end")
	}
}

// What is asked for and is not there is an error of its own, at once (F68, F73).
func TestUnknownSessions(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	if _, err := s.Load(t.Context(), "no"); !errors.Is(err, store.ErrUnknown) {
		t.Errorf("load: %v", err)
	}
	_, acquired := s.Acquire(t.Context(), "no")
	_, forked := s.Fork(t.Context(), "no", store.Session{ID: "b"}, 0)
	_, titled := s.SetTitle(t.Context(), "no", "x", true)
	_, child := s.Create(t.Context(), store.Session{ID: "b", Parent: "no"})
	_, listed := s.List(t.Context(), store.Filter{Parent: "no"})
	for name, err := range map[string]error{
		"acquire": acquired, "fork": forked, "title": titled, "child": child, "list": listed,
		"delete": s.Delete(t.Context(), "no"), "archive": s.Archive(t.Context(), "no", true),
	} {
		if e := (*store.SessionError)(nil); !errors.As(err, &e) || !errors.Is(err, store.ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	create(t, s, store.Session{ID: "a"})
	if _, err := s.Create(t.Context(), store.Session{ID: "a"}); !errors.Is(err, store.ErrExists) {
		t.Errorf("created twice: %v", err)
	}
}

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

// A lease that was lost is told so at the next append, which writes nothing.
func TestLostLeases(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	newer := acquire(t, s, "a")
	if _, err := l.Append(t.Context(), store.Change{Events: []store.Event{prompt(t, "lost")}}); !errors.Is(err, store.ErrLost) {
		t.Errorf("append: %v", err)
	}
	if err := l.Rewind(t.Context(), 0); !errors.Is(err, store.ErrLost) {
		t.Errorf("rewind: %v", err)
	}
	if err := l.Close(); err != nil { // which is no longer its own to give back
		t.Error(err)
	}
	add(t, newer, store.Change{Events: []store.Event{prompt(t, "kept")}})
	if n := len(events(t, load(t, s, "a"))); n != 1 {
		t.Errorf("there are %d events", n)
	}
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := newer.Append(t.Context(), store.Change{}); !errors.Is(err, store.ErrUnknown) {
		t.Errorf("append after delete: %v", err)
	}
}

// While a store lives nobody else gets its sessions, and who asks learns who it is. When it is closed they are free.
func TestLeasesNameTheirOwner(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, store.Options{}), open(t, dir, store.Options{})
	create(t, s, store.Session{ID: "a"})
	for _, asks := range []*store.Store{s, other} {
		_, err := asks.Acquire(t.Context(), "a")
		var busy *store.BusyError
		if !errors.As(err, &busy) || !errors.Is(err, store.ErrBusy) {
			t.Fatalf("acquired: %v", err)
		}
		o := busy.Owner
		if o.PID != os.Getpid() || !o.Self || o.Host == "" || time.Since(o.Since) > time.Minute {
			t.Errorf("the owner is %+v", o)
		}
	}
	if err := other.Delete(t.Context(), "a"); !errors.Is(err, store.ErrBusy) {
		t.Errorf("deleted: %v", err)
	}
	if got := load(t, other, "a"); got.Owner == nil || got.Owner.PID != os.Getpid() {
		t.Errorf("the record has the owner %+v", got.Owner)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := load(t, other, "a"); got.Owner != nil {
		t.Errorf("the record still has the owner %+v", got.Owner)
	}
	acquire(t, other, "a")
}

// After Close everything fails with an error that says so, and Close can be called again.
func TestClosedStores(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	loaded := load(t, s, "a")
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, loading := s.Load(t.Context(), "a")
	_, listing := s.List(t.Context(), store.Filter{})
	_, appending := l.Append(t.Context(), store.Change{})
	for name, err := range map[string]error{"load": loading, "list": listing, "append": appending, "check": loaded.Check(t.Context())} {
		if name != "check" && !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// A context that has ended keeps a call from doing anything.
func TestContextsAreHonoured(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	add(t, l, store.Change{Events: []store.Event{prompt(t, "x")}})
	loaded := load(t, s, "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, appended := l.Append(ctx, store.Change{Events: []store.Event{prompt(t, "y")}})
	_, acquired := s.Acquire(ctx, "a")
	_, listed := s.List(ctx, store.Filter{})
	_, loading := s.Load(ctx, "a")
	_, swept := s.Sweep(ctx, time.Hour)
	_, opened := store.Open(ctx, t.TempDir(), store.Options{})
	for name, err := range map[string]error{
		"append": appended, "acquire": acquired, "list": listed, "load": loading, "check": loaded.Check(ctx), "sweep": swept,
		"delete": s.Delete(ctx, "a"), "open": opened,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(events(t, load(t, s, "a"))); n != 1 {
		t.Errorf("there are %d events", n)
	}
}

// What is too large is refused, and the session goes on.
func TestTooLarge(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	huge := make([]byte, store.MaxBytes+1)
	if _, err := l.Append(t.Context(), store.Change{Messages: [][]byte{huge}}); !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	large := bytes.Repeat([]byte("x"), 5<<20)
	add(t, l, store.Change{Messages: [][]byte{large, nil}})
	got := messages(t, load(t, s, "a"))
	if len(got) != 2 || got[0] != string(large) || got[1] != "" {
		t.Errorf("%d messages came back", len(got))
	}
}

// The folder and the file are the user's alone.
func TestOnlyTheUserCanRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files belong to their user there")
	}
	dir := filepath.Join(t.TempDir(), "state", "patchbay")
	s := open(t, dir, store.Options{})
	create(t, s, store.Session{ID: "a"})
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 2 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
		if strings.Contains(e.Name(), "new") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Path(), 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, dir, store.Options{})
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What a process has left that was killed while it made the store is removed by the next one that does so, unless it may live.
func TestLeftoversOfMaking(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"sessions.db.new-1": 2 * time.Hour, "sessions.db.new-1-wal": 2 * time.Hour, "sessions.db.new-2": 0, "mine": 2 * time.Hour} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if err := open(t, dir, store.Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	var left []string
	for _, e := range entries {
		if e.Name() != "sessions.lock" {
			left = append(left, e.Name())
		}
	}
	if diff := cmp.Diff([]string{"mine", "sessions.db", "sessions.db.new-2"}, left); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestDefaultDir(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "relative")
	dir, err := store.DefaultDir()
	if err != nil || !filepath.IsAbs(dir) {
		t.Errorf("got %q, %v", dir, err)
	}
	if runtime.GOOS == "linux" && dir != filepath.Join(home, ".local/state/patchbay") {
		t.Errorf("got %q", dir)
	}
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	if dir, err := store.DefaultDir(); err != nil || dir != filepath.Join(state, "patchbay") {
		t.Errorf("got %q, %v", dir, err)
	}
}
