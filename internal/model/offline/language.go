package offline

import (
	"fmt"
	"strings"
)

// A command is one step of the offline model's language.
type command struct {
	verb string // "list", "find", "read", "write", "replace", "run", "plan", "task" or "help"

	path    string   // list, find, read, write, replace; may be empty for list and find
	text    string   // find: what; write: the text; replace: the new text; run: the command line; task: the steps
	kind    string   // task: the type of subagent
	old     string   // replace: the old text
	entries []string // plan
}

// usage has a line for each verb. The order is that of the help.
var usage = []struct{ verb, form, does string }{
	{"list", "list [DIR]", "lists a folder"},
	{"find", "find TEXT [in DIR]", "finds lines that hold a text"},
	{"read", "read FILE", "shows a file"},
	{"write", "write FILE: TEXT", "writes a file"},
	{"replace", "replace A with B in FILE", "changes every A in a file to B"},
	{"run", "run COMMAND", "runs a shell command"},
	{"plan", "plan A; B; C", "shows a plan"},
	{"task", "task TYPE: STEPS", "has a subagent do it: one that can do all (general), or look (explore)"},
	{"help", "help", "shows this list"},
}

// A syntaxError says what is wrong with a step.
type syntaxError struct {
	step string // as the user wrote it
	form string // what would be right; empty if the verb is unknown
}

func (e *syntaxError) Error() string {
	if e.form == "" {
		return fmt.Sprintf("I don't know what to do with %q.", clip(e.step, 200))
	}
	return fmt.Sprintf("%q is not complete: it has to be `%s`.", clip(e.step, 200), e.form)
}

// parse reads a prompt as steps. It fails with a *syntaxError on the first one that is none, so that nothing is done of
// what was only half understood.
func parse(prompt string) ([]command, error) {
	var list []command
	for _, step := range splitWord(prompt, "then", -1) {
		c, err := parseStep(step)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func parseStep(step string) (command, error) {
	verb, rest := cutVerb(step)
	c := command{verb: verb}
	var ok bool
	form := ""
	for _, u := range usage {
		if u.verb == verb {
			form = u.form
		}
	}
	switch verb {
	case "list":
		c.path, ok = unquote(rest), true
	case "find":
		c.text, c.path, ok = parseFind(rest)
	case "read":
		c.path = unquote(rest)
		ok = c.path != ""
	case "write":
		c.path, c.text, ok = parseWrite(rest)
	case "replace":
		c.old, c.text, c.path, ok = parseReplace(rest)
	case "run":
		c.text = unquoteCommand(rest)
		ok = c.text != ""
	case "plan":
		c.entries = parsePlan(rest)
		ok = len(c.entries) > 0
	case "task":
		c.kind, c.text, ok = parseTask(rest)
	case "help":
		ok = rest == ""
	}
	if !ok {
		if verb == "help" {
			form = "" // "help me with this" is no mistake in the use of help
		}
		return command{}, &syntaxError{step, form}
	}
	return c, nil
}

// cutVerb takes the first word of a step, in lower case.
func cutVerb(step string) (verb, rest string) {
	i := strings.IndexFunc(step, isSpace)
	if i < 0 {
		i = len(step)
	}
	return strings.ToLower(step[:i]), strings.TrimSpace(step[i:])
}

// parseFind reads "TEXT [in DIR]". The last "in" counts, since a text may hold the word and a folder's name seldom does.
func parseFind(rest string) (text, dir string, ok bool) {
	if before, after, found := cutLastWord(rest, "in"); found && before != "" && after != "" {
		rest, dir = before, unquote(after)
	}
	text = unquote(rest)
	return text, dir, text != ""
}

// parseWrite reads "FILE: TEXT". The first colon that ends a word counts; failing that the first one of all, save that of
// a drive letter.
func parseWrite(rest string) (path, text string, ok bool) {
	at := -1
	for i := range outside(rest) {
		if rest[i] != ':' || i == 0 {
			continue
		}
		if ends := i+1 == len(rest) || isSpace(rune(rest[i+1])); ends {
			at = i
			break
		}
		if at < 0 && !isDrive(rest, i) {
			at = i
		}
	}
	if at < 0 {
		return "", "", false
	}
	path = unquote(strings.TrimSpace(rest[:at]))
	text = strings.TrimLeft(rest[at+1:], " \t")
	text = strings.TrimPrefix(text, "\n")
	return path, unquote(text), path != ""
}

// isDrive reports whether the colon at i belongs to a drive letter, as in C:\dir.
func isDrive(s string, i int) bool {
	return i == 1 && i+1 < len(s) && (s[2] == '\\' || s[2] == '/')
}

// parseReplace reads "A with B in FILE". The first "with" counts, and the last "in".
func parseReplace(rest string) (old, text, path string, ok bool) {
	parts := splitWord(rest, "with", 2)
	if len(parts) != 2 {
		return "", "", "", false
	}
	b, file, found := cutLastWord(parts[1], "in")
	if !found || b == "" {
		return "", "", "", false
	}
	old, text, path = unquote(parts[0]), unquote(b), unquote(file)
	return old, text, path, old != "" && path != ""
}

// parseTask reads "TYPE: STEPS". Steps that are joined by "then" need quotes around them.
func parseTask(rest string) (kind, steps string, ok bool) {
	kind, steps, ok = strings.Cut(rest, ":")
	kind, steps = strings.TrimSpace(kind), unquote(strings.TrimSpace(steps))
	return kind, steps, ok && kind != "" && strings.IndexFunc(kind, isSpace) < 0 && steps != ""
}

// parsePlan reads entries between semicolons and drops the empty ones.
func parsePlan(rest string) []string {
	var entries []string
	start := 0
	take := func(end int) {
		if entry := unquote(strings.TrimSpace(rest[start:end])); entry != "" {
			entries = append(entries, entry)
		}
		start = end + 1
	}
	for i := range outside(rest) {
		if rest[i] == ';' {
			take(i)
		}
	}
	take(len(rest))
	return entries
}
