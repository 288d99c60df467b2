package modeltest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// AnthropicURL is the base URL of the Messages API.
func (s *Server) AnthropicURL() string { return s.URL }

// anthropic is the Messages API, in the version 2026-10-21.
type anthropic struct{}

type anthropicRequest struct {
	Model     string             `json:"model"`
	MaxTokens int                `json:"max_tokens"`
	Stream    bool               `json:"stream"`
	System    anthropicContent   `json:"system"`
	Messages  []anthropicMessage `json:"messages"`
	Tools     []anthropicTool    `json:"tools"`
	Thinking  struct {
		Type   string `json:"type"`
		Budget int    `json:"budget_tokens"`
	} `json:"thinking"`
}

type anthropicMessage struct {
	Role    string           `json:"role"`
	Content anthropicContent `json:"content"`
}

type anthropicTool struct {
	Name         string  `json:"name"`
	Schema       acp.Raw `json:"input_schema"`
	CacheControl acp.Raw `json:"cache_control"`
}

// anthropicContent is a list of blocks. A text stands for one with this text.
type anthropicContent []anthropicBlock

func (c *anthropicContent) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '"' {
		return json.UnmarshalDecode(d, (*[]anthropicBlock)(c))
	}
	b := anthropicBlock{Type: "text"}
	err := json.UnmarshalDecode(d, &b.Text)
	*c = anthropicContent{b}
	return err
}

// An anthropicBlock has the members of all kinds of blocks.
type anthropicBlock struct {
	Type         string           `json:"type"`
	Text         string           `json:"text"`
	Thinking     string           `json:"thinking"`
	Signature    string           `json:"signature"`
	ID           string           `json:"id"`
	Name         string           `json:"name"`
	Input        acp.Raw          `json:"input"`
	ToolUseID    string           `json:"tool_use_id"`
	IsError      bool             `json:"is_error"`
	Content      anthropicContent `json:"content"`
	CacheControl acp.Raw          `json:"cache_control"`
	Source       struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
		URL       string `json:"url"`
	} `json:"source"`
}

func (anthropic) takes(path string) bool { return strings.HasSuffix(path, "/v1/messages") }

func (anthropic) read(r *http.Request, body acp.Raw, h *Heard) error {
	var q anthropicRequest
	if err := json.Unmarshal(body, &q, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	if err := q.check(r); err != nil && !h.foreign {
		return err
	}
	h.Format, h.Model, h.whole = "anthropic", q.Model, !q.Stream
	for _, b := range q.System {
		h.System += b.Text
	}
	for _, t := range q.Tools {
		h.Tools = append(h.Tools, t.Name)
		h.Schemas[t.Name] = t.Schema
	}
	for _, m := range q.Messages {
		h.Messages = append(h.Messages, m.said())
	}
	return nil
}

// said tells a message in the words of all formats. Documents count as images.
func (m anthropicMessage) said() Said {
	s := Said{Role: m.Role}
	var texts []string
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			texts = append(texts, b.Text)
		case "image", "document":
			s.Images++
		case "tool_use":
			_ = b.Input.Format(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) // so that "\u003c" is "<"
			s.Calls = append(s.Calls, Called{b.ID, b.Name, string(b.Input)})
		case "tool_result":
			text := anthropicMessage{Content: b.Content}.said()
			s.Results = append(s.Results, Returned{ID: b.ToolUseID, Text: text.Text, Images: text.Images, Failed: b.IsError})
		}
	}
	s.Text = strings.Join(texts, "\n")
	return s
}

// anthropicErrors are the API's types of errors, by status.
var anthropicErrors = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
	404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 504: "timeout_error", 529: "overloaded_error",
}

func (anthropic) fail(w http.ResponseWriter, f Fault) {
	kind := anthropicErrors[f.Status]
	if kind == "" {
		kind = "api_error"
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_stub")
	w.WriteHeader(f.Status)
	_ = json.MarshalWrite(w, anthropicError(kind, f.Message), jsontext.AllowInvalidUTF8(true))
}

type anthropicObject = map[string]any

func anthropicError(kind, message string) anthropicObject {
	return anthropicObject{"type": "error", "error": anthropicObject{"type": kind, "message": message}, "request_id": "req_stub"}
}

// anthropicSign is the signature of a thought. The server takes back only what it has signed.
func anthropicSign(thought string) string {
	return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("signed %d: %s", len(thought), thought)))
}

