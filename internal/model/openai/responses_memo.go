package openai

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// memoOf is what the API wants to read again of an answer with these items; nil if that is no more than what was said. It is
// about reasoning, without which the next answer is worse, and about phases, for the same reason. Members that are null are
// left out, since the API writes some that it does not read.
func memoOf(items []object) acp.Raw {
	var kept []object
	worth := false
	for _, item := range items {
		reasoning := item.text("type") == "reasoning"
		if !keeps(item, reasoning) {
			continue
		}
		worth = worth || reasoning || item.has("phase")
		kept = append(kept, pruned(item, reasoning))
	}
	for len(kept) > 0 && kept[len(kept)-1].text("type") == "reasoning" {
		kept = kept[:len(kept)-1] // reasoning is refused without the item that came of it
	}
	if !worth || len(kept) == 0 {
		return nil
	}
	memo, err := json.Marshal(kept, json.Deterministic(true), lenient)
	if err != nil {
		return nil
	}
	return memo
}

// keeps reports whether an item can be sent again. Nothing is stored, so reasoning that is not in the item itself is gone.
func keeps(item object, reasoning bool) bool {
	if reasoning {
		var content []acp.Raw
		return item.has("encrypted_content") || json.Unmarshal(item["content"], &content, lenient) == nil && len(content) > 0
	}
	return item.text("status") != "incomplete" && slices.Contains([]string{"message", "function_call"}, item.text("type"))
}

func pruned(item object, reasoning bool) object {
	kept := object{}
	for name, v := range item {
		if item.has(name) && !(reasoning && name == "status") {
			kept[name] = v
		}
	}
	return kept
}
