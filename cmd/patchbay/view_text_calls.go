package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// toolCall prints what is new about a tool call: one line when it begins, and what it shows when it has ended.
func (v *textView) toolCall(s *client.Session, id acp.ToolCallID) {
	call := s.State().ToolCall(id)
	if call == nil {
		return
	}
	shown := v.announce(call)
	if shown.ended || !call.Status.Final() {
		return
	}
	shown.ended = true
	v.diffs(call)
	v.results(call)
	status := v.style.green(cleanLine(string(call.Status)))
	if call.Status == acp.ToolCallStatusFailed {
		status = v.style.red("failed")
		if why := call.Failure(); why != "" && !strings.Contains(call.Text(), why) {
			status += ": " + cut(cleanLine(why), 500)
		}
	}
	v.block("  " + status + "\n")
}

// announce prints the line that names a tool call, once, and again if the name has changed.
func (v *textView) announce(call *client.ToolCall) *shownCall {
	shown := v.calls[call.ID]
	if shown == nil {
		shown = &shownCall{diffs: map[string]bool{}}
		v.calls[call.ID] = shown
	}
	title := cut(cleanLine(titleOf(call)), 200)
	if shown.title == title || (call.Title == "" && !call.Status.Final()) {
		return shown
	}
	shown.title = title
	v.block(v.style.bold("* "+title) + v.style.dim(" ("+kindAndStatus(call.Kind, call.Status)+")") + "\n")
	return shown
}

// kindAndStatus says what sort of call it is and how far it is, as far as the agent has said.
func kindAndStatus(kind acp.ToolKind, status acp.ToolCallStatus) string {
	line := cleanLine(string(cmp.Or(kind, acp.ToolKindOther)))
	if status != "" {
		line += ", " + cleanLine(string(status))
	}
	return line
}

// diffs prints the changes to files that were not printed yet.
func (v *textView) diffs(call *client.ToolCall) {
	shown := v.calls[call.ID]
	for _, d := range call.Diffs() {
		text := v.style.unified(d)
		if shown == nil || shown.diffs[text] {
			continue
		}
		shown.diffs[text] = true
		v.block(indent(shorten(text, maxDiffLines)))
	}
}

// results prints the text of a call and the output of its terminals.
func (v *textView) results(call *client.ToolCall) {
	if text := call.Text(); text != "" {
		v.block(indent(shorten(clean(text), maxLines)))
	}
	for _, id := range call.Terminals() {
		if out, ok := v.terminals.Output(id); ok && out.Text != "" {
			v.block(indent(shorten(clean(out.Text), maxLines)))
		}
	}
}

// How many lines of a tool's result and of a change to a file are printed. The other formats have all of it.
const (
	maxLines     = 40
	maxDiffLines = 400
)

// shorten leaves out the middle of a text that has more than so many lines.
func shorten(text string, max int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i := range lines {
		lines[i] = cut(lines[i], 1000)
	}
	if len(lines) <= max {
		return strings.Join(lines, "\n")
	}
	part := max / 2
	return strings.Join(lines[:part], "\n") + fmt.Sprintf("\n[%d lines are left out]\n", len(lines)-2*part) +
		strings.Join(lines[len(lines)-part:], "\n")
}

// cut shortens a line to so many characters.
func cut(line string, max int) string {
	if len(line) <= max {
		return line
	}
	runes := []rune(line)
	if len(runes) <= max {
		return line
	}
	return string(runes[:max]) + "…"
}

// indent moves lines to the right, and ends the last one.
func indent(lines string) string {
	if lines = strings.TrimRight(lines, "\n"); lines == "" {
		return ""
	}
	var b strings.Builder
	for line := range strings.SplitSeq(lines, "\n") {
		if line != "" {
			b.WriteString("  " + line)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
