package modeltest

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// responses is OpenAI's Responses. Nothing is stored here, so a request has to ask for that.
type responses struct{}

type responsesRequest struct {
	Model        string          `json:"model"`
	Stream       bool            `json:"stream"`
	Store        *bool           `json:"store"`
	Include      []string        `json:"include"`
	Instructions string          `json:"instructions"`
	Input        []responsesItem `json:"input"`
	Tools        []struct {
		Type       string  `json:"type"`
		Name       string  `json:"name"`
		Parameters acp.Raw `json:"parameters"`
		Strict     *bool   `json:"strict"`
	} `json:"tools"`
	Reasoning struct {
		Summary string `json:"summary"`
	} `json:"reasoning"`
}

// A responsesItem has the members of all kinds of items.
type responsesItem struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Role      string  `json:"role"`
	Content   acp.Raw `json:"content"`
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    acp.Raw `json:"output"`
	Summary   []struct {
		Text string `json:"text"`
	} `json:"summary"`
	Encrypted string `json:"encrypted_content"`
}

func (responses) takes(path string) bool { return strings.HasSuffix(path, "/responses") }

func (responses) read(_ *http.Request, body acp.Raw, h *Heard) error {
	var q responsesRequest
	if err := json.Unmarshal(body, &q, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	if !h.foreign && (!q.Stream || q.Store == nil || *q.Store) || q.Model == "" || len(q.Input) == 0 {
		return errors.New("stub: only streams that are not stored, with a model and input")
	}
	h.Format, h.Model, h.System, h.whole = "responses", q.Model, q.Instructions, !q.Stream
	for _, t := range q.Tools {
		if h.foreign && t.Type != "function" {
			continue // a tool of the vendor's, or one that takes no JSON
		}
		if err := openaiSchema(h, t.Name, t.Parameters); err != nil {
			return err
		}
		if !h.foreign && (t.Type != "function" || t.Strict == nil || *t.Strict) {
			return fmt.Errorf("invalid schema for function %q: 'additionalProperties' is required to be supplied and to be false", t.Name)
		}
	}
	for i, item := range q.Input {
		if err := item.read(h); err != nil && !h.foreign {
			return fmt.Errorf("input[%d]: %w", i, err)
		}
		if !h.foreign && item.Type == "reasoning" && (i+1 == len(q.Input) || !q.Input[i+1].ofModel()) {
			return fmt.Errorf("item '%s' of type 'reasoning' was provided without its required following item", item.ID)
		}
	}
	return openaiPaired(h)
}

// ofModel reports whether the model has said the item.
func (item responsesItem) ofModel() bool {
	return item.Role == "assistant" || item.Type == "function_call" || item.Type == "reasoning"
}

// read adds an item to the conversation.
func (item responsesItem) read(h *Heard) error {
	switch item.Type {
	case "", "message":
		switch item.Role {
		case "system", "developer":
			var s Said
			err := openaiContent(item.Content, &s)
			h.System += s.Text
			return err
		case "user", "assistant":
			return openaiContent(item.Content, openaiTurn(h, item.Role))
		}
		return fmt.Errorf("invalid value: %q", item.Role)
	case "function_call":
		turn := openaiTurn(h, "assistant")
		turn.Calls = append(turn.Calls, Called{item.CallID, item.Name, item.Arguments})
	case "function_call_output":
		var s Said
		err := openaiContent(item.Output, &s)
		turn := openaiTurn(h, "user")
		turn.Results = append(turn.Results, Returned{ID: item.CallID, Text: s.Text, Images: s.Images})
		return err
	case "reasoning":
		return item.known()
	default:
		return fmt.Errorf("invalid value: %q", item.Type)
	}
	return nil
}

// known refuses reasoning that the server can't decipher, or doesn't have.
func (item responsesItem) known() error {
	if item.Encrypted == "" {
		return fmt.Errorf("item with id '%s' not found. Items are not persisted when `store` is set to false", item.ID)
	}
	thought := ""
	for _, s := range item.Summary {
		thought += s.Text
	}
	if item.Encrypted != responsesEncrypt(thought) {
		return fmt.Errorf("the encrypted content for item %s could not be verified", item.ID)
	}
	return nil
}

func responsesEncrypt(thought string) string {
	return "gAAAA" + base64.URLEncoding.EncodeToString([]byte("thought: "+thought))
}

func (responses) fail(w http.ResponseWriter, f Fault) { openaiFail(w, f) }

// write streams an answer.
func (responses) write(st *stream, h *Heard, a Answer) {
	var q responsesRequest
	_ = json.Unmarshal(h.Body, &q, jsontext.AllowInvalidUTF8(true)) // has been read before
	n := &responsesAnswer{st: st, model: h.Model, turn: len(h.Messages)}
	n.event("response.created", openaiObject{"response": n.response("in_progress", nil)})
	n.event("response.in_progress", openaiObject{"response": n.response("in_progress", nil)})
	n.thought(a.Thought, q.Reasoning.Summary != "", slices.Contains(q.Include, "reasoning.encrypted_content"))
	if !n.text(a) || !n.calls(a) {
		return
	}
	n.end(a)
}
