package modeltest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// An anthropicRefusal is an error in the API's words.
type anthropicRefusal string

func (r anthropicRefusal) Error() string { return string(r) }

func anthropicSays(format string, args ...any) error {
	return anthropicRefusal(fmt.Sprintf(format, args...))
}

// check refuses what the API refuses, in its words where they are known.
func (q *anthropicRequest) check(r *http.Request) error {
	switch {
	case r.Header.Get("Anthropic-Version") == "":
		return anthropicSays("anthropic-version: header is required")
	case !q.Stream:
		return anthropicSays("stub: only streams")
	case q.Model == "":
		return anthropicSays("model: Field required")
	case q.MaxTokens < 1:
		return anthropicSays("max_tokens: must be greater than or equal to 1")
	case len(q.Messages) == 0:
		return anthropicSays("messages: at least one message is required")
	case q.Messages[len(q.Messages)-1].Role != "user":
		return anthropicSays("This model does not support assistant message prefill. The conversation must end with a user message.")
	}
	for _, check := range []func() error{q.checkThinking, q.checkTools, q.checkCache} {
		if err := check(); err != nil {
			return err
		}
	}
	seen := map[string]bool{}
	for i, m := range q.Messages {
		if err := m.check(seen); err != nil {
			return fmt.Errorf("messages.%d: %w", i, err)
		}
	}
	return q.checkResults()
}

func (q *anthropicRequest) checkThinking() error {
	switch {
	case q.Thinking.Type == "enabled" && q.Thinking.Budget < 1024:
		return anthropicSays("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case q.Thinking.Type == "enabled" && q.Thinking.Budget >= q.MaxTokens:
		return anthropicSays("`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	return nil
}

func (q *anthropicRequest) checkTools() error {
	for i, t := range q.Tools {
		if t.Schema.Kind() != '{' {
			return anthropicSays("tools.%d.custom.input_schema: Input should be an object", i)
		}
	}
	return nil
}

// checkCache counts the marks for the cache.
func (q *anthropicRequest) checkCache() error {
	n := 0
	mark := func(set bool) {
		if set {
			n++
		}
	}
	for _, t := range q.Tools {
		mark(t.CacheControl != nil)
	}
	for _, b := range q.System {
		mark(b.CacheControl != nil)
	}
	for _, m := range q.Messages {
		for _, b := range m.Content {
			mark(b.CacheControl != nil)
		}
	}
	if n > 4 {
		return anthropicSays("A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	return nil
}

// anthropicID is what a call may be named.
var anthropicID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func (m anthropicMessage) check(ids map[string]bool) error {
	if m.Role != "user" && m.Role != "assistant" {
		return anthropicSays("role: Input should be 'user' or 'assistant', not %q", m.Role)
	}
	if len(m.Content) == 0 {
		return anthropicSays("all messages must have non-empty content")
	}
	for i, b := range m.Content {
		if err := b.check(m.Role, ids); err != nil {
			return fmt.Errorf("content.%d: %w", i, err)
		}
		if b.Type == "tool_result" && i > 0 && m.Content[i-1].Type != "tool_result" {
			return anthropicSays("content.%d: `tool_result` blocks must come first", i)
		}
	}
	return nil
}

func (b anthropicBlock) check(role string, ids map[string]bool) error {
	switch b.Type {
	case "text":
		if strings.TrimSpace(b.Text) == "" {
			return anthropicSays("text content blocks must contain non-whitespace text")
		}
	case "thinking":
		if role != "assistant" || b.Signature != anthropicSign(b.Thinking) {
			return anthropicSays("Invalid `signature` in `thinking` block")
		}
	case "tool_use":
		if ids[b.ID] {
			return anthropicSays("`tool_use` ids must be unique: %s", b.ID)
		}
		ids[b.ID] = true
		if !anthropicID.MatchString(b.ID) || !anthropicID.MatchString(b.Name) || b.Input.Kind() != '{' || role != "assistant" {
			return anthropicSays("tool_use: not as it should be")
		}
	case "tool_result":
		if b.IsError && len(b.Content) == 0 {
			return anthropicSays("tool_result: content cannot be empty if `is_error` is true")
		}
		for _, inner := range b.Content {
			if err := inner.check(role, ids); err != nil {
				return err
			}
		}
	case "image":
		if b.Source.Type == "base64" && !strings.HasPrefix(b.Source.MediaType, "image/") {
			return anthropicSays("image.source.base64.media_type: %q", b.Source.MediaType)
		}
	case "document":
		if role != "user" || b.Source.MediaType != "application/pdf" {
			return anthropicSays("document: not as it should be")
		}
	case "redacted_thinking", "server_tool_use", "web_search_tool_result":
	default:
		return anthropicSays("Input tag '%s' found using 'type' does not match any of the expected tags", b.Type)
	}
	return nil
}

// checkResults sees to it that each call is followed by its result.
func (q *anthropicRequest) checkResults() error {
	for i, m := range q.Messages {
		want := map[string]bool{}
		for _, b := range m.Content {
			if b.Type == "tool_use" {
				want[b.ID] = true
			}
		}
		if i+1 < len(q.Messages) {
			for _, b := range q.Messages[i+1].Content {
				if b.Type == "tool_result" && !want[b.ToolUseID] {
					return anthropicSays("messages.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s", i+1, b.ToolUseID)
				}
				delete(want, b.ToolUseID)
			}
		}
		if len(want) > 0 {
			return anthropicSays("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)
		}
	}
	return nil
}
