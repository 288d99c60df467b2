package modeltest

import "fmt"

// A responsesAnswer is an answer on its way.
type responsesAnswer struct {
	st     *stream
	model  string
	turn   int   // the number of messages before it; makes ids
	number int   // of the next event
	output []any // the items that are complete
}

func (n *responsesAnswer) event(name string, data openaiObject) {
	data["type"], data["sequence_number"] = name, n.number
	n.number++
	n.st.event(name, data)
}

// of is an event of the item that is on its way.
func (n *responsesAnswer) of(name, item string, data openaiObject) {
	data["item_id"], data["output_index"] = item, len(n.output)
	n.event(name, data)
}

func (n *responsesAnswer) begin(item openaiObject) {
	n.event("response.output_item.added", openaiObject{"output_index": len(n.output), "item": item})
}

func (n *responsesAnswer) complete(item openaiObject) {
	n.event("response.output_item.done", openaiObject{"output_index": len(n.output), "item": item})
	n.output = append(n.output, item)
}

func (n *responsesAnswer) id(kind string) string {
	return fmt.Sprintf("%s_%d_%d", kind, n.turn, len(n.output))
}

func (n *responsesAnswer) response(status string, usage any) openaiObject {
	return openaiObject{
		"id": "resp_stub", "object": "response", "created_at": 1_764_000_000, "status": status, "model": n.model,
		"output": n.output, "usage": usage, "error": nil, "incomplete_details": nil, "instructions": nil, "metadata": openaiObject{},
		"parallel_tool_calls": true, "previous_response_id": nil, "store": false, "tool_choice": "auto", "tools": []any{},
		"temperature": 1.0, "top_p": 1.0, "truncation": "disabled",
	}
}

func (n *responsesAnswer) fail(message string) {
	n.event("error", openaiObject{"code": "server_error", "message": message, "param": nil})
}

func (n *responsesAnswer) thought(thought string, summary, encrypted bool) {
	if thought == "" {
		return
	}
	id := n.id("rs")
	n.begin(openaiObject{"id": id, "type": "reasoning", "summary": []any{}})
	item := openaiObject{"id": id, "type": "reasoning", "summary": []any{}, "status": nil}
	if summary {
		part := openaiObject{"type": "summary_text", "text": thought}
		n.of("response.reasoning_summary_part.added", id, openaiObject{
			"summary_index": 0, "part": openaiObject{"type": "summary_text", "text": ""},
		})
		for _, word := range words(thought) {
			n.of("response.reasoning_summary_text.delta", id, openaiObject{"summary_index": 0, "delta": word})
		}
		n.of("response.reasoning_summary_text.done", id, openaiObject{"summary_index": 0, "text": thought})
		n.of("response.reasoning_summary_part.done", id, openaiObject{"summary_index": 0, "part": part})
		item["summary"] = []any{part}
	} else {
		thought = ""
	}
	if encrypted {
		item["encrypted_content"] = responsesEncrypt(thought)
	}
	n.complete(item)
}

// text streams the text, which is another kind of content in a refusal.
func (n *responsesAnswer) text(a Answer) bool {
	if a.Text == "" {
		return true
	}
	kind, member, event := "output_text", "text", "response.output_text"
	if a.Stop == "refusal" {
		kind, member, event = "refusal", "refusal", "response.refusal"
	}
	id := n.id("msg")
	message := func(status string, content ...any) openaiObject {
		return openaiObject{"id": id, "type": "message", "role": "assistant", "status": status, "content": append([]any{}, content...)}
	}
	part := func(text string) openaiObject {
		if kind == "refusal" {
			return openaiObject{"type": kind, member: text}
		}
		return openaiObject{"type": kind, member: text, "annotations": []any{}, "logprobs": []any{}}
	}
	n.begin(message("in_progress"))
	n.of("response.content_part.added", id, openaiObject{"content_index": 0, "part": part("")})
	for word := range n.st.said(a.Text) {
		if !n.st.piece(n.fail) {
			return false
		}
		n.of(event+".delta", id, openaiObject{"content_index": 0, "delta": word, "logprobs": []any{}, "obfuscation": "x9"})
	}
	n.of(event+".done", id, openaiObject{"content_index": 0, member: a.Text})
	n.of("response.content_part.done", id, openaiObject{"content_index": 0, "part": part(a.Text)})
	status := "completed"
	if a.Stop == "max_tokens" && len(a.Calls) == 0 {
		status = "incomplete"
	}
	n.complete(message(status, part(a.Text)))
	return true
}

func (n *responsesAnswer) calls(a Answer) bool {
	for i, c := range a.Calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", n.turn, i)
		}
		id := n.id("fc")
		call := func(status, input string) openaiObject {
			return openaiObject{
				"id": id, "type": "function_call", "status": status, "call_id": c.ID, "name": c.Name, "arguments": input,
			}
		}
		n.begin(call("in_progress", ""))
		for _, half := range halves(c.Input) {
			if !n.st.piece(n.fail) {
				return false
			}
			n.of("response.function_call_arguments.delta", id, openaiObject{"delta": half})
		}
		n.of("response.function_call_arguments.done", id, openaiObject{"arguments": c.Input, "name": c.Name})
		status := "completed"
		if a.Stop == "max_tokens" && i == len(a.Calls)-1 {
			status = "incomplete"
		}
		n.complete(call(status, c.Input))
	}
	return true
}

func (n *responsesAnswer) end(a Answer) {
	usage := openaiObject{
		"input_tokens": a.Input, "output_tokens": a.Output, "total_tokens": a.Input + a.Output,
		"input_tokens_details":  openaiObject{"cached_tokens": a.CacheRead, "cache_write_tokens": a.CacheWrite},
		"output_tokens_details": openaiObject{"reasoning_tokens": a.Thoughts},
	}
	status, details := "completed", any(nil)
	switch {
	case a.Stop == "max_tokens":
		status, details = "incomplete", openaiObject{"reason": "max_output_tokens"}
	case a.Stop == "refusal" && a.Text == "":
		status, details = "incomplete", openaiObject{"reason": "content_filter"}
	}
	response := n.response(status, usage)
	response["incomplete_details"] = details
	n.event("response."+status, openaiObject{"response": response})
}
