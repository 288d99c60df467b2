package openai

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// failure is the error that an object tells of, or nil. It says error, not *model.Error, so that nil is nil.
func (m *provider) failure(data []byte) error {
	if !bytes.Contains(data, []byte(`"error"`)) {
		return nil
	}
	if e := m.failureOf(data); e != nil {
		return e
	}
	return nil
}

// broken is the error that an event tells of whose name says that it does.
func (m *provider) broken(data []byte) error {
	if e := m.failureOf(data); e != nil {
		return e
	}
	return &model.Error{Provider: m.o.Provider, Message: "the answer ends with an error: " + m.line(string(data))}
}

// failureOf reads an error in all the shapes that servers give it: OpenAI's {"error":{"message"}}, Ollama's
// {"error":"words"}, FastAPI's {"detail"}, a bare {"message"}, and Gemini's list of one.
func (m *provider) failureOf(data []byte) *model.Error {
	var list []acp.Raw
	if json.Unmarshal(data, &list, lenient) == nil && len(list) > 0 {
		data = list[0]
	}
	o, ok := parseObject(data)
	if !ok || o.has("choices") && !o.has("error") { // some servers have a message in each chunk, that all is well
		return nil
	}
	for _, name := range []string{"error", "detail", "message"} {
		if !o.has(name) {
			continue
		}
		if inner := o.object(name); inner != nil {
			if len(inner) == 0 {
				return nil
			}
			return m.described(inner, data)
		}
		if name == "error" && o.text("message") != "" {
			break // {"type":"error","error":"code","message":"words"}
		}
		o = object{"message": o[name], "code": o["code"], "type": o["type"], "param": o["param"]}
		break
	}
	if o.text("message") == "" {
		return nil
	}
	return m.described(o, data)
}

// described is the error that o describes, which is a part of data.
func (m *provider) described(o object, data []byte) *model.Error {
	c := &complaint{code: o.text("code"), kind: o.text("type"), param: o.text("param"), text: wire.Hide(string(data), m.o.Key)}
	message := o.text("message")
	if raw := o.object("metadata").text("raw"); raw != "" {
		message += ": " + raw // what the provider behind OpenRouter has said
	}
	if message == "" {
		message = strings.TrimSpace(c.code + " " + c.kind)
	}
	e := &model.Error{Provider: m.o.Provider, Message: m.line(message), Cause: c}
	if n, err := strconv.Atoi(c.code); err == nil && n >= 400 && n < 600 {
		e.Status = n
	}
	if strings.Contains(c.code+c.kind, "rate_limit") {
		e.Status = http.StatusTooManyRequests
	}
	e.TooLong = c.tooLong()
	e.Final = e.TooLong || c.exhausted() || e.Status == 0 && c.wrong()
	return e
}

// tooLong reports whether the model can't take so long a conversation. Most servers say so in words only.
func (c *complaint) tooLong() bool {
	text := strings.ToLower(c.text)
	for _, s := range []string{
		"context_length_exceeded", "maximum context length", "exceeds the context window", "exceed_context_size", // llama.cpp
		"exceeds the available context size", "prompt is too long", "input is too long", "longer than the context length",
		"exceeds the model's maximum", "exceeds maximum context", "greater than the context length", // LM Studio
		"maximum prompt length", "input token count exceeds", "exceeds the limit of context",
	} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// exhausted reports whether the account has nothing left, which a pause doesn't change though the status is 429.
func (c *complaint) exhausted() bool {
	return strings.Contains(c.code+" "+c.kind, "quota") || strings.Contains(c.code, "billing")
}

// wrong reports whether the request itself is to blame. It is asked only if there is no status to tell.
func (c *complaint) wrong() bool {
	for _, s := range []string{"invalid", "policy", "not_found", "unsupported", "misalignment"} {
		if strings.Contains(c.code, s) || strings.Contains(c.kind, s) {
			return true
		}
	}
	return false
}
