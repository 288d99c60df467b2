package model

import (
	"fmt"
	"html"
	"mime"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// LinkText is a link as text, for the models: none of them opens links by itself.
func LinkText(l *acp.ResourceLink) string { return fmt.Sprintf("[%s](%s)", l.Name, l.URI) }

// ResourceText is an embedded text between tags that say where it is from, so that the model can tell it from what the user
// says.
func ResourceText(uri, text string) string {
	return fmt.Sprintf("<resource uri=\"%s\">\n%s\n</resource>", html.EscapeString(uri), strings.TrimSuffix(text, "\n"))
}

// MediaType is a media type without its parameters, in lower case.
func MediaType(s string) string {
	if kind, _, err := mime.ParseMediaType(s); err == nil {
		return kind
	}
	return strings.ToLower(strings.TrimSpace(s))
}

// Limit returns MaxTokens, or limit if that is less: that many an answer of the model may have, or any number if it is 0. It
// returns 0 if the request has no bound.
func (r *Request) Limit(limit int) int {
	if r.MaxTokens > 0 && limit > 0 {
		return min(r.MaxTokens, limit)
	}
	return max(r.MaxTokens, 0)
}
