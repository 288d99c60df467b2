package coder

import (
	"errors"
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

// isEmpty reports whether a prompt says nothing. Providers refuse such a one, each in its own words.
func isEmpty(prompt []acp.ContentBlock) bool {
	for _, block := range prompt {
		if text, ok := block.(*acp.TextContent); !ok || strings.TrimSpace(text.Text) != "" {
			return false
		}
	}
	return true
}

// maxProblem bounds what is said of a call that has failed, in bytes: its input may be part of it.
const maxProblem = 8 << 10

// brief is what an error says, without the middle of a long one.
func brief(err error) string {
	text := err.Error()
	if len(text) <= maxProblem {
		return text
	}
	const half = maxProblem / 2
	return strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// listed is a list in a sentence.
func listed(words []string) string {
	switch n := len(words); n {
	case 0:
		return "none"
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// plain is what an error says, without what it is called in the protocol.
func plain(err error) string {
	if sent := (*acp.Error)(nil); errors.As(err, &sent) {
		return sent.Message
	}
	return err.Error()
}
