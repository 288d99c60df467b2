package main

import (
	"fmt"
	"io"
	"slices"
)

// A target is what a stack of ours must reach, as a value or as a ratio to another stack's. Ratios are what counts where
// the machine decides the rest.
type target struct {
	stack    string
	scenario string
	value    string
	versus   string // "" for the value itself
	atLeast  bool   // or else at most
	bound    float64
	title    string
}

const core = "core"

var targets = []target{
	{core, "updates-100", "messages", "coder", true, 6, "updates of 100 B: times the speed of acp-go-sdk"},
	{core, "updates-100", "allocs", "", false, 10, "updates of 100 B: allocations, both ends"},
	{core, "updates-10k", "mb", "ts", true, 1, "updates of 10 KB: times the speed of TypeScript"},
	{core, "roundtrip", "p50", "floor", false, 2.5, "small request over a subprocess: times the floor's p50"},
	{core, "prompt-32m", "mb", "", true, 200, "prompt of 32 MiB: MB/s"},
	{core, "prompt-32m", "mb", "floor", true, 0.1, "prompt of 32 MiB: part of the bare pipe's speed"},
	{core, "prompt-32m", "receiver", "", false, 3, "prompt of 32 MiB: peak memory of the agent, × text"},
	{core, "prompt-32m", "sender", "", false, 3, "prompt of 32 MiB: peak memory of the client, × text"},
	{core, "sessions", "failed", "", false, 0, "1,000 sessions: prompts failed"},
	{core, "sessions", "lost", "", false, 0, "1,000 sessions: updates lost or out of order"},
	{core, "sessions", "late", "", false, 0, "1,000 sessions: updates after their prompt returned"},
	{core, "idle", "kib", "", false, 64, "idle connection: KiB"},
	{core, "idle-64m", "kib", "", false, 64, "idle connection after 64 MiB: KiB"},
	{core, "cancel", "cancelled", "", true, 500, "cancels in the same write: cancelled of 500"},
	{core, "cancel", "touched", "", false, 0, "cancels in the same write: next prompts cancelled"},

	{ours, "updates-100", "messages", core, true, 2. / 3, "updates of 100 B: part of the core's speed"},
	{ours, "updates-10k", "messages", core, true, 2. / 3, "updates of 10 KB: part of the core's speed"},
	{ours, "prompt", "p50", "floor", false, 3.5, "prompt over a subprocess: times the floor's p50"},
	{ours, "sessions", "failed", "", false, 0, "1,000 sessions: prompts failed"},
	{ours, "sessions", "lost", "", false, 0, "1,000 sessions: updates lost or out of order"},
	{ours, "sessions", "late", "", false, 0, "1,000 sessions: updates after their prompt returned"},
	{ours, "cancel", "cancelled", "", true, 500, "cancels in the same write: cancelled of 500"},
	{ours, "cancel", "touched", "", false, 0, "cancels in the same write: next prompts cancelled"},
	{ours, "run", "p50", "", false, 100, "patchbay run, with the time of an agent that has nothing to do: ms"},
	{ours, "start", "p50", "", false, 50, "start of patchbay agent, until initialize is answered: ms"},
	{ours, "first-word", "p99", "", false, 10, "first word of a model, to the client, p99 of the slowest format: ms"},
	{ours, "reads", "added", "", false, 1.1, "50 slow files read at once: times the slowest one, beyond what 50 quick ones take"},
}

// printTargets says which of our targets are met and returns how many are not. What was not measured is not mentioned.
func printTargets(w io.Writer, results map[string]measurements) (missed int) {
	heading := ""
	for _, t := range targets {
		ms := results[t.scenario]
		if len(ms[t.stack]) == 0 {
			continue
		}
		got, ok := t.reached(ms)
		if t.versus != "" && len(ms[t.versus]) == 0 {
			continue
		}
		if heading != t.stack {
			heading = t.stack
			fmt.Fprintf(w, "\nTargets of %s:\n\n", heading)
		}
		sign, met := "≤", ok && got <= t.bound
		if t.atLeast {
			sign, met = "≥", ok && got >= t.bound
		}
		verdict := "met"
		if !met {
			verdict = "MISSED"
			missed++
		}
		reached := "nothing"
		if ok {
			reached = number(got, 2)
		}
		fmt.Fprintf(w, "- %s: %s, %s (%s %s)\n", verdict, t.title, reached, sign, number(t.bound, 2))
	}
	return missed
}

// reached is the median, or the worst of all rounds where the bound leaves no room.
func (t target) reached(ms measurements) (float64, bool) {
	if t.versus != "" {
		return ratio(t.value, ms[t.stack], ms[t.versus])
	}
	got := column(ms[t.stack], t.value)
	if len(got) < len(ms[t.stack]) { // a round has failed
		return 0, false
	}
	if t.scenario == "sessions" || t.scenario == "cancel" {
		if t.atLeast {
			return slices.Min(got), true
		}
		return slices.Max(got), true
	}
	return median(got), true
}
