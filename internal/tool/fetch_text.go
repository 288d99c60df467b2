package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// The ways in which a page can be returned.
const (
	formatMarkdown = "markdown"
	formatText     = "text"
	formatRaw      = "raw"
)

// textOf returns a page as text in a format. What is no text is an error.
func (p *page) textOf(ctx context.Context, format string) (string, error) {
	media := p.mediaType()
	if !isText(media) {
		return "", fmt.Errorf("it is %s, which is no text", media)
	}
	text, err := p.decode(media)
	if err != nil {
		return "", err
	}
	if isBinary([]byte(text[:min(len(text), 8000)])) {
		return "", fmt.Errorf("it says it is %s, and has zero bytes, so it is no text", media)
	}
	if format == formatRaw || media != "text/html" && media != "application/xhtml+xml" {
		return text, nil
	}
	if len(text) > maxHTML {
		return "", fmt.Errorf("it has %s of HTML, and %s is the most that can be converted: set max_bytes to less, or format to raw",
			bytesText(int64(len(text))), bytesText(maxHTML))
	}
	return p.converted(ctx, text, format)
}

// maxHTML bounds how much HTML is converted, in bytes: a page can be made so that a MiB takes seconds.
const maxHTML = 2 << 20

// converted makes Markdown or plain text of HTML. It returns when ctx ends; its goroutine ends soon after that, or when it
// has done its work, which is bounded.
func (p *page) converted(ctx context.Context, text, format string) (string, error) {
	type outcome struct {
		text string
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if r := recover(); r != nil { // F88
				o.err = fmt.Errorf("it can't be converted (%v); format raw returns it as it is", r)
			}
			done <- o
		}()
		o.text, o.err = p.convert(ctx, text, format)
	}()
	select {
	case o := <-done:
		if ctx.Err() == nil { // or else the text may lack something
			return o.text, o.err
		}
	case <-ctx.Done():
	}
	return "", ctx.Err()
}

func (p *page) convert(ctx context.Context, text, format string) (string, error) {
	document, err := html.Parse(untilDone{ctx, strings.NewReader(text)})
	if err != nil {
		return "", fmt.Errorf("it can't be read as HTML (%w); format raw returns it as it is", err)
	}
	if format == formatText {
		return visibleText(document), nil
	}
	return p.markdown(ctx, document)
}

// mediaType returns what a page is. If the server doesn't say, its beginning does.
func (p *page) mediaType() string {
	declared := p.media
	if declared == "" {
		declared = http.DetectContentType(p.body)
	}
	media, _, err := mime.ParseMediaType(declared)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return "of the unreadable type " + fmt.Sprintf("%.100q", declared)
	}
	return media
}

// textTypes are the types of text that are not called so.
var textTypes = []string{
	"application/json", "application/xml", "application/javascript", "application/ecmascript", "application/x-javascript",
	"application/yaml", "application/x-yaml", "application/toml", "application/x-ndjson", "application/jsonl", "application/x-sh",
	"application/sql", "application/graphql", "application/x-www-form-urlencoded", "application/rtf", "application/x-tex",
}

func isText(media string) bool {
	if strings.HasPrefix(media, "text/") || strings.HasSuffix(media, "+json") || strings.HasSuffix(media, "+xml") || strings.HasSuffix(media, "+yaml") {
		return true
	}
	for _, each := range textTypes {
		if media == each {
			return true
		}
	}
	return false
}

// decode returns the text in UTF-8. Its encoding is what the server says, or the page, or what its bytes look like.
func (p *page) decode(media string) (string, error) {
	body := p.body
	if !p.whole {
		body = body[:len(body)-cutRune(body)] // in other encodings than UTF-8 that is nothing, or hardly ever something
	}
	if !strings.Contains(media, "html") && !strings.Contains(p.media, "charset") && bytes.Equal(body, bytes.ToValidUTF8(body, nil)) {
		return strings.ToValidUTF8(string(bytes.TrimPrefix(body, []byte("\ufeff"))), "\uFFFD"), nil
	}
	r, err := charset.NewReader(bytes.NewReader(body), p.media)
	if err != nil {
		return "", fmt.Errorf("its encoding is not known: %w", err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("its encoding is not what it says: %w", err)
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(text), "\ufeff"), "\uFFFD"), nil
}

// markdown converts a page. Its links and images become absolute, since nobody knows later where it came from.
//
// Nothing is escaped: nobody renders it, a model pays for each backslash, and finding out where one is needed takes the square
// of a page's length.
func (p *page) markdown(ctx context.Context, document *html.Node) (string, error) {
	absolute(document, p.url)
	c := converter.NewConverter(converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), table.NewTablePlugin()))
	c.Register.Renderer(func(ctx converter.Context, _ converter.Writer, _ *html.Node) converter.RenderStatus {
		if ctx.Err() != nil {
			return converter.RenderSuccess // of nothing
		}
		return converter.RenderTryNext
	}, converter.PriorityEarly-1000)
	text, err := c.ConvertNode(document, converter.WithContext(ctx))
	if err != nil {
		return "", fmt.Errorf("it can't be made Markdown (%w); format text or raw may do", err)
	}
	return string(text), nil
}

// untilDone is a reader that fails when a context has ended.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

// absolute makes the links of a document absolute. Its base element counts, as in a browser.
func absolute(document *html.Node, from *url.URL) {
	for n := range document.Descendants() {
		if n.DataAtom == atom.Base {
			if base, err := from.Parse(attribute(n, "href")); err == nil {
				from = base
			}
			break
		}
	}
	for n := range document.Descendants() {
		for i, a := range n.Attr {
			if a.Key != "href" && a.Key != "src" || strings.HasPrefix(a.Val, "data:") {
				continue
			}
			if to, err := from.Parse(strings.TrimSpace(a.Val)); err == nil {
				n.Attr[i].Val = to.String()
			}
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
