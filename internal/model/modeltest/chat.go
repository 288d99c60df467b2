package modeltest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// chat is OpenAI's Chat Completions.
type chat struct{}

type chatRequest struct {
	Model    string        `json:"model"`
	Stream   bool          `json:"stream"`
	Messages []chatMessage `json:"messages"`
	Options  struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string  `json:"name"`
			Parameters acp.Raw `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type chatMessage struct {
	Role       string  `json:"role"`
	Content    acp.Raw `json:"content"`
	ToolCallID string  `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (chat) takes(path string) bool { return strings.HasSuffix(path, "/chat/completions") }

func (chat) read(_ *http.Request, body acp.Raw, h *Heard) error {
	var q chatRequest
	if err := json.Unmarshal(body, &q, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	if !q.Stream && !h.foreign || q.Model == "" || len(q.Messages) == 0 {
		return errors.New("stub: only streams, with a model and messages")
	}
	h.Format, h.Model, h.whole = "chat", q.Model, !q.Stream
	for _, t := range q.Tools {
		if err := openaiSchema(h, t.Function.Name, t.Function.Parameters); err != nil || t.Type != "function" {
			return fmt.Errorf("tools: %q: %w", t.Type, err)
		}
	}
	for i, m := range q.Messages {
		if err := m.read(h); err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
	}
	return openaiPaired(h)
}

// read adds a message to the conversation. The results of calls are messages of their own, which belong to the user's turn.
func (m chatMessage) read(h *Heard) error {
	switch m.Role {
	case "system", "developer":
		var s Said
		err := openaiContent(m.Content, &s)
		h.System += s.Text
		return err
	case "tool":
		var s Said
		err := openaiContent(m.Content, &s)
		turn := openaiTurn(h, "user")
		turn.Results = append(turn.Results, Returned{ID: m.ToolCallID, Text: s.Text, Images: s.Images})
		if err == nil && s.Images > 0 {
			err = errors.New("image URLs are only allowed for messages with role 'user'")
		}
		return err
	case "assistant":
		turn := openaiTurn(h, "assistant")
		for _, c := range m.ToolCalls {
			turn.Calls = append(turn.Calls, Called{c.ID, c.Function.Name, c.Function.Arguments})
		}
		return openaiContent(m.Content, turn)
	case "user":
		return openaiContent(m.Content, openaiTurn(h, "user"))
	}
	return fmt.Errorf("invalid value: %q. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'", m.Role)
}

func (chat) fail(w http.ResponseWriter, f Fault) { openaiFail(w, f) }

// A chatAnswer is an answer on its way.
type chatAnswer struct {
	st    *stream
	model string
	usage bool // has been asked for
}

func (n *chatAnswer) chunk(choices []any, usage any) {
	chunk := openaiObject{
		"id": "chatcmpl-stub", "object": "chat.completion.chunk", "created": 1_764_000_000, "model": n.model,
		"service_tier": "default", "system_fingerprint": "fp_stub", "choices": choices, "obfuscation": "x9",
	}
	if n.usage {
		chunk["usage"] = usage
	}
	n.st.event("", chunk)
}

func (n *chatAnswer) delta(delta openaiObject, reason any) {
	n.chunk([]any{openaiObject{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}}, nil)
}

func (n *chatAnswer) fail(message string) {
	n.st.event("", openaiObject{"error": openaiError(500, message)})
}

// write streams an answer. The API itself shows no reasoning; the servers that have copied it do so as here.
func (chat) write(st *stream, h *Heard, a Answer) {
	var q chatRequest
	_ = json.Unmarshal(h.Body, &q, jsontext.AllowInvalidUTF8(true)) // has been read before
	n := &chatAnswer{st: st, model: h.Model, usage: q.Options.Usage}
	n.delta(openaiObject{"role": "assistant", "content": "", "refusal": nil}, nil)
	if a.Thought != "" {
		for _, word := range words(a.Thought) {
			n.delta(openaiObject{"reasoning_content": word}, nil)
		}
	}
	if !n.text(a) || !n.calls(a.Calls, len(h.Messages)) {
		return
	}
	reason := map[string]string{"end": "stop", "calls": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}[a.Stop]
	n.delta(openaiObject{}, reason)
	if n.usage {
		n.chunk([]any{}, openaiObject{
			"prompt_tokens": a.Input, "completion_tokens": a.Output, "total_tokens": a.Input + a.Output,
			"prompt_tokens_details":     openaiObject{"cached_tokens": a.CacheRead, "cache_write_tokens": a.CacheWrite, "audio_tokens": 0},
			"completion_tokens_details": openaiObject{"reasoning_tokens": a.Thoughts, "audio_tokens": 0},
		})
	}
	st.raw("", "[DONE]")
}

// text streams the text, which of a refusal has another name.
func (n *chatAnswer) text(a Answer) bool {
	if a.Text == "" {
		return true
	}
	name := "content"
	if a.Stop == "refusal" {
		name = "refusal"
	}
	for word := range n.st.said(a.Text) {
		if !n.st.piece(n.fail) {
			return false
		}
		n.delta(openaiObject{name: word}, nil)
	}
	return true
}

func (n *chatAnswer) calls(calls []Called, turn int) bool {
	for i, c := range calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("call_%d_%d", turn, i)
		}
		n.call(openaiObject{
			"index": i, "id": c.ID, "type": "function", "function": openaiObject{"name": c.Name, "arguments": ""},
		})
		for _, half := range halves(c.Input) {
			if !n.st.piece(n.fail) {
				return false
			}
			n.call(openaiObject{"index": i, "function": openaiObject{"arguments": half}})
		}
	}
	return true
}

func (n *chatAnswer) call(piece openaiObject) { n.delta(openaiObject{"tool_calls": []any{piece}}, nil) }
