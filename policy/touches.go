package policy

import (
	"path/filepath"
	"slices"
	"strings"
)

// touches says whether a rule that restricts is about a call: for sure, or maybe, since the call is not clear enough to
// tell. It takes the rule as wide as it can be meant.
func (v *view) touches(r Rule) match {
	c := v.call
	if strings.HasPrefix(r.tool, mcpPrefix) {
		if c.mcp() && isMCP(r.tool, c, true) {
			return yes
		}
		return v.unclear()
	}
	if r.arg == "" && v.isTool(r.tool) {
		return yes
	}
	switch {
	case c.mcp():
		return no
	case c.Unclear != "":
		if c.Tool == "" || v.isTool(r.tool) {
			return maybe
		}
		return no
	case r.tool == Bash:
		return v.touchesLine(r)
	case readsFiles(r.tool) || changesFiles(r.tool):
		return v.touchesFiles(r)
	case r.tool == WebFetch:
		return v.touchesHosts(r)
	case r.tool == Tool && c.Tool == "" && strings.EqualFold(r.arg, c.Name):
		return yes
	}
	return no
}

// unclear is maybe for a call that may be any.
func (v *view) unclear() match {
	if v.call.Unclear != "" && v.call.Tool == "" && !v.call.mcp() {
		return maybe
	}
	return no
}

// isTool reports whether a rule for a tool is about this call's, or about something that its line does.
func (v *view) isTool(tool string) bool {
	c := v.call
	if c.mcp() {
		return false
	}
	if c.Tool == tool && tool != "" {
		return true
	}
	does := func(d deed) bool {
		return slices.ContainsFunc(v.parts, func(p part) bool { return p.deed == d })
	}
	switch tool {
	case Read:
		return readsFiles(c.Tool) || does(reads)
	case Edit, Write:
		return changesFiles(c.Tool) || does(changes)
	}
	return false
}

func (v *view) touchesLine(r Rule) match {
	if v.line == nil {
		return no
	}
	if v.line.unread != "" {
		return maybe
	}
	p, _, err := parsePattern(r.arg)
	if err != nil {
		return maybe
	}
	if p.line != "" && p.line == strings.TrimSpace(v.call.Command) {
		return yes
	}
	return touchesAny(p, v.line.commands)
}

func touchesAny(p pattern, commands []*command) match {
	best := no
	for _, c := range commands {
		best = max(best, p.touches(c), touchesAny(p, c.inner))
	}
	return best
}

func (v *view) touchesFiles(r Rule) match {
	best := no
	for _, p := range v.parts {
		switch {
		case p.deed != reads && p.deed != changes, !v.isTool(r.tool):
			continue
		case readsFiles(r.tool) && p.deed == changes, changesFiles(r.tool) && p.deed == reads:
			continue
		case p.path == "":
			best = max(best, maybe)
		case v.forbids(r, p.path):
			return yes
		case p.real == "": // it may be a link to anything
			best = max(best, maybe)
		case v.forbidsReal(r, p.real):
			return yes
		case slices.Contains([]string{Delete, Move}, v.call.Tool) && v.holds(r, p.path, p.real):
			best = max(best, maybe)
		}
	}
	if v.line == nil || r.arg == "" {
		return best
	}
	return max(best, v.touchesWords(r))
}

// onlyLook are commands that change no file that they name.
var onlyLook = []string{
	"awk", "basename", "cat", "cd", "cmp", "cut", "diff", "dirname", "du", "echo", "file", "grep", "head", "less", "ls", "md5sum", "more", "nl", "od",
	"pwd", "readlink", "realpath", "rg", "sha256sum", "stat", "tail", "test", "tree", "wc", "[",
}

// takeFiles are commands whose words are files, if they are no flags.
var takeFiles = []string{
	"awk", "cat", "chgrp", "chmod", "chown", "cmp", "cp", "cut", "dd", "diff", "du", "ed", "file", "grep", "gzip", "head", "install", "less", "ln", "ls",
	"md5sum", "mkdir", "more", "mv", "nano", "nl", "od", "patch", "rg", "rm", "rmdir", "rsync", "sed", "sha256sum", "shred", "sort", "split", "stat",
	"strings", "tac", "tail", "tar", "tee", "touch", "tree", "truncate", "uniq", "unlink", "unzip", "vi", "vim", "wc", "xxd", "zip",
}

