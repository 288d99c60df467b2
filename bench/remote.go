package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// statsSession is the session in which agents are asked for their stats.
var statsSession = sessionName(9_999_999)

// A remote is a client whose agent can be asked how it is.
type remote struct {
	client
	told chan string // stats that arrived; buffered, never closed
}

// dial connects with connect, which is given a handler that keeps the stats and passes other updates on.
func dial(onUpdate updateFunc, connect func(updateFunc) (client, error)) (*remote, error) {
	r := &remote{told: make(chan string, 1)}
	c, err := connect(func(session, text string) {
		if session == statsSession {
			r.told <- string([]byte(text)) // a copy
			return
		}
		onUpdate(session, text)
	})
	r.client = c
	return r, err
}

// spawn starts the job's agent and connects to it.
func (j job) spawn(onUpdate updateFunc) (*remote, error) {
	return dial(onUpdate, func(onUpdate updateFunc) (client, error) {
		return stacks[j.Stack].spawn(j.Agent, onUpdate)
	})
}

// do sends a prompt and wants the turn to end well.
func (r *remote) do(session, text string) error {
	stop, err := r.prompt(context.Background(), session, text)
	if err == nil && stop != "end_turn" {
		err = fmt.Errorf("the turn ended with %q", stop)
	}
	return err
}

func (r *remote) stats() (s stats, err error) {
	if err := r.do(statsSession, "stats"); err != nil {
		return s, err
	}
	select {
	case text := <-r.told:
		return s, json.Unmarshal([]byte(text), &s)
	case <-time.After(10 * time.Second):
		return s, errors.New("no stats came from the agent")
	}
}

// waitFor waits until n has reached want, for some stacks return from a prompt before its last updates are handled.
func waitFor(n *atomic.Int64, want int64, atMost time.Duration) bool {
	for deadline := time.Now().Add(atMost); n.Load() < want; time.Sleep(50 * time.Microsecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
