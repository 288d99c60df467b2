package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A line is what a shell line does, as far as its text says.
type line struct {
	commands []*command
	files    []redirect
	unread   string // why the line can't be read, or part of it can't be known; "" if all is

	// unordered is set if commands may run again, or at the same time: the last may come before the first.
	unordered bool
}

// A command is one command of a line, at whatever depth.
type command struct {
	words   []word // assignments, then the program and what it is given
	assigns int    // how many of the words are assignments

	// turns has for each word whether it makes the program do something else than it is known for: run another program,
	// write to a file, work elsewhere. A * covers no such word.
	turns []bool

	// What the command runs in turn: "push" of sudo git push, "rm" of find -exec rm. Its own words are words[:head], and
	// a rule whose fixed words reach to words[:reach] has named what is run.
	inner []*command
	head  int
	reach int

	// through is set for programs that add nothing to what they run, such as timeout and nice.
	through bool

	// strange is set for a wrapper with flags that aren't known, so that its inner command may be another word.
	strange bool

	// hidden says why what the command runs can't be known: it may be anything.
	hidden string

	// doubt says why no pattern allows it, although all that it runs is seen.
	doubt string
}

// A redirect is a file that the shell itself opens for a command.
type redirect struct {
	file   word
	writes bool
}

// maxDepth bounds how often a line within a line is read: sh -c 'sh -c "…"'.
const maxDepth = 8

// The parser calls itself for what is within something else, and Go ends a program whose stack is full. So lines that
// could fill it are not read: those that are longer than this, in bytes, or that have more brackets.
const (
	maxLine     = 64 << 10
	maxBrackets = 4096
)

// maxWords is the most words of one command that are looked at.
const maxWords = 4096

// languages are those that a line is read in, since nobody knows which shell gets it. In the second, &> is a job in the
// background and a redirection.
var languages = []syntax.LangVariant{syntax.LangBash, syntax.LangPOSIX}

// readLine reads a line. What one shell does with it counts as much as what another does.
func readLine(text string) *line {
	var all *line
	for _, lang := range languages {
		l, err := readLineIn(lang, text)
		switch {
		case err != nil && all == nil:
			return &line{unread: fmt.Sprintf("runs a line that can't be read: %v", err)}
		case err != nil:
			continue // this one has less syntax, and would stop there too
		case all == nil:
			all = l
		case l.key() != all.key():
			all.add(l)
		}
	}
	return all
}

func readLineIn(lang syntax.LangVariant, text string) (*line, error) {
	r := reader{lang: lang, line: &line{}}
	err := r.script(text)
	return r.line, err
}

func (l *line) add(other *line) {
	l.commands = append(l.commands, other.commands...)
	l.files = append(l.files, other.files...)
	if l.unread == "" {
		l.unread = other.unread
	}
	l.unordered = l.unordered || other.unordered
}

// key is equal for lines that do the same.
func (l *line) key() string {
	var b strings.Builder
	for _, c := range l.commands {
		fmt.Fprintf(&b, "%+v %q %d\n", c.words, c.hidden+c.doubt, len(c.inner))
	}
	fmt.Fprint(&b, l.files, l.unread, l.unordered)
	return b.String()
}

// A reader gathers what a line does.
type reader struct {
	lang  syntax.LangVariant
	line  *line
	depth int
}

// script reads a text, and finds the commands in it.
func (r *reader) script(text string) error {
	if len(text) > maxLine {
		return fmt.Errorf("longer than %d bytes", maxLine)
	}
	if n := strings.Count(text, "(") + strings.Count(text, "{") + strings.Count(text, "[") + strings.Count(text, "`"); n > maxBrackets {
		return fmt.Errorf("more than %d brackets", maxBrackets)
	}
	if i := strings.IndexFunc(text, deceives); i >= 0 {
		return fmt.Errorf("an invisible character at byte %d, with which it looks like another line", i)
	}
	file, err := syntax.NewParser(syntax.Variant(r.lang)).Parse(strings.NewReader(text), "")
	if err != nil {
		return err
	}
	r.walk(file)
	return nil
}

func (r *reader) walk(root syntax.Node) {
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			r.line.unordered = r.line.unordered || n.Background || n.Coprocess
			r.statement(n)
		case *syntax.BinaryCmd:
			r.line.unordered = r.line.unordered || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		case *syntax.WhileClause:
			r.line.unordered = true
		case *syntax.DeclClause:
			r.declaration(n)
		case *syntax.FuncDecl:
			r.doubt("declares a function, after which a name means something else")
		case *syntax.ForClause:
			r.line.unordered = true
			r.loop(n)
		case *syntax.ParamExp:
			r.expansion(n)
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
			r.arithmetic(n)
		case *syntax.BinaryTest, *syntax.UnaryTest:
			r.test(n)
		case *syntax.CmdSubst:
			_, text := document(n)
			return !text
		case *syntax.ExtGlob:
			r.doubt("has a pattern that some shells take for a command")
		}
		return true
	})
}

// hide notes that the line may run anything.
func (r *reader) hide(why string) {
	r.line.commands = append(r.line.commands, &command{hidden: why})
}