// An anthropicAnswer is an answer on its way.
type anthropicAnswer struct {
	st    *stream
	index int // of the next block
}

func (n *anthropicAnswer) event(name string, data anthropicObject) {
	data["type"] = name
	n.st.event(name, data)
}

func (n *anthropicAnswer) begin(block anthropicObject) {
	n.event("content_block_start", anthropicObject{"index": n.index, "content_block": block})
}

func (n *anthropicAnswer) delta(kind, member, piece string) {
	n.event("content_block_delta", anthropicObject{"index": n.index, "delta": anthropicObject{"type": kind, member: piece}})
}

func (n *anthropicAnswer) end() {
	n.event("content_block_stop", anthropicObject{"index": n.index})
	n.index++
}

// fail sends the error of an API that has too much to do.
func (n *anthropicAnswer) fail(message string) {
	n.st.event("error", anthropicError("overloaded_error", message))
}

// write streams an answer. Answer.Input counts all tokens, those of the cache included, as the other formats do; the API
// counts them apart.
func (anthropic) write(st *stream, h *Heard, a Answer) {
	n := &anthropicAnswer{st: st}
	n.event("message_start", anthropicObject{"message": anthropicObject{
		"id": "msg_stub", "type": "message", "role": "assistant", "model": h.Model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "stop_details": nil,
		"usage": anthropicObject{
			"input_tokens":                a.Input - a.CacheRead - a.CacheWrite,
			"cache_read_input_tokens":     a.CacheRead,
			"cache_creation_input_tokens": a.CacheWrite,
			"output_tokens":               1,
		},
	}})
	n.event("ping", anthropicObject{})
	n.thought(a.Thought)
	if !n.text(a.Text) || !n.calls(a.Calls, len(h.Messages)) {
		return
	}
	n.event("message_delta", anthropicObject{
		"delta": anthropicObject{"stop_reason": anthropicReason(a.Stop), "stop_sequence": nil, "stop_details": anthropicDetails(a.Stop)},
		"usage": anthropicObject{"output_tokens": a.Output, "output_tokens_details": anthropicObject{"thinking_tokens": a.Thoughts}},
	})
	n.event("message_stop", anthropicObject{})
}

func anthropicReason(stop string) string {
	switch stop {
	case "end":
		return "end_turn"
	case "calls":
		return "tool_use"
	}
	return stop // the others have the same name in the API
}

func anthropicDetails(stop string) any {
	if stop != "refusal" {
		return nil
	}
	return anthropicObject{"type": "refusal", "category": "general_harms", "explanation": "The stub will not say that."}
}

func (n *anthropicAnswer) thought(thought string) {
	if thought == "" {
		return
	}
	n.begin(anthropicObject{"type": "thinking", "thinking": "", "signature": ""})
	for _, word := range words(thought) {
		n.delta("thinking_delta", "thinking", word)
	}
	n.delta("signature_delta", "signature", anthropicSign(thought))
	n.end()
}

func (n *anthropicAnswer) text(text string) bool {
	if text == "" {
		return true
	}
	n.begin(anthropicObject{"type": "text", "text": ""})
	for word := range n.st.said(text) {
		if !n.st.piece(n.fail) {
			return false
		}
		n.delta("text_delta", "text", word)
	}
	n.end()
	return true
}

func (n *anthropicAnswer) calls(calls []Called, turn int) bool {
	for i, c := range calls {
		if c.ID == "" {
			c.ID = fmt.Sprintf("toolu_%d_%d", turn, i)
		}
		n.begin(anthropicObject{"type": "tool_use", "id": c.ID, "name": c.Name, "input": anthropicObject{}})
		n.delta("input_json_delta", "partial_json", "") // as the API does
		for _, half := range halves(c.Input) {
			if !n.st.piece(n.fail) {
				return false
			}
			n.delta("input_json_delta", "partial_json", half)
		}
		n.end()
	}
	return true
}
