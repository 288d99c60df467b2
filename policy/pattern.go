package policy

import (
	"errors"
	"strings"
)

// star stands for a * in a token. No rule has the byte itself.
const star = "\x00"

// A pattern is what a rule for Bash has between its parentheses.
type pattern struct {
	line   string   // the very line, or "" if it has a *
	tokens []string // the words of one command, or nil if the line is more than that; star is any run of words
}

// prefixSuffix is the older way to write a trailing *: Bash(npm run test:*).
const prefixSuffix = ":*"

// parsePattern reads a pattern. If it is wrong, it says where.
func parsePattern(arg string) (pattern, int, error) {
	if line, ok := strings.CutPrefix(arg, "="); ok {
		if strings.TrimSpace(line) == "" {
			return pattern{}, 1, errors.New("no line after the =")
		}
		return pattern{line: strings.TrimSpace(line)}, 0, nil
	}
	if strings.TrimSpace(arg) == "" {
		return pattern{}, 0, errors.New("nothing but blanks")
	}
	prefix := strings.HasSuffix(arg, prefixSuffix) && !strings.Contains(arg, " *")
	text := arg
	if prefix {
		text = strings.TrimSuffix(arg, prefixSuffix)
	}
	l := lexer{text: text}
	l.run()
	if l.unfinished >= 0 {
		return pattern{}, l.unfinished, errors.New("a quote or a backslash that is not finished")
	}
	hasStar := prefix || strings.Contains(strings.Join(l.tokens, " "), star)
	if l.special >= 0 {
		if hasStar {
			return pattern{}, l.special, errors.New("more than one command: write a rule for each, or = before a line that is meant as it is")
		}
		return pattern{line: strings.TrimSpace(arg)}, 0, nil
	}
	p := pattern{tokens: l.tokens}
	switch {
	case prefix && len(l.tokens) == 0:
		return pattern{}, 0, errors.New("no command before the :*")
	case prefix:
		p.tokens = append(l.tokens, star)
	case !hasStar:
		p.line = strings.TrimSpace(arg)
	}
	return p, 0, nil
}

// fixed is how many tokens the pattern begins with that stand for themselves alone.
func (p pattern) fixed() int {
	for i, token := range p.tokens {
		if strings.Contains(token, star) {
			return i
		}
	}
	return len(p.tokens)
}

// A lexer takes the words of a pattern apart, as a shell would, but knows only quotes and backslashes.
type lexer struct {
	text       string
	tokens     []string
	special    int // where something is that is more than one command's words, or -1
	unfinished int // where something begins that doesn't end, or -1

	word   strings.Builder
	inWord bool
}

func (l *lexer) run() {
	l.special, l.unfinished = -1, -1
	for i := 0; i < len(l.text); i++ {
		switch c := l.text[i]; c {
		case ' ', '\t':
			l.end()
		case '\'', '"':
			n := l.quoted(i)
			if n < 0 {
				l.unfinished = i
				return
			}
			i = n
		case '\\':
			if i+1 == len(l.text) {
				l.unfinished = i
				return
			}
			i++
			l.put(l.text[i : i+1])
		case '*':
			l.put(star)
		default:
			if strings.IndexByte(";&|<>()$`\n#", c) >= 0 && l.special < 0 && !(c == '#' && l.inWord) {
				l.special = i
			}
			l.put(l.text[i : i+1])
		}
	}
	l.end()
}

// quoted reads what is in quotes, and returns where they end, or -1.
func (l *lexer) quoted(begin int) int {
	quote := l.text[begin]
	l.inWord = true
	for i := begin + 1; i < len(l.text); i++ {
		c := l.text[i]
		switch {
		case c == quote:
			return i
		case quote == '"' && c == '\\' && i+1 < len(l.text) && strings.IndexByte("\\\"$`", l.text[i+1]) >= 0:
			i++
			l.put(l.text[i : i+1])
		case quote == '"' && (c == '$' || c == '`') && l.special < 0:
			l.special = i
			l.put(l.text[i : i+1])
		default:
			l.put(l.text[i : i+1])
		}
	}
	return -1
}

func (l *lexer) put(text string) {
	l.inWord = true
	l.word.WriteString(text)
}

func (l *lexer) end() {
	if l.inWord {
		l.tokens = append(l.tokens, l.word.String())
	}
	l.word.Reset()
	l.inWord = false
}
