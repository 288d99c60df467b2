package store_test

import (
	"bytes"
	"context"
	"errors"
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
