package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var sessionRows = []row{
	{value: "ms", title: "all done, ms", digits: 1},
	{value: "failed", title: "prompts failed, all rounds", sum: true},
	{value: "lost", title: "updates lost or out of order, all rounds", sum: true},
	{value: "late", title: "updates after their prompt returned, all rounds", sum: true},
}

const updatesEach = 10

// A session of this scenario counts the updates that arrive in the order 0, 1, 2, ...
type countedSession struct {
	name     string
	inOrder  atomic.Int64
	arrived  atomic.Int64
	failed   bool
	returned int64 // how many had arrived when the prompt returned
}

// A promptsAller is a client that can send many prompts at once but not from many goroutines: the floor's.
type promptsAller interface {
	promptAll(sessions []string, text string, returned func(session string)) error
}

// runSessions prompts many sessions at once on one connection, each answered with a few updates.
func runSessions(j job) (values, error) {
	sessions := make(map[string]*countedSession, j.Count)
	names := make([]string, j.Count)
	for i := range j.Count {
		names[i] = sessionName(i)
		sessions[names[i]] = &countedSession{name: names[i]}
	}
	c, err := stacks[j.Stack].spawn(j.Agent, func(session, text string) {
		s := sessions[session]
		if s == nil {
			return
		}
		if n, err := strconv.Atoi(text); err == nil && int64(n) == s.arrived.Load() {
			s.inOrder.Add(1)
		}
		s.arrived.Add(1)
	})
	if err != nil {
		return nil, err
	}
	defer c.close()
	ctx := context.Background()
	for range 200 { // warm up, in a session that does not count
		if _, err := c.prompt(ctx, statsSession, "count 10"); err != nil {
			return nil, err
		}
	}

	if o, ok := c.(opener); ok {
		if err := o.open(names); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("count %d", updatesEach)
	start := time.Now()
	if all, ok := c.(promptsAller); ok {
		err = all.promptAll(names, text, func(session string) {
			s := sessions[session]
			s.returned = s.arrived.Load()
		})
		if err != nil {
			return nil, err
		}
	} else {
		var done sync.WaitGroup
		for _, s := range sessions {
			done.Go(func() {
				stop, err := c.prompt(ctx, s.name, text)
				s.failed = err != nil || stop != "end_turn"
				s.returned = s.arrived.Load()
			})
		}
		done.Wait()
	}
	took := time.Since(start)

	v := values{"ms": float64(took.Microseconds()) / 1e3, "failed": 0, "lost": 0, "late": 0}
	alive := true
	for _, s := range sessions {
		if s.failed {
			v["failed"]++
			alive = false
		}
	}
	for _, s := range sessions {
		if alive {
			waitFor(&s.arrived, updatesEach, time.Second)
		}
		v["lost"] += float64(updatesEach - s.inOrder.Load())
		v["late"] += float64(s.arrived.Load() - s.returned)
	}
	return v, nil
}
