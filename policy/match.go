package policy

import (
	"slices"
	"strings"
)

// A match says whether a command has the words of a pattern.
type match int

const (
	no match = iota
	maybe
	yes
)

// covers reports whether the pattern is about a command, with certainty and with all that the command does. The fixed
// words must be the command's very words; a * is any words but those that make it do something else, or that can't be
// known to be harmless.
func (p pattern) covers(c *command) bool {
	return c.hidden+c.doubt == "" && p.tokens != nil && p.run(len(c.words), func(token string, i int) bool {
		w := c.words[i]
		switch {
		case token == star:
			return !c.turns[i]
		case !w.plain:
			return false
		case !strings.Contains(token, star):
			return token == w.text
		}
		named, _, _ := strings.Cut(token, star)
		return tokenMatches(token, w.text) && (!c.turns[i] || i < c.assigns && strings.Contains(named, "="))
	})
}

// names reports whether the pattern's fixed words say what a command runs in turn.
func (p pattern) names(c *command) bool { return c.reach > 0 && p.fixed() >= c.reach }

// touches says whether the pattern is about a command, for rules that restrict: with or without a folder before the
// program, assignments, or flags before what it is told to do.
func (p pattern) touches(c *command) match {
	if len(c.words) == 0 || c.hidden != "" && p.tokens != nil {
		return max(maybe, p.touchesWords(c))
	}
	return p.touchesWords(c)
}

func (p pattern) touchesWords(c *command) match {
	if p.tokens == nil || len(c.words) == 0 {
		return no
	}
	best := p.inWords(c.words)
	for _, begin := range beginnings(c.words[c.assigns:]) {
		best = max(best, p.inWords(begin))
	}
	if c.strange && best == no { // any of its words may be the program that it runs
		if len(c.words) > maxFlags {
			return maybe
		}
		for i := c.assigns + 1; i < len(c.words); i++ {
			if p.inWords(c.words[i:]) != no {
				return maybe
			}
		}
	}
	return best
}

// maxFlags is the most flags before a subcommand that anyone needs.
const maxFlags = 64

// beginnings are the ways to read a command if the flags between the program and the first other word, and their
// values, are nothing but that.
func beginnings(words []word) [][]word {
	if len(words) == 0 {
		return nil
	}
	program := words[0]
	program.text = strings.ToLower(program.text[strings.LastIndexByte(program.text, '/')+1:])
	var all [][]word
	reachable := map[int]bool{1: true}
	for i := 1; i <= len(words); i++ {
		if !reachable[i] {
			continue
		}
		if i > maxFlags { // the rest may be anything
			return append(all, []word{unknown})
		}
		all = append(all, append([]word{program}, words[i:]...))
		if i < len(words) && words[i].mayBeFlag() {
			reachable[i+1] = true
			if i+1 < len(words) {
				reachable[i+2] = true
			}
		}
	}
	return all
}

// inWords says whether words have the pattern's, if words that aren't plain may be anything.
func (p pattern) inWords(words []word) match {
	certain := p.run(len(words), func(token string, i int) bool {
		return token == star || words[i].plain && tokenMatches(token, words[i].text)
	})
	if certain {
		return yes
	}
	if !slices.ContainsFunc(words, func(w word) bool { return !w.plain }) {
		return no
	}
	if p.mayRun(words) {
		return maybe
	}
	return no
}

// run matches tokens with n words, where fits says whether a token and a word go together. A star as a token takes any
// number of words.
func (p pattern) run(n int, fits func(token string, i int) bool) bool {
	reached := make([]bool, n+1)
	reached[0] = true
	for _, token := range p.tokens {
		next := make([]bool, n+1)
		for i := range n + 1 {
			if token == star {
				next[i] = reached[i] || i > 0 && next[i-1] && fits(token, i-1)
			} else if i > 0 {
				next[i] = reached[i-1] && fits(token, i-1)
			}
		}
		reached = next
	}
	return reached[n]
}

// mayRun is run where words that aren't plain may be others, and where those that may be many take any number of tokens.
func (p pattern) mayRun(words []word) bool {
	reached := make([]bool, len(words)+1)
	reached[0] = true
	pass := func(at []bool) { // many words may be none
		for i, w := range words {
			at[i+1] = at[i+1] || at[i] && w.many
		}
	}
	pass(reached)
	for _, token := range p.tokens {
		next := make([]bool, len(words)+1)
		for i := range len(words) + 1 {
			if token == star {
				next[i] = reached[i] || i > 0 && next[i-1]
				continue
			}
			if i == 0 {
				continue
			}
			w := words[i-1]
			switch {
			case w.many:
				next[i] = reached[i-1] || reached[i]
			case w.plain:
				next[i] = reached[i-1] && tokenMatches(token, w.text)
			default:
				next[i] = reached[i-1] && (i == 1 || strings.Contains(token, star) || w.mayBe(token))
			}
		}
		pass(next)
		reached = next
	}
	return reached[len(words)]
}

// tokenMatches reports whether a token with stars is a text.
func tokenMatches(token, text string) bool {
	parts := strings.Split(token, star)
	if len(parts) == 1 {
		return token == text
	}
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, parts[len(parts)-1])
}
