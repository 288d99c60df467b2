package model

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// exchange returns the user's last prompt, as text, and all results since then.
func exchange(messages []Message) (prompt string, results []Result) {
	begin := len(messages)
	for begin > 0 {
		begin--
		if m := messages[begin]; m.Role == RoleUser && len(m.Results) == 0 {
			break
		}
	}
	for _, m := range messages[min(begin+1, len(messages)):] {
		results = append(results, m.Results...)
	}
	if begin < len(messages) {
		prompt = promptText(messages[begin].Content)
	}
	return prompt, results
}

// promptText is a prompt as the offline model reads it. Editors put a file that the user mentions between pieces of text,
// as a link: it counts as the file's path, so that "read @main.go" works.
func promptText(blocks []acp.ContentBlock) string {
	var b strings.Builder
	for _, block := range blocks {
		piece := ""
		switch block := block.(type) {
		case *acp.TextContent:
			piece = block.Text
		case *acp.ResourceLink:
			piece = linkText(block.URI)
		}
		if b.Len() > 0 && piece != "" && !strings.HasSuffix(b.String(), " ") && piece[0] != ' ' {
			b.WriteByte(' ')
		}
		b.WriteString(piece)
	}
	return b.String()
}

// linkText is a link's path, in quotes, or the whole address if it points at no file.
func linkText(uri string) string {
	text := uri
	if u, err := url.Parse(uri); err == nil && u.Scheme == "file" && u.Path != "" {
		text = filepath.FromSlash(u.Path)
		if filepath.VolumeName(text[1:]) != "" { // file:///C:/dir
			text = text[1:]
		}
	}
	if strings.Contains(text, "'") {
		return text
	}
	return "'" + text + "'"
}

// spoken reports whether the model has said anything in this conversation.
func spoken(messages []Message) bool {
	for _, m := range messages {
		if m.Role == RoleAssistant {
			return true
		}
	}
	return false
}

// lastCall returns the number of the last call in the conversation.
func lastCall(messages []Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if n := len(messages[i].Calls); n > 0 {
			number, _ := strconv.Atoi(strings.TrimPrefix(messages[i].Calls[n-1].ID, "call_"))
			return number
		}
	}
	return 0
}

// Tokens estimates how many tokens a message has.
func (m Message) Tokens() uint64 { return tokens(m.bytes()) }

func (m Message) bytes() int {
	n := 0
	for _, block := range m.Content {
		n += blockBytes(block)
	}
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Input)
	}
	for _, r := range m.Results {
		n += len(r.Text)
	}
	return n
}

func blockBytes(block acp.ContentBlock) int {
	switch block := block.(type) {
	case *acp.TextContent:
		return len(block.Text)
	case *acp.ResourceLink:
		return len(block.URI)
	case *acp.ImageContent:
		return len(block.Data)
	case *acp.AudioContent:
		return len(block.Data)
	case *acp.EmbeddedResource:
		switch r := block.Resource.(type) {
		case *acp.TextResourceContents:
			return len(r.Text)
		case *acp.BlobResourceContents:
			return len(r.Blob)
		}
	}
	return 0
}

func requestBytes(r *Request) int {
	n := 0
	for _, m := range r.Messages {
		n += m.bytes()
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

func eventBytes(event Event) int {
	switch e := event.(type) {
	case Text:
		return len(e)
	case Thought:
		return len(e)
	case *Call:
		return len(e.Name) + len(e.Input)
	}
	return 0
}

// tokens rounds up, so that something is never nothing.
func tokens(bytes int) uint64 { return uint64(bytes+bytesPerToken-1) / bytesPerToken }

// marshal writes a value that consists of strings and booleans, which can't fail: bytes that are not UTF-8 become U+FFFD.
func marshal(v any) acp.Raw {
	text, _ := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	return text
}

// fenced puts text in a Markdown block whose fence is longer than any that it holds.
func fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence
}
