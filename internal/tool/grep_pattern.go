package tool

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// A pattern is what grep looks for within lines.
type pattern struct {
	literal string         // if it is a text
	line    *regexp.Regexp // otherwise: for a line without its end

	// loose finds something in every text with a line that matches, and perhaps in others.
	loose *regexp.Regexp

	// rust is loose in the syntax of ripgrep.
	rust []string
}

func newPattern(text string, literal, ignoreCase bool) (*pattern, error) {
	if strings.Contains(text, "\n") || !literal && strings.Contains(text, `\n`) {
		return nil, errors.New("grep looks within lines: its pattern can't have a line end")
	}
	if literal && !ignoreCase {
		return &pattern{literal: text}, nil
	}
	if literal {
		text = regexp.QuoteMeta(text)
	}
	if ignoreCase {
		text = "(?i)" + text
	}
	line, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the pattern is no regular expression (%w): write it differently, or set literal", err)
	}
	tree, err := syntax.Parse(text, syntax.Perl&^syntax.OneLine)
	if err != nil {
		return nil, err
	}
	odd := loosen(tree)
	loose, err := regexp.Compile(tree.String())
	if err != nil {
		return nil, err
	}
	p := &pattern{line: line, loose: loose, rust: []string{inRust(tree.String())}}
	if odd {
		p.rust = append(p.rust, invalidUTF8)
	}
	return p, nil
}

// loosen turns an expression for a line without its end into one for all of a text: what is the end of a line may have a
// carriage return before it. It reports whether the expression has parts that match a byte which is not UTF-8.
func loosen(r *syntax.Regexp) (odd bool) {
	switch r.Op {
	case syntax.OpBeginText:
		r.Op = syntax.OpBeginLine
	case syntax.OpEndText, syntax.OpEndLine:
		cr := &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune{'\r'}}
		r.Sub = []*syntax.Regexp{{Op: syntax.OpQuest, Sub: []*syntax.Regexp{cr}}, {Op: syntax.OpEndLine}}
		r.Op = syntax.OpConcat
		return false
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpLiteral:
		return slices.Contains(r.Rune, '\uFFFD')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(r.Rune); i += 2 {
			odd = odd || r.Rune[i] <= '\uFFFD' && '\uFFFD' <= r.Rune[i+1]
		}
	}
	for _, sub := range r.Sub {
		odd = loosen(sub) || odd
	}
	return odd
}

// inRust translates an expression as package syntax writes it. There, words are of ASCII.
func inRust(expr string) string {
	var b strings.Builder
	for i := 0; i < len(expr); i++ {
		switch {
		case expr[i] != '\\' || i+1 == len(expr):
			b.WriteByte(expr[i])
			continue
		case expr[i+1] == 'b' || expr[i+1] == 'B':
			b.WriteString(`(?-u:` + expr[i:i+2] + `)`)
		default:
			b.WriteString(expr[i : i+2])
		}
		i++
	}
	return b.String()
}

// invalidUTF8 finds bytes that are not UTF-8: package regexp takes such a byte for a character, Rust's doesn't.
const invalidUTF8 = `(?-u:[\xC0\xC1\xF5-\xFF]|[\xC2-\xF4](?:[\x00-\x7F\xC0-\xFF]|$)|[\xE0-\xF4][\x80-\xBF](?:[\x00-\x7F\xC0-\xFF]|$)|` +
	`[\xF0-\xF4][\x80-\xBF]{2}(?:[\x00-\x7F\xC0-\xFF]|$)|(?:^|[\x00-\x7F])[\x80-\xBF]|[\xC2-\xDF][\x80-\xBF]{2}|[\xE0-\xEF][\x80-\xBF]{3}|` +
	`[\xF0-\xF4][\x80-\xBF]{4}|\xE0[\x80-\x9F]|\xED[\xA0-\xBF]|\xF0[\x80-\x8F]|\xF4[\x90-\xBF])`