// doubt notes that something in the line is not what it seems.
func (r *reader) doubt(why string) {
	r.line.commands = append(r.line.commands, &command{doubt: why})
}

func (r *reader) statement(s *syntax.Stmt) {
	for _, redir := range s.Redirs {
		r.redirection(redir)
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	c := &command{}
	for _, a := range call.Assigns {
		c.words = append(c.words, assignment(a))
	}
	c.assigns = len(c.words)
	for _, w := range call.Args {
		c.words = append(c.words, wordOf(w))
	}
	if r.lang == syntax.LangPOSIX && len(c.words) > 0 && c.words[0] == plain("[[") {
		return // a shell that has no [[ runs nothing
	}
	if len(c.words) > maxWords {
		r.hide("has more words than are looked at")
		return
	}
	c.head = len(c.words)
	if len(call.Args) > 0 {
		r.look(c, s.Redirs)
	}
	c.turns = turning(c)
	r.line.commands = append(r.line.commands, c)
}

// assignment is NAME=value as a word.
func assignment(a *syntax.Assign) word {
	if a.Name == nil {
		return unknown
	}
	text := a.Name.Value
	if a.Naked && a.Index == nil {
		return plain(text)
	}
	value := wordOf(a.Value)
	value.text = text + "=" + value.text
	value.plain = value.plain && !a.Append && a.Index == nil && a.Array == nil
	value.many = false
	return value
}

// declaration reads export, declare and the like, as commands.
func (r *reader) declaration(d *syntax.DeclClause) {
	c := &command{words: []word{plain(d.Variant.Value)}}
	for _, a := range d.Args {
		if a.Naked && a.Name == nil {
			c.words = append(c.words, wordOf(a.Value))
			continue
		}
		c.words = append(c.words, assignment(a))
	}
	c.head = len(c.words)
	c.turns = turning(c)
	r.line.commands = append(r.line.commands, c)
}

// quiet are files that nothing is kept in.
var quiet = []string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"}

func (r *reader) redirection(redir *syntax.Redirect) {
	if redir.N != nil && strings.HasPrefix(redir.N.Value, "{") {
		r.doubt("puts the number of a file into a variable")
	}
	file := wordOf(redir.Word)
	writes := true
	switch redir.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return
	case syntax.RdrIn:
		writes = false
	case syntax.DplIn, syntax.DplOut:
		if file.plain && strings.Trim(file.text, "0123456789-") == "" {
			return
		}
	}
	if file.plain && slices.Contains(quiet, file.text) {
		return
	}
	if strings.HasPrefix(file.text, "/dev/tcp/") || strings.HasPrefix(file.text, "/dev/udp/") {
		r.doubt("opens a connection")
		return
	}
	r.line.files = append(r.line.files, redirect{file: file, writes: writes})
}

// loop looks at the variable of a loop, which is an assignment. Names that programs look for are mostly longer, or in
// capitals.
func (r *reader) loop(f *syntax.ForClause) {
	iter, ok := f.Loop.(*syntax.WordIter)
	if !ok {
		return
	}
	name := iter.Name.Value
	if len(name) > 8 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		r.doubt("assigns to " + name)
	}
}

// expansion looks for variables whose value is run, or changed, when they are put in.
func (r *reader) expansion(p *syntax.ParamExp) {
	switch {
	case p.Excl, p.NestedParam != nil, p.Flags != nil:
		r.hide("uses a variable that another one names")
	case p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull):
		r.hide("assigns to a variable while it puts it in")
	case p.Exp != nil && p.Exp.Op == syntax.OtherParamOps:
		r.hide("expands what is in a variable")
	}
	if p.Index != nil {
		r.arithmetic(p.Index)
	}
	if p.Slice != nil {
		for _, n := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if n != nil {
				r.arithmetic(n)
			}
		}
	}
}

// arithmetic looks for anything but numbers: the shell evaluates what is in a variable, and runs $(…) in its index.
func (r *reader) arithmetic(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		if w, ok := n.(*syntax.Word); ok && strings.Trim(w.Lit(), "0123456789@*") != "" || ok && w.Lit() == "" {
			r.hide("computes with something else than numbers, which may run a command")
			return false
		}
		return true
	})
}

// test looks for conditions that compute: [[ -v 'a[$(rm x)]' ]], [[ x -eq 1 ]].
func (r *reader) test(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.BinaryTest:
		switch n.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			r.arithmetic(n.X)
			r.arithmetic(n.Y)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
			r.hide("asks for a variable by a name that may run a command")
		}
	}
}

// program is the word that says what runs, or nil.
func (c *command) program() *word {
	if c.assigns >= len(c.words) {
		return nil
	}
	return &c.words[c.assigns]
}

// base is the program's name without its folder, or "".
func (c *command) base() string {
	if p := c.program(); p != nil && p.plain {
		return path.Base(p.text)
	}
	return ""
}

// String is the command for people.
func (c *command) String() string {
	if len(c.words) == 0 {
		return c.hidden + c.doubt
	}
	var b strings.Builder
	for i, w := range c.words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
		if !w.plain {
			b.WriteString("…")
		}
	}
	return b.String()
}
