package main

import (
	"io"
	"strings"
)

// text prints a document for people.
func (t *document) text(w io.Writer, style style) error {
	var b strings.Builder
	b.WriteString(style.bold(orNone(cleanLine(t.Title))) + "\n" + style.dim(cleanLine(string(t.SessionID))+" in "+cleanLine(t.CWD)) + "\n")
	for _, p := range t.parts() {
		switch p.Kind {
		case "user":
			b.WriteString("\n" + quoted(p.text(), "> "))
		case "agent":
			b.WriteString("\n" + ended(strings.TrimRight(p.text(), "\n")))
		case "thought":
			b.WriteString("\n" + style.dim(ended("thinking: "+p.text())))
		default:
			b.WriteString(style.bold("* "+p.Head) + "\n" + indent(p.text()))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// text returns all that there is to read in a part but its head.
func (p *part) text() string {
	var b strings.Builder
	for _, block := range p.Words {
		b.WriteString(clean(wordsOf(block)))
	}
	if b.Len() > 0 && p.Plain != "" {
		b.WriteString("\n")
	}
	return b.String() + p.Plain
}

// quoted puts something before each line, and ends the last one.
func quoted(text, before string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		b.WriteString(strings.TrimRight(before+line, " ") + "\n")
	}
	return b.String()
}
