package offline

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quotes keep words together and take from "then", "in", "with" and ":" their meaning. A double quote or a backtick opens
// anywhere, a single quote only at the beginning of a word, since it is an apostrophe elsewhere. One that is never closed
// is an ordinary character. Inside double quotes a backslash keeps a quote from closing.

// outside yields the positions of all characters of s that no quotes enclose, quotes excepted.
func outside(s string) iter.Seq[int] {
	return func(yield func(int) bool) {
		open := "" // quotes that were never closed, so that none of their kind will be: that is found out only once
		for i := 0; i < len(s); {
			if opens(s, i) && strings.IndexByte(open, s[i]) < 0 {
				if end := closes(s, i); end > 0 {
					i = end
					continue
				}
				open += s[i : i+1]
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			if !yield(i) {
				return
			}
			i += size
		}
	}
}

// opens reports whether the character at i can open a quotation.
func opens(s string, i int) bool {
	switch s[i] {
	case '"', '`':
		return true
	case '\'':
		return wordBegins(s, i)
	}
	return false
}

// closes returns where the quotation that opens at i ends, just after the closing quote, or 0 if it doesn't.
func closes(s string, i int) int {
	q := s[i]
	for j := i + 1; j < len(s); j++ {
		switch {
		case q == '"' && s[j] == '\\':
			j++
		case s[j] == q:
			return j + 1
		}
	}
	return 0
}

func wordBegins(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	return i == 0 || isSpace(before) || strings.ContainsRune(":;=(,", before)
}

func isSpace(r rune) bool { return unicode.IsSpace(r) }

// splitWord splits s at a word that stands outside quotes, between spaces or at either end, in any case: into at most n
// parts if n is positive. The parts are trimmed.
func splitWord(s, word string, n int) []string {
	var parts []string
	start := 0
	for i := range outside(s) {
		if n > 0 && len(parts) == n-1 {
			break
		}
		if i >= start && isWord(s, i, word) {
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + len(word)
		}
	}
	return append(parts, strings.TrimSpace(s[start:]))
}

// cutLastWord cuts s around the last such word.
func cutLastWord(s, word string) (before, after string, found bool) {
	last := -1
	for i := range outside(s) {
		if isWord(s, i, word) {
			last = i
		}
	}
	if last < 0 {
		return s, "", false
	}
	return strings.TrimSpace(s[:last]), strings.TrimSpace(s[last+len(word):]), true
}

// isWord reports whether word, which is ASCII, stands at i.
func isWord(s string, i int, word string) bool {
	end := i + len(word)
	if end > len(s) || !strings.EqualFold(s[i:end], word) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[end:])
	return (i == 0 || isSpace(before)) && (end == len(s) || isSpace(after))
}

// unquote takes the quotes from s if they enclose all of it. In double quotes \n, \t, \r, \" and \\ stand for what they do in
// most languages, and any other backslash for itself.
func unquote(s string) string {
	if s == "" || !opens(s, 0) || closes(s, 0) != len(s) {
		return s
	}
	inner := s[1 : len(s)-1]
	if s[0] != '"' || !strings.Contains(inner, `\`) {
		return inner
	}
	return escapes.Replace(inner)
}

var escapes = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\t`, "\t", `\r`, "\r")

// unquoteCommand takes backticks from a command line, as people write them in Markdown. Other quotes are the shell's.
func unquoteCommand(s string) string {
	if strings.HasPrefix(s, "`") {
		return unquote(s)
	}
	return s
}

// clip shortens s to about n bytes, at the end of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
