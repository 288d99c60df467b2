package openai

import (
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// A chatCall is a call on its way.
type chatCall struct {
	index    int64
	indexed  bool // the server has said which one it is
	id, name string
	input    strings.Builder
	extra    object      // what else the server has said about it, such as Gemini's signature
	made     *model.Call // when it is complete
}

// whole reports whether the input is complete. One that hasn't begun isn't.
func (c *chatCall) whole() bool {
	text := strings.TrimSpace(c.input.String())
	return text == "null" || strings.HasSuffix(text, "}") && model.IsObject([]byte(text))
}

// call reads a piece of a call.
func (rd *chatReader) call(piece openai.ChatCompletionChunkChoiceDeltaToolCall) {
	c := rd.slot(piece)
	if c.id == "" {
		c.id = piece.ID
	}
	if c.name == "" {
		c.name = piece.Function.Name
	}
	raw, _ := parseObject([]byte(piece.RawJSON()))
	if function := raw.object("function"); function.has("arguments") {
		c.input.WriteString(function.text("arguments")) // a string; some servers send the object itself
	}
	c.keep(raw)
}

// keep remembers what the server has said about the call besides what everybody says.
func (c *chatCall) keep(raw object) {
	for name, v := range raw {
		if !raw.has(name) || slices.Contains([]string{"index", "id", "type", "function"}, name) {
			continue
		}
		if c.extra == nil {
			c.extra = object{}
		}
		c.extra[name] = v
	}
}

// slot is the call that a piece belongs to. The index says so, unless the server has no idea of it, and leaves it out or has
// the same for all calls.
func (rd *chatReader) slot(piece openai.ChatCompletionChunkChoiceDeltaToolCall) *chatCall {
	indexed := piece.JSON.Index.Valid()
	for i := len(rd.calls) - 1; i >= 0; i-- {
		c := rd.calls[i]
		if indexed && (!c.indexed || c.index != piece.Index) {
			continue
		}
		if c.begins(piece) {
			break
		}
		return c
	}
	c := &chatCall{index: piece.Index, indexed: indexed}
	rd.calls = append(rd.calls, c)
	return c
}

// begins reports whether a piece that seems to belong to the call begins another one. Only one with a name can, and its id
// tells; without an id it does if the names differ or the call is complete.
func (c *chatCall) begins(piece openai.ChatCompletionChunkChoiceDeltaToolCall) bool {
	switch {
	case piece.Function.Name == "" || c.name == "":
		return false
	case piece.ID != "":
		return piece.ID != c.id
	}
	return piece.Function.Name != c.name || c.whole()
}
