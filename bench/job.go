package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"
)

// A job is one measurement of one stack, done by a process of its own: this program, or ts/client.mjs, whose last
// argument is a job in JSON and which prints values in JSON.
type job struct {
	Stack    string
	Scenario string
	Agent    []string // how to start the stack's agent
	Size     int      // bytes of a text
	Count    int      // messages, sessions, connections or prompts, where the scenario fixes their number
	Millis   int      // how long to measure, where it does not
}

func (j job) duration() time.Duration { return time.Duration(j.Millis) * time.Millisecond }

// values are what a scenario has measured, by the names that its rows use.
type values map[string]float64

// runJob is the process of one measurement.
func runJob(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return fmt.Errorf("read the job: %w", err)
	}
	i := slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == j.Scenario })
	if i < 0 {
		return fmt.Errorf("no scenario %q", j.Scenario)
	}
	v, err := scenarios[i].run(j)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(v)
}

// runAgent is the process of an agent in Go.
func runAgent(name string) error {
	st, ok := stacks[name]
	if !ok {
		return fmt.Errorf("no stack %q in Go", name)
	}
	return st.serve(new(agent))
}
