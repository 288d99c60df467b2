package tool

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxIgnoreFile bounds a .gitignore, in bytes. A larger one is not honoured.
const maxIgnoreFile = 256 << 10

// An ignoreRule is a line of a .gitignore.
type ignoreRule struct {
	pattern string // of doublestar
	base    bool   // it is about a name in any folder, not a path
	dirs    bool   // it is about folders only
	negated bool
}

// ignoreRules are those of the files of one folder, the stronger ones last.
type ignoreRules struct {
	// Where the folder is: the one that is walked through is at below in it, or it is at dir in that one.
	below, dir string

	rules []ignoreRule
}

// parseIgnore reads a .gitignore as gitignore(5) says. Lines that are no pattern are passed over.
func parseIgnore(text string) []ignoreRule {
	var list []ignoreRule
	for line := range strings.Lines(strings.TrimPrefix(text, mark)) {
		if rule, ok := parseIgnoreLine(strings.TrimRight(line, "\r\n")); ok {
			list = append(list, rule)
		}
	}
	return list
}

func parseIgnoreLine(line string) (rule ignoreRule, ok bool) {
	if strings.HasPrefix(line, "#") {
		return rule, false
	}
	line = trimSpaces(line)
	line, rule.negated = strings.CutPrefix(line, "!")
	line, rule.dirs = strings.CutSuffix(line, "/")
	rule.base = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule, false
	}
	line = strings.NewReplacer(`\{`, `\{`, `\}`, `\}`, `\\`, `\\`, "{", `\{`, "}", `\}`).Replace(line) // git knows no alternatives
	if strings.HasSuffix(line, "/**") {
		line += "/*" // what is in the folder, and not the folder
	}
	rule.pattern = line
	return rule, doublestar.ValidatePattern(line)
}

// trimSpaces takes from the end of a line the spaces that no backslash keeps.
func trimSpaces(line string) string {
	trimmed := strings.TrimRight(line, " ")
	if len(trimmed) < len(line) && (len(trimmed)-len(strings.TrimRight(trimmed, `\`)))%2 == 1 {
		trimmed += " "
	}
	return trimmed
}

// matches reports whether a rule is about a path, relative to the folder of its file.
func (r ignoreRule) matches(name string, isDir bool) bool {
	if r.dirs && !isDir {
		return false
	}
	if r.base {
		name = path.Base(name)
	}
	return doublestar.MatchUnvalidated(r.pattern, name)
}

// ignored reports whether a path in the folder that is walked through is ignored by itself, whatever the folders are that
// it is in: the last rule that is about it counts, those of inner folders before those of outer ones.
func ignored(stack []ignoreRules, name string, isDir bool) bool {
	for i := len(stack) - 1; i >= 0; i-- {
		inside := path.Join(stack[i].below, strings.TrimPrefix(strings.TrimPrefix(name, stack[i].dir), "/"))
		for j := len(stack[i].rules) - 1; j >= 0; j-- {
			if rule := stack[i].rules[j]; rule.matches(inside, isDir) {
				return !rule.negated
			}
		}
	}
	return false
}
