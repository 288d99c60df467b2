package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// until waits for something that happens soon.
func until(t testing.TB, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !done(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("it doesn't happen")
		}
	}
}

// What many sessions append at the same moment is one transaction, and those that may not append fail alone.
func TestAppendsShareACommit(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	const sessions = 50
	var leases []*store.Lease
	for i := range sessions {
		leases = append(leases, create(t, s, store.Session{ID: poolName(i)}))
	}
	if err := leases[7].Close(); err != nil {
		t.Fatal(err)
	}
	commits := store.Commits(t, s)
	unlock := store.Lock(t, s)
	failed := make([]error, sessions)
	var all sync.WaitGroup
	for i, l := range leases {
		all.Go(func() {
			_, failed[i] = l.Append(t.Context(), store.Change{Events: []store.Event{prompt(t, "x")}})
		})
	}
	until(t, func() bool { return store.Queued(s) == sessions-1 }) // and one is in the writer's hands, or about to come
	unlock()
	all.Wait()
	for i, err := range failed {
		if (i == 7) != errors.Is(err, store.ErrLost) || i != 7 && err != nil {
			t.Errorf("session %d: %v", i, err)
		}
		want := 1
		if i == 7 {
			want = 0
		}
		if n := len(events(t, load(t, s, poolName(i)))); n != want {
			t.Errorf("session %d has %d events", i, n)
		}
	}
	if n := commits(); n > 2 { // one append may have been late
		t.Errorf("there were %d commits", n)
	}
}

// One that can't be written fails alone: the others of its transaction are written.
func TestAFailureConcernsNobodyElse(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	var leases []*store.Lease
	for i := range 10 {
		leases = append(leases, create(t, s, store.Session{ID: poolName(i)}))
		add(t, leases[i], store.Change{Events: []store.Event{chunk(t, "m", "a")}})
	}
	store.Statement(t, s, `CREATE TRIGGER bad BEFORE UPDATE ON events WHEN NEW.place >> 32 = 5 BEGIN SELECT RAISE(ABORT, 'no'); END`)
	unlock := store.Lock(t, s)
	failed := make([]error, len(leases))
	var all sync.WaitGroup
	for i, l := range leases {
		all.Go(func() {
			_, failed[i] = l.Append(t.Context(), store.Change{Events: []store.Event{chunk(t, "m", "b")}})
		})
	}
	until(t, func() bool { return store.Queued(s) == len(leases)-1 })
	unlock()
	all.Wait()
	for i, err := range failed {
		want := string(chunk(t, "m", "ab").Data)
		if i == 4 {
			want = string(chunk(t, "m", "a").Data)
		}
		if (err != nil) != (i == 4) {
			t.Errorf("session %d: %v", i, err)
		}
		if got := events(t, load(t, s, poolName(i))); len(got) != 1 || got[0] != want {
			t.Errorf("session %d has %q", i, got)
		}
	}
}

// While another process writes, a change waits for as long as it may, or until it is called off. Then nothing of it is written.
// Reading goes on.
func TestAnotherProcessWrites(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{Busy: 50 * time.Millisecond})
	l := create(t, s, store.Session{ID: "a"})
	add(t, l, store.Change{Events: []store.Event{prompt(t, "x")}})
	unlock := store.Lock(t, s)
	defer unlock()
	_, err := l.Append(t.Context(), store.Change{Events: []store.Event{prompt(t, "late")}})
	if e := (*store.FileError)(nil); !errors.As(err, &e) || !errors.Is(err, store.ErrLocked) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	called := make(chan error)
	go func() {
		_, err := l.Append(ctx, store.Change{Events: []store.Event{prompt(t, "called off")}})
		called <- err
	}()
	cancel()
	if err := <-called; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if n := len(events(t, load(t, s, "a"))); n != 1 {
		t.Errorf("there are %d events", n)
	}
	unlock()
	if last := add(t, l, store.Change{Events: []store.Event{prompt(t, "y")}}); last != 2 {
		t.Errorf("the last event is %d", last)
	}
}

// Close does what is queued, and lets nobody hang.
func TestCloseWithWorkInHand(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	const sessions = 20
	kept := make([]uint64, sessions)
	var all, begun sync.WaitGroup
	begun.Add(sessions)
	for i := range sessions {
		l := create(t, s, store.Session{ID: poolName(i)})
		all.Go(func() {
			for {
				last, err := l.Append(t.Context(), store.Change{Events: []store.Event{prompt(t, "x")}})
				if kept[i] == 0 {
					begun.Done()
				}
				if err != nil {
					if !errors.Is(err, store.ErrClosed) && !errors.Is(err, store.ErrLost) {
						t.Errorf("session %d: %v", i, err)
					}
					return
				}
				kept[i] = last
			}
		})
	}
	begun.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	s = open(t, dir, store.Options{})
	for i, n := range kept {
		if got := load(t, s, poolName(i)); got.Last != n || got.Owner != nil {
			t.Errorf("session %d: %d appends were durable, there are %d, and it is %v's", i, n, got.Last, got.Owner)
		}
	}
}

// A store that can't give its leases back, since another process writes, closes in the time that one change may wait. Its sessions are free.
func TestCloseWhileAnotherProcessWrites(t *testing.T) {
	dir := t.TempDir()
	s, err := store.Open(t.Context(), dir, store.Options{Busy: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	const sessions = 30
	for i := range sessions {
		create(t, s, store.Session{ID: poolName(i)})
	}
	unlock := store.Lock(t, s)
	began := time.Now()
	if err := s.Close(); !errors.Is(err, store.ErrLocked) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("it took %s", took)
	}
	unlock()
	s = open(t, dir, store.Options{})
	for i := range sessions {
		acquire(t, s, poolName(i))
	}
}

// A session that nobody uses costs no goroutine and hardly any memory, however long it is.
func TestIdleSessionsCostNothing(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	fill(t, create(t, s, store.Session{ID: "first"}), 300, true)
	goroutines, before := runtime.NumGoroutine(), heap()
	const sessions = 40
	for i := range sessions {
		fill(t, create(t, s, store.Session{ID: acp.SessionID(fmt.Sprint(i))}), 300, true)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("there are %d goroutines, and there were %d", n, goroutines)
	}
	if each := (heap() - before) / sessions; each > 8<<10 {
		t.Errorf("a session costs %d bytes", each)
	}
	runtime.KeepAlive(s)
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
