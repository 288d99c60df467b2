package openai

import (
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// A chatMemo collects what a server wants to read again besides the text and the calls: reasoning models that call tools
// lose their thread without their reasoning, and some refuse to go on.
type chatMemo struct {
	name    string // by which the server calls the reasoning
	thought strings.Builder
	blocks  []*chatBlock // OpenRouter's, which has the signatures of all its providers
}

// A chatBlock is a block of reasoning on its way: what comes in pieces, and everything else as the last piece has it.
type chatBlock struct {
	members       object
	text, summary strings.Builder
}

// reasoning takes a piece of reasoning.
func (memo *chatMemo) reasoning(name, text string) {
	memo.name = name
	memo.thought.WriteString(text)
}

// details takes pieces of reasoning blocks. Those of the same block follow each other.
func (memo *chatMemo) details(list acp.Raw) {
	var pieces []object
	if list.Kind() != '[' || json.Unmarshal(list, &pieces, lenient) != nil {
		return
	}
	for _, piece := range pieces {
		if n := len(memo.blocks); n == 0 || !memo.blocks[n-1].goesOn(piece) {
			memo.blocks = append(memo.blocks, &chatBlock{members: object{}})
		}
		memo.blocks[len(memo.blocks)-1].add(piece)
	}
}

// goesOn reports whether a piece belongs to the block.
func (b *chatBlock) goesOn(piece object) bool {
	return b.members.text("type") == piece.text("type") && b.members.text("index") == piece.text("index") &&
		(!piece.has("id") || b.members.text("id") == piece.text("id"))
}

func (b *chatBlock) add(piece object) {
	b.text.WriteString(piece.text("text"))
	b.summary.WriteString(piece.text("summary"))
	for name, v := range piece {
		if piece.has(name) || len(b.members[name]) == 0 {
			b.members[name] = v
		}
	}
}

// whole is the block with all of its pieces.
func (b *chatBlock) whole() object {
	for name, said := range map[string]string{"text": b.text.String(), "summary": b.summary.String()} {
		if b.members.has(name) {
			b.members[name] = quote(said)
		}
	}
	return b.members
}

// data is the message as the server wants to read it; nil if that is no more than what was said.
func (memo *chatMemo) data(said string, calls []*chatCall) acp.Raw {
	message := object{"role": acp.Raw(`"assistant"`), "content": acp.Raw("null")}
	if said != "" {
		message["content"] = quote(said)
	}
	worth := len(memo.blocks) > 0
	var list []object
	for _, c := range calls {
		worth = worth || len(c.extra) > 0 || memo.name != ""
		list = append(list, c.again())
	}
	if !worth || (said == "" && len(calls) == 0) {
		return nil
	}
	if len(list) > 0 {
		message["tool_calls"] = marshal(list)
	}
	switch {
	case len(memo.blocks) > 0:
		var blocks []object
		for _, b := range memo.blocks {
			blocks = append(blocks, b.whole())
		}
		message["reasoning_details"] = marshal(blocks)
	case memo.name != "":
		message[memo.name] = quote(memo.thought.String())
	}
	return marshal(message)
}

// again is the call as the server wants to read it.
func (c *chatCall) again() object {
	call := object{
		"id": quote(c.made.ID), "type": acp.Raw(`"function"`),
		"function": marshal(object{"name": quote(c.made.Name), "arguments": quote(string(c.made.Input))}),
	}
	for name, v := range c.extra {
		call[name] = v
	}
	return call
}

func quote(s string) acp.Raw { return marshal(s) }

// marshal writes strings, and objects of what has been read, which can't fail. If it does, there is nothing to remember.
func marshal(v any) acp.Raw {
	data, err := json.Marshal(v, json.Deterministic(true), lenient)
	if err != nil {
		return nil
	}
	return data
}
