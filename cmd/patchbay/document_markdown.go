package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// markdown writes a document as Markdown. What was said stands in quotations, so that no heading and no HTML in it is one of the
// document, and what tools printed in code blocks.
func (t *document) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", escapeMarkdown(orNone(cleanLine(t.Title))))
	fmt.Fprintf(&b, "* session: %s\n* folder: %s\n", escapeMarkdown(cleanLine(string(t.SessionID))), escapeMarkdown(cleanLine(t.CWD)))
	if t.Agent != nil {
		fmt.Fprintf(&b, "* agent: %s\n", escapeMarkdown(cleanLine(t.Agent.Name+" "+t.Agent.Version)))
	}
	for _, p := range t.parts() {
		switch p.Kind {
		case "user":
			b.WriteString("\n## You\n\n" + quoteMarkdown(p.text()))
		case "agent":
			b.WriteString("\n## Agent\n\n" + quoteMarkdown(p.text()))
		case "thought":
			b.WriteString("\n### Thought\n\n" + quoteMarkdown(p.text()))
		default:
			b.WriteString("\n**" + escapeMarkdown(p.Head) + "**\n")
			if text := p.text(); text != "" {
				b.WriteString("\n" + fenced(text))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// escapeMarkdown makes one line of text show as it is.
func escapeMarkdown(line string) string {
	var b strings.Builder
	for _, r := range line {
		if strings.ContainsRune("!#$&()*+<>@[\\]^_`{|}~", r) { // before each mark there may be a backslash
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// quoteMarkdown quotes what is Markdown already, without what would make a page of it do more than show: HTML, pictures from
// elsewhere, and links that lead anywhere but to the web. Code blocks stay as they are if they begin at the left edge, where every
// reader of Markdown agrees that they are code blocks; their ends are written anew, for the same reason.
func quoteMarkdown(text string) string {
	var b strings.Builder
	fence := ""
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		bare := strings.TrimSpace(line)
		switch mark := fenceOf(line); {
		case fence != "" && strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]) == "":
			line, fence = fence, ""
		case fence == "" && mark != "":
			fence = mark
		case fence == "":
			line = harmless(line)
		}
		b.WriteString(strings.TrimRight("> "+line, " ") + "\n")
	}
	if fence != "" {
		b.WriteString("> " + fence + "\n")
	}
	return b.String()
}

var (
	linkTarget   = regexp.MustCompile(`\]\((https?://)?`)
	linkMeaning  = regexp.MustCompile(`\]:( https?://)?`)
	harmlessText = strings.NewReplacer("<", "&lt;", "![", "!\\[")
)

// harmless takes from a line of Markdown what is more than text.
func harmless(line string) string {
	for _, link := range []*regexp.Regexp{linkTarget, linkMeaning} {
		line = link.ReplaceAllStringFunc(line, func(found string) string {
			if strings.HasSuffix(found, "//") {
				return found
			}
			return "]\\" + found[1:]
		})
	}
	return harmlessText.Replace(line)
}

// fenceOf returns the marks that begin or end a code block on a line, empty if there are none.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		n := len(line) - len(rest)
		if n >= 3 && !(mark == "`" && strings.Contains(rest, "`")) {
			return line[:n]
		}
	}
	return ""
}

// fenced returns a code block whose marks are longer than any in it.
func fenced(text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + "text\n" + ended(text) + marks + "\n"
}

// wordsOf returns what there is to read in a block of a message, resources with their text.
func wordsOf(block acp.ContentBlock) string {
	if r, ok := block.(*acp.EmbeddedResource); ok {
		if text, ok := r.Resource.(*acp.TextResourceContents); ok {
			return "[" + text.URI + "]\n" + text.Text + "\n"
		}
	}
	return textOf(block)
}
