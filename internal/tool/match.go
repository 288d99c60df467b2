package tool

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A match is where an old text is in a file's. The old text is that of a model, to which read has not shown how lines end:
// its line feeds stand for CRLF too, unless it has carriage returns of its own.
type match struct {
	text string
	old  string
	at   []span
	ends bool // line ends of the new text follow those that are there
}

// A span is part of a text.
type span struct{ begin, end int }

// maxPlaces bounds in how many places one edit may change a file.
const maxPlaces = 100_000

// find looks for the places of old that don't overlap, up to one more than maxPlaces.
func find(text, old string) *match {
	m := &match{text: text, old: old}
	if strings.Contains(old, "\r") || !strings.Contains(text, "\r\n") {
		m.at = findAll(text, old)
		return m
	}
	m.ends = true
	plain, removed := withoutCR(text)
	for _, s := range findAll(plain, old) {
		m.at = append(m.at, span{before(removed, s.begin), before(removed, s.end)})
	}
	return m
}

func findAll(text, old string) []span {
	var list []span
	for from := 0; ; {
		i := strings.Index(text[from:], old)
		if i < 0 || len(list) > maxPlaces {
			return list
		}
		list = append(list, span{from + i, from + i + len(old)})
		from += i + len(old)
	}
}

// withoutCR turns each CRLF into a line feed, and returns where in the result those line feeds are.
func withoutCR(text string) (plain string, removed []int) {
	var b strings.Builder
	b.Grow(len(text))
	for {
		i := strings.Index(text, "\r\n")
		if i < 0 {
			b.WriteString(text)
			return b.String(), removed
		}
		b.WriteString(text[:i])
		removed = append(removed, b.Len())
		b.WriteByte('\n')
		text = text[i+2:]
	}
}

// before returns where in the text with carriage returns the position i of the text without is. Before a CRLF, that is
// before the carriage return.
func before(removed []int, i int) int {
	n, _ := slices.BinarySearch(removed, i)
	return i + n
}

// replace puts a new text in each place.
func (m *match) replace(text string) string {
	follow := m.ends && !strings.Contains(text, "\r")
	var b strings.Builder
	last := 0
	for _, s := range m.at {
		b.WriteString(m.text[last:s.begin])
		if follow {
			b.WriteString(m.withEnds(s, text))
		} else {
			b.WriteString(text)
		}
		last = s.end
	}
	b.WriteString(m.text[last:])
	return b.String()
}

// withEnds gives the lines of a new text the ends of those that they replace. Lines at the end that stay as they are keep
// theirs; the others have that of the line in their place, or if there is none, of the one before.
func (m *match) withEnds(s span, text string) string {
	ends := lineEndings(m.text[s.begin:s.end])
	oldLines, newLines := strings.Split(m.old, "\n"), strings.Split(text, "\n")
	tail := 0
	for tail < len(oldLines) && tail < len(newLines) && oldLines[len(oldLines)-1-tail] == newLines[len(newLines)-1-tail] {
		tail++
	}
	var b strings.Builder
	end := m.endAround(s)
	for i, line := range newLines[:len(newLines)-1] {
		b.WriteString(line)
		switch fromEnd := len(newLines) - 1 - i; {
		case fromEnd < tail:
			end = ends[len(ends)-fromEnd]
		case i < len(oldLines)-tail && i < len(ends):
			end = ends[i]
		}
		b.WriteString(end)
	}
	b.WriteString(newLines[len(newLines)-1])
	return b.String()
}

// endAround returns how the line in which a span begins ends; if it is the last one, how the one before it does.
func (m *match) endAround(s span) string {
	end := strings.IndexByte(m.text[s.begin:], '\n')
	if end < 0 {
		end = strings.LastIndexByte(m.text[:s.begin], '\n')
	} else {
		end += s.begin
	}
	if end > 0 && m.text[end-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// lineEndings returns how each line of a text ends.
func lineEndings(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		switch {
		case strings.HasSuffix(line, "\r\n"):
			list = append(list, "\r\n")
		case strings.HasSuffix(line, "\n"):
			list = append(list, "\n")
		}
	}
	return list
}

// ambiguous says that a text is in several places.
func (m *match) ambiguous(old string) error {
	const most = 10
	var lines []string
	for _, s := range m.at[:min(len(m.at), most)] {
		lines = append(lines, fmt.Sprint(1+strings.Count(m.text[:s.begin], "\n")))
	}
	where := strings.Join(lines, ", ")
	if len(m.at) > most {
		where += ", …"
	}
	return fmt.Errorf("it holds %q in %d places, at lines %s; give more of the text around it, or set all", clip(old, 200), len(m.at), where)
}

// notFound says that a text is not there, and what is.
func notFound(text, old string) error {
	const problem = "it doesn't hold %q%s"
	hint := ""
	switch line, number, same := closest(text, old); {
	case strings.Contains(old, "\uFFFD") && !utf8.ValidString(text):
		hint = "; a \uFFFD is shown for a byte that is not UTF-8, so choose a text without"
	case strings.Contains(old, "\r") && !strings.Contains(text, "\r"):
		hint = "; it has no carriage returns"
	case number > 0 && same:
		hint = fmt.Sprintf("; line %d has its first words, and spaces or what follows differ: %q", number, clip(line, 200))
	case number > 0:
		hint = fmt.Sprintf("; the closest to its first line is line %d: %q", number, clip(line, 200))
	}
	return fmt.Errorf(problem, clip(old, 200), hint)
}

// closest looks for the line that is most like the first one of old that says anything: same means that it holds all of it.
// It is of no use if less than half of it is the same.
func closest(text, old string) (line string, number int, same bool) {
	want := ""
	for l := range strings.Lines(old) {
		if want = strings.TrimSpace(l); want != "" {
			break
		}
	}
	best := 0.5
	n := 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimRight(l, "\r\n")
		if want != "" && strings.Contains(l, want) {
			return l, n, true
		}
		if score := likeness(strings.TrimSpace(l), want); score > best {
			best, line, number = score, l, n
		}
	}
	return line, number, false
}

// likeness is which part of the longer of two texts both have at the beginning and at the end: 0 to 1.
func likeness(a, b string) float64 {
	start := len(sameStart(a, b))
	end := sameEnd(a[start:], b[start:])
	return float64(start+end) / float64(max(len(a), len(b), 1))
}
