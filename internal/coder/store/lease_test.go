package store_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

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
