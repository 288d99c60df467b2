package main

import (
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

//go:embed document.html
var pageText string

// page is the whole document: no script, no style and no picture from elsewhere. What is said is text in it, and the template
// escapes it.
var page = template.Must(template.New("document").Funcs(template.FuncMap{"line": cleanLine, "words": pageWords}).Parse(pageText))

// html writes a document as one HTML file.
func (t *document) html(w io.Writer) error {
	return page.Execute(w, struct {
		*document
		Name  string
		Parts []part
	}{t, orNone(cleanLine(t.Title)), t.parts()})
}

// A pagePiece is a piece of a message: text, a link, or a picture.
type pagePiece struct {
	Text    string
	Link    string
	Picture template.URL
}

// pageWords cuts what was said into pieces. Texts that follow each other are one.
func pageWords(blocks []acp.ContentBlock) (pieces []pagePiece) {
	for _, block := range blocks {
		piece := pagePiece{Text: clean(wordsOf(block))}
		switch block := block.(type) {
		case *acp.ImageContent:
			piece.Picture = picture(block)
		case *acp.ResourceLink:
			if strings.HasPrefix(block.URI, "https://") || strings.HasPrefix(block.URI, "http://") {
				piece.Link = block.URI
			}
		case *acp.TextContent:
			if last := len(pieces) - 1; last >= 0 && pieces[last].Link == "" && pieces[last].Picture == "" {
				pieces[last].Text += piece.Text
				continue
			}
		}
		pieces = append(pieces, piece)
	}
	return pieces
}

// picture returns an image as an address that holds it, empty for what no browser shows or might do more with than show.
func picture(image *acp.ImageContent) template.URL {
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, image.MIMEType) {
		return ""
	}
	data, err := base64.StdEncoding.DecodeString(image.Data)
	if err != nil {
		return ""
	}
	return template.URL("data:" + image.MIMEType + ";base64," + base64.StdEncoding.EncodeToString(data))
}