// homes are the ways to write the user's home and the folder of the line, which a shell puts in.
var homes = strings.NewReplacer("${HOME}", "~", "$HOME", "~", "${PWD}", ".", "$PWD", ".")

// touchesWords looks for files among the words of a line: cat ~/.ssh/id_ed25519. That is no wall, since a program may
// read what it doesn't name: only a sandbox is. If the rule is about whatever may be in the folder of the line, that a word is
// in there says nothing, unless the command is known for taking files.
func (v *view) touchesWords(r Rule) match {
	l := readLine(homes.Replace(v.call.Command))
	best := no
	anything := v.forbidsAnything(r)
	each(l.commands, func(c *command) {
		if changesFiles(r.tool) && slices.Contains(onlyLook, c.base()) {
			return
		}
		most := yes
		if anything && !slices.Contains(takeFiles, c.base()) {
			most = maybe
		}
		for i, w := range c.words[min(len(c.words), c.assigns):] {
			if program := i == 0; program && (changesFiles(r.tool) || w.plain && !strings.Contains(w.text, "/")) {
				continue // which is run, and found elsewhere
			}
			best = max(best, min(most, v.touchesWord(r, w)))
			if slices.Contains(takeFolders[changesFiles(r.tool)], c.base()) && v.holdsWord(r, w) {
				best = max(best, maybe)
			}
		}
	})
	for _, f := range l.files {
		if f.writes != readsFiles(r.tool) {
			best = max(best, v.touchesWord(r, f.file))
		}
	}
	return best
}

// forbidsAnything reports whether a rule is about whatever may be in the folder of the line.
func (v *view) forbidsAnything(r Rule) bool {
	const nothing = "\uffff" // a name that nothing has
	dir := v.call.dir()
	return v.forbids(r, filepath.Join(dir, nothing)) || v.forbidsReal(r, filepath.Join(orElse(v.resolve(dir), dir), nothing))
}

func each(commands []*command, see func(*command)) {
	for _, c := range commands {
		see(c)
		each(c.inner, see)
	}
}

func (v *view) touchesWord(r Rule, w word) match {
	texts := []string{w.text}
	if _, value, ok := strings.Cut(w.text, "="); ok {
		texts = append(texts, value)
	}
	for _, text := range texts {
		path := v.anyPath(text)
		switch {
		case path == "":
		case w.plain && (v.forbids(r, path) || v.forbidsReal(r, orElse(v.resolve(path), path))):
			return yes
		case !w.plain && v.mayBecome(r, path):
			return maybe
		case !w.plain && strings.Contains(text, "/") && v.forbids(r, filepath.Join(path[:strings.LastIndexByte(path, filepath.Separator)+1], "x")):
			return maybe
		}
	}
	return no
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// anyPath is the path that a word may stand for, or "".
func (v *view) anyPath(text string) string {
	if text == "" || strings.HasPrefix(text, "-") || strings.Contains(text, "://") {
		return ""
	}
	if rest, ok := strings.CutPrefix(text, "~"); ok && (rest == "" || rest[0] == '/') {
		return v.call.home() + rest
	}
	return absolute(v.call.dir(), filepath.FromSlash(text))
}

func (v *view) touchesHosts(r Rule) match {
	if v.call.Tool == WebFetch {
		host := hostOf(v.call.URL)
		switch {
		case host == "":
			return maybe
		case hostMatches(r.arg, host, true):
			return yes
		}
		return no
	}
	if v.line == nil {
		return no
	}
	best := no
	each(v.line.commands, func(c *command) {
		for _, w := range c.words {
			switch host := hostOf(w.text); {
			case hostMatches(r.arg, host, true):
				best = yes
			case host == "" && strings.Contains(w.text, "://") && best == no:
				best = maybe
			}
		}
	})
	return best
}
