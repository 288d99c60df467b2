package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shells are programs whose -c is a line.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish"}

// look finds out what a command runs in turn.
func (r *reader) look(c *command, redirs []*syntax.Redirect) {
	c.head = len(c.words)
	name := c.base()
	args := c.words[c.assigns:]
	switch {
	case slices.Contains(shells, name):
		r.shell(c, redirs)
	case name == "eval":
		r.lineOf(c, args[1:], len(c.words))
	case name == "trap" && len(args) > 2:
		r.lineOf(c, args[1:2], c.assigns+2)
	case name == "alias":
		for i, w := range args[1:] {
			if _, value, ok := strings.Cut(w.text, "="); ok || !w.plain {
				r.lineOf(c, []word{{text: value, plain: w.plain}}, c.assigns+i+2)
			}
		}
		c.hidden = "makes an alias, after which a name means something else"
	case name == "find" || name == "gfind" || name == "bfs":
		r.find(c)
	case name == "fd" || name == "fdfind":
		r.fd(c)
	case name == "git":
		r.git(c)
	case name == "parallel":
		c.hidden = "builds command lines of what it reads"
	default:
		if w, ok := wrappers[name]; ok {
			r.wrapped(c, w, redirs)
		}
	}
}

// lineOf reads words as a line that the command runs.
func (r *reader) lineOf(c *command, words []word, reach int) {
	var b strings.Builder
	for i, w := range words {
		if !w.plain {
			c.hidden = "runs a line that is put together when it runs"
			return
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	r.text(c, b.String(), reach)
}

// text reads a text as a line that the command runs.
func (r *reader) text(c *command, text string, reach int) {
	c.reach = max(c.reach, reach)
	if r.depth == maxDepth {
		c.hidden = "has more lines in one another than anyone needs"
		return
	}
	nested := reader{lang: r.lang, line: &line{}, depth: r.depth + 1}
	if err := nested.script(text); err != nil {
		c.hidden = "runs a line that can't be read: " + err.Error()
		return
	}
	c.inner = append(c.inner, nested.line.commands...)
	r.line.files = append(r.line.files, nested.line.files...)
}

// argv takes words as a command that the command runs.
func (r *reader) argv(c *command, words []word, begin int, redirs []*syntax.Redirect) {
	inner := &command{words: words, head: len(words)}
	for inner.assigns < len(words) && isAssignment(words[inner.assigns]) {
		inner.assigns++
	}
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > maxDepth {
		c.hidden = "runs commands in one another, more than anyone needs"
		return
	}
	if inner.assigns < len(words) {
		r.look(inner, redirs)
	}
	inner.turns = turning(inner)
	c.inner = append(c.inner, inner)
	c.reach = max(c.reach, begin+inner.assigns+1)
	if len(inner.inner) > 0 {
		c.reach = max(c.reach, begin+inner.reach)
	}
}

func isAssignment(w word) bool {
	name, _, ok := strings.Cut(w.text, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || '9' < r) && (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r)
	}) < 0 && (name[0] < '0' || name[0] > '9')
}

// shell finds the line that a shell is given.
func (r *reader) shell(c *command, redirs []*syntax.Redirect) {
	script, fromInput := false, false
	i := c.assigns + 1
	for ; i < len(c.words); i++ {
		arg := c.words[i]
		if !arg.plain {
			c.hidden = "gives a shell something that is put together when it runs"
			return
		}
		text := arg.text
		if text == "--" || text == "-" {
			i++
			break
		}
		if len(text) < 2 || text[0] != '-' && text[0] != '+' {
			break
		}
		if strings.HasPrefix(text, "--") {
			if text == "--rcfile" || text == "--init-file" || text == "--command" || text == "--init-command" {
				c.hidden = "has a shell run more lines first"
			}
			continue
		}
		script = script || text[0] == '-' && strings.Contains(text, "c")
		fromInput = fromInput || text[0] == '-' && strings.Contains(text, "s")
		if strings.HasSuffix(text, "o") || strings.HasSuffix(text, "O") {
			i++
		}
	}
	switch {
	case script && i < len(c.words):
		r.lineOf(c, c.words[i:i+1], i+1)
		c.head = i
	case script:
		c.hidden = "gives a shell no line"
	case i < len(c.words) && !fromInput:
		// A file of lines: a program like any other.
	default:
		r.input(c, redirs)
	}
}

// input reads the lines that a shell gets on its standard input, if they are in the line.
func (r *reader) input(c *command, redirs []*syntax.Redirect) {
	for _, redir := range redirs {
		switch redir.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if text, ok := hereText(redir); ok {
				r.text(c, text, len(c.words)+1)
				return
			}
		case syntax.WordHdoc:
			r.lineOf(c, []word{wordOf(redir.Word)}, len(c.words)+1)
			return
		}
	}
	c.hidden = "has a shell run what it reads"
}

// find takes -exec and its like out of a find.
func (r *reader) find(c *command) {
	var own []word
	for i := 0; i < len(c.words); i++ {
		w := c.words[i]
		if !slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w.text) || !w.plain {
			own = append(own, w)
			continue
		}
		begin := i + 1
		for i++; i < len(c.words); i++ {
			if end := c.words[i]; end.plain && (end.text == ";" || end.text == "+" && c.words[i-1].text == "{}") {
				break
			}
		}
		if rest := found(c.words[begin:min(i, len(c.words))], "{}"); len(rest) > 0 {
			r.argv(c, rest, begin, nil)
		}
	}
	if len(c.inner) > 0 {
		c.reach = len(c.words) + 1 // its words are mixed with those of what it runs
		c.words, c.head = own, len(own)
	}
}

// found replaces a mark, such as {}, by what isn't known.
func found(words []word, mark string) []word {
	words = slices.Clone(words)
	for i, w := range words {
		if before, _, ok := strings.Cut(w.text, mark); ok && w.plain {
			words[i] = word{text: before}
		}
	}
	return words
}

// fd takes what follows -x or -X, up to the end.
func (r *reader) fd(c *command) {
	for i, w := range c.words {
		if w.plain && slices.Contains([]string{"-x", "-X", "--exec", "--exec-batch"}, w.text) && i+1 < len(c.words) {
			c.head = i
			r.argv(c, append(found(c.words[i+1:], "{}"), word{}), i+1, nil)
			c.reach = len(c.words) + 1
			c.words = c.words[:i]
			return
		}
	}
}
