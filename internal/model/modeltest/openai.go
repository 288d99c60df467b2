package modeltest

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// OpenAIURL is the base URL of both of OpenAI's APIs.
func (s *Server) OpenAIURL() string { return s.URL + "/v1" }

type openaiObject = map[string]any

// An openaiPart is a piece of content, in the words of both APIs.
type openaiPart struct {
	Type     string  `json:"type"`
	Text     string  `json:"text"`
	Refusal  string  `json:"refusal"`
	ImageURL acp.Raw `json:"image_url"` // a string, or an object with a url
	FileData string  `json:"file_data"`
	File     struct {
		FileData string `json:"file_data"`
	} `json:"file"`
	Audio struct {
		Data   string `json:"data"`
		Format string `json:"format"`
	} `json:"input_audio"`
}

// openaiContent reads content, which is a string, null or a list of parts, into a message. Files count as images.
func openaiContent(content acp.Raw, s *Said) error {
	if len(content) == 0 || content.Kind() == 'n' {
		return nil
	}
	var parts []openaiPart
	if content.Kind() == '"' {
		parts = []openaiPart{{Type: "text"}}
		if err := json.Unmarshal(content, &parts[0].Text, jsontext.AllowInvalidUTF8(true)); err != nil {
			return err
		}
	} else if err := json.Unmarshal(content, &parts, jsontext.AllowInvalidUTF8(true)); err != nil {
		return err
	}
	for _, p := range parts {
		if err := p.read(s); err != nil {
			return err
		}
	}
	return nil
}

func (p openaiPart) read(s *Said) error {
	switch p.Type {
	case "text", "input_text", "output_text", "refusal":
		s.Text += p.Text + p.Refusal
	case "image_url", "input_image":
		if !strings.Contains(string(p.ImageURL), "data:image/") && !strings.Contains(string(p.ImageURL), "://") {
			return fmt.Errorf("invalid image URL: %s", p.ImageURL)
		}
		s.Images++
	case "file", "input_file":
		if !strings.HasPrefix(p.FileData+p.File.FileData, "data:application/pdf;base64,") {
			return fmt.Errorf("invalid file data")
		}
		s.Images++
	case "input_audio":
		if p.Audio.Format != "wav" && p.Audio.Format != "mp3" {
			return fmt.Errorf("invalid value: %q. Supported values are: 'wav' and 'mp3'", p.Audio.Format)
		}
		s.Audio++
	default:
		return fmt.Errorf("invalid value: %q. Supported values are: 'text', 'image_url', and so on", p.Type)
	}
	return nil
}

// openaiTurn is the message that the next piece of a conversation belongs to: both APIs have more and smaller pieces than the
// others.
func openaiTurn(h *Heard, role string) *Said {
	if n := len(h.Messages); n == 0 || h.Messages[n-1].Role != role {
		h.Messages = append(h.Messages, Said{Role: role})
	}
	return &h.Messages[len(h.Messages)-1]
}

// openaiName is what a function may be called.
var openaiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// openaiPaired refuses a conversation in which a call has no result, or a result no call.
func openaiPaired(h *Heard) error {
	if h.foreign {
		return nil
	}
	open := map[string]bool{}
	seen := map[string]bool{}
	for _, m := range h.Messages {
		for _, r := range m.Results {
			if !open[r.ID] {
				return fmt.Errorf("no tool call found for function call output with call_id %s", r.ID)
			}
			delete(open, r.ID)
		}
		for id := range open {
			return fmt.Errorf("no tool output found for function call %s", id)
		}
		for _, c := range m.Calls {
			if !openaiName.MatchString(c.Name) {
				return fmt.Errorf("invalid function name %q", c.Name)
			}
			if seen[c.ID] || c.ID == "" || len(c.ID) > 64 {
				return fmt.Errorf("invalid call id %q", c.ID)
			}
			if !acp.Raw(c.Input).IsValid() || acp.Raw(c.Input).Kind() != '{' {
				return fmt.Errorf("invalid arguments of %s", c.ID)
			}
			open[c.ID], seen[c.ID] = true, true
		}
	}
	for id := range open {
		return fmt.Errorf("no tool output found for function call %s", id)
	}
	return nil
}

// openaiErrors are the codes of the statuses that have one.
var openaiErrors = map[int]string{401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}

// openaiError is an error's description.
func openaiError(status int, message string) openaiObject {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "requests"
	case status >= 500:
		kind = "server_error"
	}
	var code any
	if c := openaiErrors[status]; c != "" {
		code = c
	}
	if strings.Contains(message, "maximum context length") {
		code = "context_length_exceeded"
	}
	return openaiObject{"message": message, "type": kind, "param": nil, "code": code}
}

func openaiFail(w http.ResponseWriter, f Fault) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Request-Id", "req_stub")
	w.WriteHeader(f.Status)
	_ = json.MarshalWrite(w, openaiObject{"error": openaiError(f.Status, f.Message)}, jsontext.AllowInvalidUTF8(true))
}

// openaiSchema refuses a tool whose schema is none.
func openaiSchema(h *Heard, name string, schema acp.Raw) error {
	if name == "" || schema.Kind() != '{' && !h.foreign {
		return fmt.Errorf("invalid schema for function %q: schema must be a JSON Schema of 'type: \"object\"'", name)
	}
	h.Tools = append(h.Tools, name)
	h.Schemas[name] = schema
	return nil
}
