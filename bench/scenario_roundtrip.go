package main

import (
	"context"
	"slices"
	"time"
)

var roundtripRows = []row{
	{value: "p50", title: "p50, µs", digits: 1},
	{value: "p99", title: "p99, µs", digits: 1},
	{value: "allocs", title: "allocations, both ends", digits: 1},
}

// runRoundtrip measures session/set_mode, one call at a time, over a subprocess.
func runRoundtrip(j job) (values, error) {
	r, err := j.spawn(func(session, text string) {})
	if err != nil {
		return nil, err
	}
	defer r.close()
	return roundtrips(r.setMode, j.duration(), r.mallocs)
}

// runPrompts measures session/prompt, one turn at a time, each of which ends at once.
func runPrompts(j job) (values, error) {
	r, err := j.spawn(func(session, text string) {})
	if err != nil {
		return nil, err
	}
	defer r.close()
	prompt := func(_ context.Context, session string) error { return r.do(session, "nothing") }
	return roundtrips(prompt, j.duration(), r.mallocs)
}

// mallocs counts those of both ends.
func (r *remote) mallocs() (uint64, error) {
	s, err := r.stats()
	return s.Mallocs + takeStats().Mallocs, err
}

// runRoundtripMemory does the same with both ends in this process.
func runRoundtripMemory(j job) (values, error) {
	c, err := stacks[j.Stack].pair(new(agent), func(session, text string) {}, false)
	if err != nil {
		return nil, err
	}
	defer c.close()
	return roundtrips(c.setMode, j.duration(), func() (uint64, error) { return takeStats().Mallocs, nil })
}

func roundtrips(call func(ctx context.Context, session string) error, duration time.Duration, mallocs func() (uint64, error)) (values, error) {
	ctx := context.Background()
	session := sessionName(1)
	took := make([]time.Duration, 0, 1<<20) // room for all, so that they don't count as allocations
	measure := func(duration time.Duration) error {
		took = took[:0]
		for start, now := time.Now(), time.Now(); now.Sub(start) < duration && len(took) < cap(took); {
			if err := call(ctx, session); err != nil {
				return err
			}
			then := now
			now = time.Now()
			took = append(took, now.Sub(then))
		}
		return nil
	}
	if err := measure(duration / 4); err != nil { // warm up
		return nil, err
	}
	before, err := mallocs()
	if err != nil {
		return nil, err
	}
	if err := measure(duration); err != nil {
		return nil, err
	}
	after, err := mallocs()
	if err != nil {
		return nil, err
	}
	slices.Sort(took)
	micros := func(part float64) float64 {
		return float64(took[int(part*float64(len(took)-1))].Nanoseconds()) / 1e3
	}
	return values{
		"p50":    micros(0.50),
		"p99":    micros(0.99),
		"allocs": float64(after-before) / float64(len(took)),
	}, nil
}
