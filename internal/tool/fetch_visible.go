package tool

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// visibleText returns what a document says, without any marks: each block on a line of its own, white space as a browser
// shows it.
func visibleText(document *html.Node) string {
	var v visible
	v.visit(document)
	return strings.TrimSpace(v.b.String()) + "\n"
}

// A visible collects text.
type visible struct {
	b     strings.Builder
	space bool // there was white space, which counts if text follows on the line
	line  bool // something is on the line
}

func (v *visible) visit(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		v.text(n.Data)
		return
	case n.Type == html.ElementNode && isHidden(n.DataAtom):
		return
	case n.DataAtom == atom.Pre:
		v.end()
		v.preformatted(n)
		v.end()
		return
	}
	block := n.Type == html.ElementNode && !isInline(n.DataAtom)
	if block {
		v.end()
	}
	for child := range n.ChildNodes() {
		v.visit(child) // the parser bounds how deep
	}
	if block {
		v.end()
	}
}

func (v *visible) text(s string) {
	for _, word := range strings.FieldsFunc(s, isBlank) {
		if v.line && (v.space || isBlank(rune(s[0]))) {
			v.b.WriteByte(' ')
		}
		v.b.WriteString(word)
		v.line, v.space = true, true
	}
	v.space = s != "" && (isBlank(rune(s[len(s)-1])) || v.space && strings.TrimFunc(s, isBlank) == "")
}

func (v *visible) preformatted(n *html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			v.b.WriteString(d.Data)
			v.line = !strings.HasSuffix(d.Data, "\n")
		}
	}
}

func (v *visible) end() {
	if v.line {
		v.b.WriteByte('\n')
	}
	v.line, v.space = false, false
}

func isBlank(r rune) bool { return strings.ContainsRune(" \t\n\f\r", r) }

func isHidden(a atom.Atom) bool {
	switch a {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object:
		return true
	}
	return false
}

func isInline(a atom.Atom) bool {
	switch a {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Bdo, atom.Big, atom.Cite, atom.Code, atom.Data, atom.Del, atom.Dfn, atom.Em,
		atom.Font, atom.I, atom.Img, atom.Ins, atom.Kbd, atom.Label, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span,
		atom.Strong, atom.Sub, atom.Sup, atom.Time, atom.Tt, atom.U, atom.Var, atom.Wbr, 0:
		return true
	}
	return false
}
