package tool

import (
	"regexp"
	"strings"
	"unicode"
)

// escapes matches the control sequences of a terminal: ESC [ up to a letter, ESC ] and the like up to BEL or ESC \, and
// ESC with a character or two. One of the second kind that never ends takes no more than a line.
var escapes = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]?")

// plainText is a command's output as text: without colours and other control sequences, and without what was overwritten
// on its line, such as all but the last state of a progress bar. Models pay for each of those, and people see them as
// rubbish.
func plainText(text string) string {
	if strings.IndexFunc(text, isControl) < 0 {
		return text
	}
	text = escapes.ReplaceAllString(text, "")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = overwritten(line)
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return -1
		}
		return r
	}, strings.Join(lines, ""))
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }

// overwritten returns what a line shows in the end: what comes after its last carriage return that something follows, with
// what backspaces have taken away.
func overwritten(line string) string {
	rest := strings.TrimRight(line, "\r\n")
	end := line[len(strings.TrimRight(line, "\n")):]
	if i := strings.LastIndexByte(rest, '\r'); i >= 0 {
		rest = rest[i+1:]
	}
	if !strings.Contains(rest, "\b") {
		return rest + end
	}
	var kept []rune
	for _, r := range rest {
		switch {
		case r != '\b':
			kept = append(kept, r)
		case len(kept) > 0:
			kept = kept[:len(kept)-1]
		}
	}
	return string(kept) + end
}
