package tool

import (
	"context"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxPiece is how much text an expression is matched with at once, in bytes. With an expression such as [a-z]{1,1000}x that
// takes a fraction of a second, and a cancel has to wait for it; more text is looked through in several steps.
const maxPiece = 1 << 10

// mayMatch is false only if no line of a text matches, or if ctx has ended.
func (p *pattern) mayMatch(ctx context.Context, text string) bool {
	if p.line == nil {
		return strings.Contains(text, p.literal)
	}
	for text != "" && ctx.Err() == nil {
		piece := wholeLines(text)
		if found(ctx, p.loose, piece) {
			return true
		}
		text = text[len(piece):]
	}
	return false
}

// wholeLines returns as many lines as a piece may have, and at least one.
func wholeLines(text string) string {
	if len(text) <= maxPiece {
		return text
	}
	end := strings.LastIndexByte(text[:maxPiece], '\n')
	if end < 0 {
		if end = strings.IndexByte(text, '\n'); end < 0 {
			return text
		}
	}
	return text[:end+1]
}

// matches reports whether a line, without its end, matches. If ctx ends, it doesn't.
func (p *pattern) matches(ctx context.Context, line string) bool {
	if p.line == nil {
		return strings.Contains(line, p.literal)
	}
	return found(ctx, p.line, line)
}

// found reports whether an expression matches a text. One that is too long to do so at once is read little by little, until
// ctx ends.
func found(ctx context.Context, expr *regexp.Regexp, text string) bool {
	if len(text) <= maxPiece {
		return expr.MatchString(text)
	}
	if prefix, all := expr.LiteralPrefix(); all || !strings.Contains(text, prefix) {
		return strings.Contains(text, prefix)
	}
	return expr.MatchReader(&runes{ctx: ctx, text: text}) && ctx.Err() == nil
}

// A runes reads a text until ctx ends.
type runes struct {
	ctx  context.Context
	text string
	n    int // read since ctx was asked
}

func (r *runes) ReadRune() (rune, int, error) {
	if r.n++; r.n == 1<<7 {
		if r.n = 0; r.ctx.Err() != nil {
			r.text = ""
		}
	}
	if r.text == "" {
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRuneInString(r.text)
	r.text = r.text[size:]
	return c, size, nil
}
