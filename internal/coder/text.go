package coder

import (
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// quote writes a text in JSON.
func quote(s string) acp.Raw { return rawjson.AppendString(nil, s) }

// titleOf makes a session's title of its first prompt.
func titleOf(prompt string) string {
	const most = 60 // characters
	title := []rune(strings.Join(strings.Fields(prompt[:min(len(prompt), 8*most)]), " "))
	if len(title) > most {
		return string(title[:most]) + "…"
	}
	return string(title)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
