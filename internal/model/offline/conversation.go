package offline

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// exchange returns the user's last prompt, as text, what was attached to it, and all results since then.
func exchange(messages []model.Message) (prompt string, attached []string, results []model.Result) {
	begin := len(messages)
	for begin > 0 {
		begin--
		if m := messages[begin]; m.Role == model.RoleUser && len(m.Results) == 0 {
			break
		}
	}
	for _, m := range messages[min(begin+1, len(messages)):] {
		results = append(results, m.Results...)
	}
	if begin < len(messages) {
		prompt, attached = cutAttached(messages[begin].Content)
	}
	return prompt, attached, results
}

// cutAttached parts a prompt from the files that follow it and are no part of its last step: which makes sense without them, and
// has no space before them where an editor would have put one.
func cutAttached(blocks []acp.ContentBlock) (prompt string, attached []string) {
	n := len(blocks)
	for n > 0 && fileText(blocks[n-1]) != "" {
		n--
	}
	text := promptText(blocks[:n])
	if _, err := parse(text); err != nil || strings.TrimSpace(text) == "" || strings.TrimRight(text, " ") != text {
		return promptText(blocks), nil
	}
	for _, block := range blocks[n:] {
		attached = append(attached, fileText(block))
	}
	return text, attached
}

// promptText is a prompt as the offline model reads it. Editors put a file that the user mentions between pieces of text,
// as a link or with what is in it: it counts as the file's path, so that "read @main.go" works.
func promptText(blocks []acp.ContentBlock) string {
	var b strings.Builder
	for _, block := range blocks {
		piece := fileText(block)
		if text, ok := block.(*acp.TextContent); ok {
			piece = text.Text
		}
		if b.Len() > 0 && piece != "" && !strings.HasSuffix(b.String(), " ") && piece[0] != ' ' {
			b.WriteByte(' ')
		}
		b.WriteString(piece)
	}
	return b.String()
}

// fileText is how a file is named in a prompt, empty for what is no file.
func fileText(block acp.ContentBlock) string {
	switch block := block.(type) {
	case *acp.ResourceLink:
		return linkText(block.URI)
	case *acp.EmbeddedResource:
		switch r := block.Resource.(type) {
		case *acp.TextResourceContents:
			return linkText(r.URI)
		case *acp.BlobResourceContents:
			return linkText(r.URI)
		}
	}
	return ""
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
func spoken(messages []model.Message) bool {
	for _, m := range messages {
		if m.Role == model.RoleAssistant {
			return true
		}
	}
	return false
}

// lastCall returns the highest number of a call in the conversation. The last one may be another model's, without a number.
func lastCall(messages []model.Message) int {
	last := 0
	for _, m := range messages {
		for _, c := range m.Calls {
			number, _ := strconv.Atoi(strings.TrimPrefix(c.ID, "call_"))
			last = max(last, number)
		}
	}
	return last
}

func requestBytes(r *model.Request) int {
	n := 0
	for _, m := range r.Messages {
		n += m.Bytes()
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

func eventBytes(event model.Event) int {
	switch e := event.(type) {
	case model.Text:
		return len(e)
	case model.Thought:
		return len(e)
	case *model.Call:
		return len(e.Name) + len(e.Input)
	}
	return 0
}

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
