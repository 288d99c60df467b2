package main

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/patchbay-dev/patchbay/acp"
)

// maxDiff is how much text a diff is made of, old and new, in bytes. A larger change is summed up.
const maxDiff = 1 << 20

// unified returns a change to a file as unified hunks, in colour, with every line ended.
func (s style) unified(d *acp.Diff) string {
	before, from := "", "/dev/null"
	if d.OldText != nil {
		before, from = *d.OldText, d.Path
	}
	if len(before)+len(d.NewText) > maxDiff {
		return fmt.Sprintf("%s: %d bytes become %d\n", cleanLine(d.Path), len(before), len(d.NewText))
	}
	text := udiff.Unified(from, d.Path, before, d.NewText)
	if text == "" {
		return fmt.Sprintf("%s: no change\n", cleanLine(d.Path))
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(s.diffLine(clean(strings.TrimSuffix(line, "\n"))))
		b.WriteByte('\n')
	}
	return b.String()
}

func (s style) diffLine(line string) string {
	switch {
	case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		return s.bold(line)
	case strings.HasPrefix(line, "@@"):
		return s.cyan(line)
	case strings.HasPrefix(line, "+"):
		return s.green(line)
	case strings.HasPrefix(line, "-"):
		return s.red(line)
	}
	return line
}
