package tool

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

const (
	defaultFetch = 1 << 20  // bytes of a page that are fetched
	maxPageText  = 64 << 10 // bytes of its text that the model gets at once
	maxPageShown = 4 << 10  // and that people do
)

// Fetch returns the tool that gets a page from the web.
func Fetch() *Tool {
	return define(Tool{
		Name: "fetch",
		Description: fmt.Sprintf("Gets a page from the web by http or https and returns its text, up to %d KiB at once; offset gets what follows. "+
			"HTML becomes Markdown, and images (png, jpeg, gif, webp) are shown as such. Only the public Internet can be reached. A redirect to another host is not followed but returned.", maxPageText>>10),
		Kind: acp.ToolKindFetch,
	}, prepareFetch)
}

type fetchInput struct {
	URL      string `json:"url" minLength:"1" jsonschema:"Where the page is, with http:// or https://."`
	Format   string `json:"format,omitzero" enum:"markdown,text,raw" jsonschema:"What HTML becomes; the default is markdown, and raw is its source."`
	MaxBytes int64  `json:"max_bytes,omitzero" minimum:"1" maximum:"8388608" jsonschema:"How much of the page to get; the default is 1048576."`
	Offset   int    `json:"offset,omitzero" minimum:"0" jsonschema:"Where in the text to begin, in bytes, to get the next part of a long one; the default is 0."`
}

// A fetchCall is a call of the tool that has been understood.
type fetchCall struct {
	web    Web
	url    *url.URL
	format string
	max    int64
	offset int
}

func prepareFetch(env Env, in fetchInput) (*Job, error) {
	c, err := newFetchCall(env, in)
	if err != nil {
		return nil, err
	}
	address := c.url.String()
	title := OneLine(address, 200)
	return &Job{
		Title: "Fetch " + title,
		Call:  policy.Call{Tool: policy.WebFetch, URL: address},
		preview: func(context.Context) ([]acp.ToolCallContent, error) {
			if title == address {
				return nil, nil
			}
			return shown(fenced(Visible(address))), nil // an address can tell its host things: the user sees all of it
		},
		run: c.run,
	}, nil
}

func newFetchCall(env Env, in fetchInput) (*fetchCall, error) {
	c := &fetchCall{
		web: env.Web(), format: cmp.Or(in.Format, formatMarkdown), max: cmp.Or(in.MaxBytes, defaultFetch), offset: in.Offset,
	}
	var err error
	if c.url, err = url.Parse(strings.TrimSpace(in.URL)); err == nil {
		err = checkURL(c.url)
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't be fetched: %w", OneLine(in.URL, 200), plainError(err))
	}
	c.url.Fragment, c.url.RawFragment = "", ""
	return c, nil
}

func (c *fetchCall) run(ctx context.Context) (*Result, error) {
	p, err := c.web.fetch(ctx, c.url, c.max)
	if err == nil {
		var r *Result
		if r, err = c.result(ctx, p); err == nil {
			return r, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("fetching %s: %w", OneLine(c.url.Redacted(), 200), err)
}

func (c *fetchCall) result(ctx context.Context, p *page) (*Result, error) {
	if p.status == http.StatusOK && isImage(p.mediaType()) {
		return p.image()
	}
	text, err := p.textOf(ctx, c.format)
	failed := p.status < 200 || p.status > 299
	if err != nil && !failed {
		return nil, err
	}
	part, err := c.part(text)
	if err != nil {
		return nil, err
	}
	summary := p.summary()
	switch left := len(text) - c.offset - len(part); {
	case c.offset > 0 || left > 0:
		summary += fmt.Sprintf("; these are the bytes %d to %d of the %d bytes of its text", c.offset, c.offset+len(part), len(text))
	case text == "":
		summary += "; it has no text"
	}
	r := textResult(summary, part)
	r.Content = textResult(summary, clip(part, maxPageShown)).Content
	r.Failed = failed
	return r, nil
}

// part returns the part of a text that the model gets.
func (c *fetchCall) part(text string) (string, error) {
	if c.offset > len(text) {
		return "", fmt.Errorf("its text has %d bytes, and offset is %d", len(text), c.offset)
	}
	for c.offset < len(text) && !utf8.RuneStart(text[c.offset]) {
		c.offset++
	}
	text = text[c.offset:]
	if len(text) <= maxPageText {
		return text, nil
	}
	text = text[:maxPageText]
	return text[:len(text)-cutRune([]byte(text))], nil
}

// summary says what was fetched, on a line.
func (p *page) summary() string {
	said := fmt.Sprintf("%s answered %d", OneLine(p.url.Redacted(), 200), p.status)
	if words := http.StatusText(p.status); words != "" {
		said += " " + words
	}
	said += fmt.Sprintf(" with %d bytes of %s", len(p.body), p.mediaType())
	switch {
	case p.whole:
	case p.size > int64(len(p.body)):
		said += fmt.Sprintf("; that is the beginning of %d bytes", p.size)
	default:
		said += "; that is the beginning of more"
	}
	return said
}

// cutRune returns how many bytes at the end of a text belong to a character that was cut.
func cutRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		last := text[len(text)-n:]
		if utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
