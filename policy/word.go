package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is one word of a command, after quotes and backslashes are taken away.
type word struct {
	// text is what the word is if it is plain, and what it begins with if not.
	text string

	// plain is set if the word is text alone. It is not if something is put into it when the line runs: a variable, the
	// output of a command, the names of files.
	plain bool

	// many is set if what is put in may be several words, or none.
	many bool
}

func plain(text string) word { return word{text: text, plain: true} }

// unknown is a word of which nothing is known, or several.
var unknown = word{many: true}

// mayBeFlag reports whether the word may become one that begins with a dash.
func (w word) mayBeFlag() bool {
	if w.plain {
		return strings.HasPrefix(w.text, "-")
	}
	return w.many || w.text == "" || strings.HasPrefix(w.text, "-")
}

// mayBe reports whether a word that isn't plain may turn out to be this text.
func (w word) mayBe(text string) bool {
	return w.many || strings.HasPrefix(text, w.text)
}

// wordOf reads a word of a line.
func wordOf(w *syntax.Word) word {
	if w == nil {
		return plain("")
	}
	out := word{plain: true}
	var b strings.Builder
	for _, part := range w.Parts {
		if !out.add(&b, part) {
			break
		}
	}
	out.text = b.String()
	return out
}

// add reads a part of a word. It reports whether what comes next is still known.
func (w *word) add(b *strings.Builder, part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit:
		return w.addLit(b, part.Value)
	case *syntax.SglQuoted:
		if part.Dollar { // \x72 and the like: rare, and not worth a second reading of our own
			w.plain = false
			return false
		}
		b.WriteString(part.Value)
		return true
	case *syntax.DblQuoted:
		return w.addQuoted(b, part)
	case *syntax.CmdSubst:
		w.plain, w.many = false, true
		return false
	case *syntax.ParamExp, *syntax.ArithmExp, *syntax.ExtGlob:
		w.plain, w.many = false, true
		return false
	}
	w.plain = false // a process substitution: /dev/fd/63
	return false
}

func (w *word) addQuoted(b *strings.Builder, quoted *syntax.DblQuoted) bool {
	if quoted.Dollar {
		w.plain = false
		return false
	}
	for _, part := range quoted.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(part.Value, "\\\"$`\n"))
			continue
		case *syntax.CmdSubst:
			if text, ok := document(part); ok {
				b.WriteString(text)
				continue
			}
		case *syntax.ParamExp:
			w.many = w.many || isList(part)
		}
		w.plain = false
		return false
	}
	return true
}

// isList reports whether a variable in quotes is as many words as there are values: "$@", "${names[@]}".
func isList(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Param.Value == "@" || p.Excl {
		return true
	}
	return p.Index != nil || p.Slice != nil
}

// document is the text of $(cat <<'EOF' … EOF), with which agents write messages of several lines.
func document(sub *syntax.CmdSubst) (string, bool) {
	if len(sub.Stmts) != 1 {
		return "", false
	}
	s := sub.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !isDocument(s) || !ok || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" {
		return "", false
	}
	text, ok := hereText(s.Redirs[0])
	return strings.TrimRight(text, "\n"), ok
}

// hereText is the text of a here-document, if nothing is put into it.
func hereText(r *syntax.Redirect) (string, bool) {
	if r.Hdoc == nil {
		return "", false
	}
	quoted := len(r.Word.Parts) != 1 || strings.Contains(r.Word.Lit(), `\`) || r.Word.Lit() == ""
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", false
		}
		if quoted {
			b.WriteString(lit.Value)
		} else {
			b.WriteString(unescape(lit.Value, "\\$`\n"))
		}
	}
	return b.String(), true
}

func isDocument(s *syntax.Stmt) bool {
	return len(s.Redirs) == 1 && s.Redirs[0].Op == syntax.Hdoc && s.Redirs[0].Hdoc != nil && s.Redirs[0].N == nil &&
		!s.Background && !s.Negated && !s.Coprocess
}

// addLit reads what is in no quotes.
func (w *word) addLit(b *strings.Builder, text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			if i+1 < len(text) {
				i++
				if text[i] != '\n' {
					b.WriteByte(text[i])
				}
			}
		case '*', '?', '[':
			if c == '[' && !strings.Contains(text[i:], "]") {
				b.WriteByte(c)
				continue
			}
			w.plain = false
			if b.Len() == 0 {
				w.many = true
			}
			return false
		case '{':
			if hasBraces(text[i:]) {
				w.plain, w.many = false, true
				return false
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return true
}

// hasBraces reports whether text begins with what may be a brace expansion: {a,b} or {1..9}, or one that is closed in
// another part of the word.
func hasBraces(text string) bool {
	if !strings.Contains(text, "}") {
		return true
	}
	return !strings.HasPrefix(text, "{}") && (strings.Contains(text, ",") || strings.Contains(text, ".."))
}

// unescape takes the backslashes away that stand before one of these characters, and a line's end with its backslash.
func unescape(text, special string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte(special, text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
