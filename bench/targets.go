package main

import (
	"fmt"
	"io"
	"slices"
)

// A target is what ours must reach, as a value or as a ratio to another stack's. Ratios are what counts where the
// machine decides the rest.
type target struct {
	scenario string
	value    string
	versus   string // "" for the value itself
	atLeast  bool   // or else at most
	bound    float64
	title    string
}

var targets = []target{
	{"updates-100", "messages", "coder", true, 6, "updates of 100 B: times the speed of acp-go-sdk"},
	{"updates-100", "allocs", "", false, 10, "updates of 100 B: allocations, both ends"},
	{"updates-10k", "mb", "ts", true, 1, "updates of 10 KB: times the speed of TypeScript"},
	{"roundtrip", "p50", "floor", false, 2.5, "small request over a subprocess: times the floor's p50"},
	{"prompt-32m", "mb", "", true, 200, "prompt of 32 MiB: MB/s"},
	{"prompt-32m", "receiver", "", false, 3, "prompt of 32 MiB: peak memory of the agent, × text"},
	{"prompt-32m", "sender", "", false, 3, "prompt of 32 MiB: peak memory of the client, × text"},
	{"sessions", "failed", "", false, 0, "1,000 sessions: prompts failed"},
	{"sessions", "lost", "", false, 0, "1,000 sessions: updates lost or out of order"},
	{"sessions", "late", "", false, 0, "1,000 sessions: updates after their prompt returned"},
	{"idle", "kib", "", false, 64, "idle connection: KiB"},
	{"idle-64m", "kib", "", false, 64, "idle connection after 64 MiB: KiB"},
	{"cancel", "cancelled", "", true, 500, "cancels in the same write: cancelled of 500"},
	{"cancel", "touched", "", false, 0, "cancels in the same write: next prompts cancelled"},
}

// printTargets says which of our targets are met and returns how many are not. What was not measured is not mentioned.
func printTargets(w io.Writer, results map[string]measurements) (missed int) {
	begun := false
	for _, t := range targets {
		ms := results[t.scenario]
		if len(ms[ours]) == 0 {
			continue
		}
		got, ok := t.reached(ms)
		if t.versus != "" && len(ms[t.versus]) == 0 {
			continue
		}
		if !begun {
			fmt.Fprintf(w, "\nTargets of %s:\n\n", ours)
			begun = true
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
		fmt.Fprintf(w, "- %s: %s, %s (%s %s)\n", verdict, t.title, reached, sign, number(t.bound, 1))
	}
	return missed
}

// reached is the median, or the worst of all rounds where the bound leaves no room.
func (t target) reached(ms measurements) (float64, bool) {
	if t.versus != "" {
		return ratio(t.value, ms[ours], ms[t.versus])
	}
	got := column(ms[ours], t.value)
	if len(got) < len(ms[ours]) { // a round has failed
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
