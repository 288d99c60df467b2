package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"
)

// runIdle opens connections between clients and agents in this process, through pipes of the operating system, uses each
// once, and divides what a collection leaves by the number of ends. With a size, each has carried a prompt of that size.
func runIdle(j job) (values, error) {
	st := stacks[j.Stack]
	a := new(agent)
	ctx := context.Background()
	open := func(text string) (client, error) {
		c, err := st.pair(a, func(session, text string) {}, true)
		if err != nil {
			return nil, err
		}
		if err := c.setMode(ctx, sessionName(1)); err != nil {
			return nil, err
		}
		if len(text) > 0 {
			if _, err := c.prompt(ctx, sessionName(1), text); err != nil {
				return nil, fmt.Errorf("a message of %d bytes: %w", len(text), err)
			}
		}
		return c, nil
	}
	text := strings.Repeat("x", j.Size) // nothing to escape: the size is that of the message
	first, err := open("")              // for what the process needs once
	if err != nil {
		return nil, err
	}
	defer first.close()
	before := live()
	for range j.Count {
		c, err := open(text)
		if err != nil {
			return nil, err
		}
		defer c.close()
	}
	after := live()
	runtime.KeepAlive(text) // as before
	return values{"kib": float64(after-before) / 1024 / float64(2*j.Count)}, nil
}
