package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ours is the stack that the ratios are about.
const ours = "patchbay"

// printTable prints one table in Markdown: a row for each thing measured, a column for each stack, and then how ours
// compares with each other one, as the median over the rounds of the ratio within a round.
func printTable(w io.Writer, stacks []string, results map[string]measurements) {
	var others []string
	if slices.Contains(stacks, ours) {
		for _, s := range stacks {
			if s != ours {
				others = append(others, s)
			}
		}
	}
	rows := [][]string{{"scenario", "measure"}}
	rows[0] = append(rows[0], stacks...)
	for _, s := range others {
		rows[0] = append(rows[0], ours+" ÷ "+s)
	}
	var notes []string
	for _, s := range scenarios {
		ms, ok := results[s.name]
		if !ok {
			continue
		}
		for i, r := range s.rows {
			title := s.title
			if i > 0 {
				title = "" // once is enough
			}
			cells := []string{title, r.label()}
			for _, stack := range stacks {
				cells = append(cells, r.cell(ms[stack]))
			}
			for _, other := range others {
				cells = append(cells, ratioCell(r, ms[ours], ms[other]))
			}
			rows = append(rows, cells)
		}
		for _, stack := range stacks {
			notes = append(notes, failures(s, stack, ms[stack])...)
		}
	}
	printRows(w, rows)
	fmt.Fprintln(w, "\n↑ more is better, ↓ less is better; – not measured. Allocations are of both ends together.")
	for _, n := range notes {
		fmt.Fprintln(w, n)
	}
}

func (r row) label() string {
	if r.more {
		return r.title + " ↑"
	}
	return r.title + " ↓"
}

// cell is what a stack reached in a row.
func (r row) cell(ms []measurement) string {
	got := column(ms, r.value)
	switch {
	case len(ms) > 0 && len(got) == 0 && slices.ContainsFunc(ms, func(m measurement) bool { return m.failed != "" }):
		return "fails"
	case len(got) == 0:
		return "–"
	case r.sum:
		total := 0.0
		for _, v := range got {
			total += v
		}
		return number(total, 0)
	}
	return number(median(got), r.digits)
}

// column returns a value of all rounds that have it.
func column(ms []measurement, value string) []float64 {
	var got []float64
	for _, m := range ms {
		if v, ok := m.values[value]; ok {
			got = append(got, v)
		}
	}
	return got
}

// ratio returns ours divided by theirs: the median of what it was in each round.
func ratio(value string, ours, theirs []measurement) (float64, bool) {
	var ratios []float64
	for i := range min(len(ours), len(theirs)) {
		a, ok := ours[i].values[value]
		b, ok2 := theirs[i].values[value]
		if ok && ok2 && b != 0 {
			ratios = append(ratios, a/b)
		}
	}
	if len(ratios) == 0 {
		return 0, false
	}
	return median(ratios), true
}

func ratioCell(r row, ours, theirs []measurement) string {
	x, ok := ratio(r.value, ours, theirs)
	if !ok || r.sum || r.value == "allocs" && median(column(theirs, r.value)) < 1 { // a ratio to nothing says nothing
		return "–"
	}
	return number(x, 2)
}

// failures says why a stack could not do a scenario, each reason once.
func failures(s scenario, stack string, ms []measurement) []string {
	var notes []string
	for _, m := range ms {
		note := fmt.Sprintf("- %s, %s: %s", s.title, stack, m.failed)
		if m.failed != "" && !slices.Contains(notes, note) {
			notes = append(notes, note)
		}
	}
	return notes
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// number prints so many digits after the point and groups those before it.
func number(x float64, digits int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	whole, rest, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	if x < 0 && strings.Trim(text, "0.") != "" {
		whole = "-" + whole
	}
	return whole
}

// printRows prints a Markdown table that is also readable as it is.
func printRows(w io.Writer, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, cells := range rows {
		for i, c := range cells {
			widths[i] = max(widths[i], len([]rune(c)))
		}
	}
	for n, cells := range rows {
		for i, c := range cells {
			pad := strings.Repeat(" ", widths[i]-len([]rune(c)))
			if i < 2 {
				fmt.Fprintf(w, "| %s%s ", c, pad)
			} else {
				fmt.Fprintf(w, "| %s%s ", pad, c)
			}
		}
		fmt.Fprintln(w, "|")
		if n > 0 {
			continue
		}
		for i, width := range widths {
			if i < 2 {
				fmt.Fprintf(w, "|:%s-", strings.Repeat("-", width))
			} else {
				fmt.Fprintf(w, "|-%s:", strings.Repeat("-", width))
			}
		}
		fmt.Fprintln(w, "|")
	}
}
