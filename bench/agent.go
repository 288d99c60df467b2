package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// cancelLimit is how long an agent that was told to wait for a cancel waits, in case it was lost.
const cancelLimit = 300 * time.Millisecond

// An agent is what the agents of all stacks do: the text of a prompt is a command.
//
//	say N SIZE   send N updates of SIZE bytes
//	count N      send N updates that say 0, 1, 2, ...
//	wait         wait for a cancel
//	settle       collect garbage and forget how much memory was used at most
//	stats        send the stats of the process, as JSON, in an update
//
// A text longer than commands are is only measured. ts/agent.mjs is the same in JavaScript.
type agent struct {
	received atomic.Int64 // length of the last long text
}

const longestCommand = 64 // bytes

// prompt runs one turn and returns its stop reason.
func (a *agent) prompt(ctx context.Context, text string, update func(text string) error) (stopReason string, err error) {
	if len(text) > longestCommand {
		a.received.Store(int64(len(text)))
		return "end_turn", nil
	}
	verb, rest, _ := strings.Cut(text, " ")
	var n, size int
	fmt.Sscan(rest, &n, &size)
	switch verb {
	case "say":
		text := sample(size)
		for range n {
			if err := update(text); err != nil {
				return "", err
			}
		}
	case "count":
		for i := range n {
			if err := update(strconv.Itoa(i)); err != nil {
				return "", err
			}
		}
	case "wait":
		select {
		case <-ctx.Done():
			return "cancelled", nil
		case <-time.After(cancelLimit):
		}
	case "settle":
		settle()
	case "stats":
		s := takeStats()
		s.Received = a.received.Load()
		b, err := json.Marshal(s)
		if err != nil {
			return "", err
		}
		return "end_turn", update(string(b))
	}
	return "end_turn", nil
}
