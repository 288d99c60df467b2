package modeltest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// What agents of others ask of a model and ours doesn't: answers that are no streams, counted tokens, a list of models. A
// Server does this if it is Foreign.

// whole answers with one JSON object instead of a stream.
func whole(w http.ResponseWriter, h *Heard, a Answer) {
	for i := range a.Calls {
		if a.Calls[i].ID == "" {
			a.Calls[i].ID = fmt.Sprintf("call_%d_%d", len(h.Messages), i)
		}
	}
	body := map[string]func(*Heard, Answer) any{
		"anthropic": anthropicWhole, "chat": chatWhole, "responses": responsesWhole, "gemini": geminiWhole,
	}[h.Format]
	reply(w, body(h, a))
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, body, jsontext.AllowInvalidUTF8(true))
}

func anthropicWhole(h *Heard, a Answer) any {
	content := []any{}
	if a.Text != "" {
		content = append(content, anthropicObject{"type": "text", "text": a.Text})
	}
	for _, c := range a.Calls {
		content = append(content, anthropicObject{"type": "tool_use", "id": c.ID, "name": c.Name, "input": acp.Raw(c.Input)})
	}
	return anthropicObject{
		"id": "msg_stub", "type": "message", "role": "assistant", "model": h.Model, "content": content,
		"stop_reason": anthropicReason(a.Stop), "stop_sequence": nil,
		"usage": anthropicObject{"input_tokens": a.Input, "output_tokens": a.Output},
	}
}

func chatWhole(h *Heard, a Answer) any {
	message := openaiObject{"role": "assistant", "content": a.Text, "refusal": nil}
	var calls []any
	for _, c := range a.Calls {
		calls = append(calls, openaiObject{
			"id": c.ID, "type": "function", "function": openaiObject{"name": c.Name, "arguments": c.Input},
		})
	}
	reason := "stop"
	if len(calls) > 0 {
		message["tool_calls"], reason = calls, "tool_calls"
	}
	return openaiObject{
		"id": "chatcmpl-stub", "object": "chat.completion", "created": 1_764_000_000, "model": h.Model,
		"choices": []any{openaiObject{"index": 0, "message": message, "logprobs": nil, "finish_reason": reason}},
		"usage":   openaiObject{"prompt_tokens": a.Input, "completion_tokens": a.Output, "total_tokens": a.Input + a.Output},
	}
}

func responsesWhole(h *Heard, a Answer) any {
	n := &responsesAnswer{model: h.Model, turn: len(h.Messages)}
	if a.Text != "" {
		n.output = append(n.output, openaiObject{
			"id": n.id("msg"), "type": "message", "role": "assistant", "status": "completed",
			"content": []any{openaiObject{"type": "output_text", "text": a.Text, "annotations": []any{}}},
		})
	}
	for _, c := range a.Calls {
		n.output = append(n.output, openaiObject{
			"id": n.id("fc"), "type": "function_call", "status": "completed", "call_id": c.ID, "name": c.Name, "arguments": c.Input,
		})
	}
	return n.response("completed", openaiObject{
		"input_tokens": a.Input, "output_tokens": a.Output, "total_tokens": a.Input + a.Output,
		"input_tokens_details": openaiObject{"cached_tokens": 0}, "output_tokens_details": openaiObject{"reasoning_tokens": 0},
	})
}

func geminiWhole(h *Heard, a Answer) any {
	var parts []geminiPart
	if a.Text != "" {
		parts = append(parts, geminiPart{Text: &a.Text})
	}
	for _, c := range a.Calls {
		parts = append(parts, geminiPart{FunctionCall: &geminiCall{Name: c.Name, Args: acp.Raw(c.Input)}})
	}
	return gemini{}.chunk(h, a, "STOP", parts...)
}

// aside answers what is no request for an answer. It reports whether it has.
func aside(w http.ResponseWriter, r *http.Request) bool {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		reply(w, anthropicObject{"input_tokens": 100})
	case strings.HasSuffix(path, ":countTokens"):
		reply(w, map[string]any{"totalTokens": 100})
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		reply(w, openaiObject{"object": "list", "data": []any{openaiObject{"id": "stub-model", "object": "model"}}})
	default:
		return false
	}
	return true
}
