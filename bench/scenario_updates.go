package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

var updateRows = []row{
	{value: "messages", title: "messages/s", more: true},
	{value: "mb", title: "MB/s of text", digits: 1, more: true},
	{value: "allocs", title: "allocations, both ends", digits: 1},
}

// runUpdates measures a stream of session/update from the agent to the client.
func runUpdates(j job) (values, error) {
	st := stacks[j.Stack]
	want := len(st.arrives(sample(j.Size)))
	var got, wrong atomic.Int64
	r, err := j.spawn(func(session, text string) {
		if len(text) != want {
			wrong.Add(1)
		}
		got.Add(1)
	})
	if err != nil {
		return nil, err
	}
	defer r.close()
	session := sessionName(1)

	send := func(n int) (time.Duration, error) {
		start := time.Now()
		expected := got.Load() + int64(n)
		for left := n; left > 0; {
			part := left
			if w := st.window(); w > 0 && part > w {
				part = w
			}
			if err := r.do(session, fmt.Sprintf("say %d %d", part, j.Size)); err != nil {
				return 0, fmt.Errorf("after %d updates: %w", got.Load(), err)
			}
			left -= part
		}
		if !waitFor(&got, expected, 5*time.Second) {
			return 0, fmt.Errorf("%d updates of %d are missing", expected-got.Load(), n)
		}
		return time.Since(start), nil
	}

	// The second half of the warm-up tells how many messages take as long as we want to measure.
	const few = 500
	n := few
	for start := time.Now(); time.Since(start) < j.duration()/4; {
		took, err := send(few)
		if err != nil {
			return nil, err
		}
		n = max(few, int(float64(few)*j.duration().Seconds()/took.Seconds()))
	}

	before, err := r.stats()
	if err != nil {
		return nil, err
	}
	here := takeStats()
	took, err := send(n)
	if err != nil {
		return nil, err
	}
	mallocs := takeStats().Mallocs - here.Mallocs
	after, err := r.stats()
	if err != nil {
		return nil, err
	}
	if wrong.Load() > 0 {
		return nil, fmt.Errorf("%d updates had a text of another length", wrong.Load())
	}
	mallocs += after.Mallocs - before.Mallocs
	rate := float64(n) / took.Seconds()
	return values{
		"messages": rate,
		"mb":       rate * float64(j.Size) / 1e6,
		"allocs":   float64(mallocs) / float64(n),
	}, nil
}
