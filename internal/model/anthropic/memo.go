package anthropic

import (
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A block is a block of an answer, as the API sent it, and what one has to know of it.
type block struct {
	raw       acp.Raw
	Type      string `json:"type"`
	Text      string `json:"text"`
	Signature string `json:"signature"`
	ID        string `json:"id"`
}

var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

func blockOf(raw acp.Raw) (block, bool) {
	b := block{raw: raw}
	err := json.Unmarshal(raw, &b, lenient)
	return b, err == nil
}

func (b block) isThought() bool { return b.Type == "thinking" || b.Type == "redacted_thinking" }

// isPlain reports whether the block can be told from a message's content and calls.
func (b block) isPlain() bool { return b.Type == "text" || b.Type == "tool_use" }

// returnable reports whether the API takes the block back: it refuses empty text, and a thought whose signature was cut
// off.
func (b block) returnable() bool {
	switch b.Type {
	case "text":
		return strings.TrimSpace(b.Text) != ""
	case "thinking":
		return b.Signature != ""
	}
	return true
}

// memoOf returns the memo of an answer, or nil if the message says it all. Thoughts that nothing follows are of no use:
// a message that ends with one is refused.
func memoOf(from string, blocks []block) *model.Memo {
	for len(blocks) > 0 && blocks[len(blocks)-1].isThought() {
		blocks = blocks[:len(blocks)-1]
	}
	if !slices.ContainsFunc(blocks, func(b block) bool { return !b.isPlain() }) {
		return nil
	}
	raws := make([]acp.Raw, 0, len(blocks))
	for _, b := range blocks {
		raws = append(raws, b.raw)
	}
	data, err := json.Marshal(raws, lenient)
	if err != nil {
		return nil // it was valid JSON a moment ago
	}
	// A model that can't read another one's thoughts leaves them out by itself, so that the memo is good for all of them.
	return &model.Memo{Provider: from, Data: data}
}

// recall returns the blocks of a message's memo, unless it has none of ours, or one that doesn't fit the message: whoever
// keeps the conversation may have left calls out.
func (m *claude) recall(message model.Message) []block {
	if message.Memo == nil || message.Memo.Provider != m.o.Provider {
		return nil
	}
	var raws []acp.Raw
	if json.Unmarshal(message.Memo.Data, &raws, lenient) != nil {
		return nil
	}
	var blocks []block
	var calls []string
	for _, raw := range raws {
		b, ok := blockOf(raw)
		if !ok {
			return nil
		}
		blocks = append(blocks, b)
		if b.Type == "tool_use" {
			calls = append(calls, b.ID)
		}
	}
	if !slices.EqualFunc(calls, message.Calls, func(id string, c *model.Call) bool { return id == c.ID }) {
		return nil
	}
	return blocks
}

// sentBack sends blocks back as they came.
func sentBack(blocks []block) []sdk.ContentBlockParamUnion {
	out := make([]sdk.ContentBlockParamUnion, 0, len(blocks))
	for _, b := range blocks {
		out = append(out, param.Override[sdk.ContentBlockParamUnion](rawMessage(b.raw)))
	}
	return out
}
