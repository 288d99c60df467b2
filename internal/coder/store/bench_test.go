package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// BenchmarkAppend appends chunks one by one, each when the one before is durable. An operation is one chunk; sync waits for the
// disk as well.
func BenchmarkAppend(b *testing.B) {
	for _, sessions := range []int{1, 10} {
		for _, sync := range []bool{false, true} {
			b.Run(fmt.Sprintf("sessions=%d/sync=%t", sessions, sync), func(b *testing.B) { benchAppend(b, sessions, sync) })
		}
	}
}

func benchAppend(b *testing.B, sessions int, durable bool) {
	s := open(b, b.TempDir(), store.Options{Sync: durable})
	var leases []*store.Lease
	for i := range sessions {
		leases = append(leases, create(b, s, store.Session{ID: acp.SessionID(fmt.Sprint(i))}))
	}
	piece := chunk(b, "message_1", "some words")
	took := make([]time.Duration, b.N)
	b.ReportAllocs()
	b.ResetTimer()
	var all sync.WaitGroup
	for i, l := range leases {
		all.Go(func() {
			for n := i; n < b.N; n += sessions {
				began := time.Now()
				if _, err := l.Append(b.Context(), store.Change{Events: []store.Event{piece}}); err != nil {
					b.Error(err)
					return
				}
				took[n] = time.Since(began)
			}
		})
	}
	all.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
	b.ReportMetric(float64(took[b.N/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[b.N*99/100].Microseconds()), "p99-µs")
}

// BenchmarkLoad loads a session of 100,000 chunks, and reads all of its events.
func BenchmarkLoad(b *testing.B) {
	for _, joined := range []bool{true, false} {
		b.Run(fmt.Sprintf("joined=%t", joined), func(b *testing.B) {
			s := open(b, b.TempDir(), store.Options{})
			fill(b, create(b, s, store.Session{ID: "a"}), 100_000, joined)
			for b.Loop() {
				if err := load(b, s, "a").Check(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fill appends chunks, a hundred at a time. Those of different messages are not joined.
func fill(t testing.TB, l *store.Lease, chunks int, joined bool) {
	t.Helper()
	for n := 0; n < chunks; n += 100 {
		var c store.Change
		for i := range 100 {
			id := acp.MessageID("message_1")
			if !joined {
				id = acp.MessageID(fmt.Sprint("message_", n+i))
			}
			c.Events = append(c.Events, chunk(t, id, "some words"))
		}
		add(t, l, c)
	}
}

// BenchmarkFork copies a session of 100,000 chunks, which is a megabyte.
func BenchmarkFork(b *testing.B) {
	s := open(b, b.TempDir(), store.Options{})
	fill(b, create(b, s, store.Session{ID: "a"}), 100_000, true)
	for i := 0; b.Loop(); i++ {
		if _, err := s.Fork(b.Context(), "a", store.Session{ID: acp.SessionID(fmt.Sprint("fork", i)), CWD: "/work"}, 0); err != nil {
			b.Fatal(err)
		}
	}
}
