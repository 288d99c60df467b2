package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// clip shortens s to at most n bytes and an ellipsis, at the end of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// count says how many of something there are: "1 line", "3 lines".
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	case strings.HasSuffix(noun, "ch"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// fenced puts text in a Markdown block whose fence is longer than any that it holds.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}

// lineCount returns how many lines a text has; one without a line end counts too.
func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// isBinary reports whether a file that begins so is no text: it has a zero byte, as git judges it.
func isBinary(beginning []byte) bool {
	const sample = 8000
	return strings.IndexByte(string(beginning[:min(len(beginning), sample)]), 0) >= 0
}
