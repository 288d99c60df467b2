package gemini

import (
	stdjson "encoding/json" // for the library's types, whose tags are meant for it
	"fmt"
	"math"
	"slices"

	"github.com/go-json-experiment/json"
	"google.golang.org/genai"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// anySignature is what Google documents for calls that the model has not made itself, or not this model.
const anySignature = "skip_thought_signature_validator"

// put puts a request into the API's words. It fails if there is something in it that can't be put so.
func (m *gemini) put(r *model.Request) ([]*genai.Content, *genai.GenerateContentConfig, error) {
	if err := model.CheckCalls(r.Messages); err != nil {
		return nil, nil, m.unsendable("%v", err)
	}
	contents, err := m.contents(r.Messages)
	if err != nil {
		return nil, nil, err
	}
	tools, err := m.tools(r.Tools)
	if err != nil {
		return nil, nil, err
	}
	config := &genai.GenerateContentConfig{
		Tools:                 tools,
		ThinkingConfig:        m.thinking(r.Thinking),
		MaxOutputTokens:       int32(min(r.Limit(m.o.MaxTokens), math.MaxInt32)),
		AutomaticContinuation: genai.Ptr(false), // it asks again by itself
		HTTPOptions:           &genai.HTTPOptions{ExtrasRequestProvider: keepEmptyTexts},
	}
	if r.System != "" {
		config.SystemInstruction = &genai.Content{Parts: []*genai.Part{{Text: r.System}}}
	}
	return contents, config, nil
}

// tools tells the model about its tools.
func (m *gemini) tools(tools []model.Tool) ([]*genai.Tool, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	var functions []*genai.FunctionDeclaration
	for _, tool := range tools {
		f := &genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description}
		if tool.Schema != nil {
			var schema map[string]any // the library sends nothing at all, without a word, when it meets broken JSON
			if err := json.Unmarshal(tool.Schema, &schema); err != nil {
				return nil, m.unsendable("the schema of the tool %s is no JSON object: %v", tool.Name, err)
			}
			f.ParametersJsonSchema = schema
		}
		functions = append(functions, f)
	}
	return []*genai.Tool{{FunctionDeclarations: functions}}, nil
}

// contents are the messages of a conversation. Neighbours of the same role are one, and a message that says nothing is
// none: the API refuses it.
func (m *gemini) contents(messages []model.Message) ([]*genai.Content, error) {
	var contents []*genai.Content
	for _, message := range messages {
		parts, err := m.parts(message)
		if err != nil {
			return nil, err
		}
		role := string(genai.RoleUser)
		if message.Role == model.RoleAssistant {
			role = genai.RoleModel
		}
		switch last := len(contents) - 1; {
		case len(parts) == 0:
		case last >= 0 && contents[last].Role == role:
			contents[last].Parts = append(contents[last].Parts, parts...)
		default:
			contents = append(contents, &genai.Content{Role: role, Parts: parts})
		}
	}
	if len(contents) == 0 {
		return nil, m.unsendable("the conversation is empty")
	}
	return contents, nil
}

func (m *gemini) parts(message model.Message) ([]*genai.Part, error) {
	if message.Role == model.RoleAssistant {
		if parts := m.recall(message); parts != nil {
			return parts, nil
		}
	}
	var parts []*genai.Part
	for _, result := range message.Results {
		response, err := m.result(result)
		if err != nil {
			return nil, err
		}
		parts = append(parts, response...)
	}
	for _, block := range message.Content {
		part, err := m.block(block)
		if err != nil {
			return nil, err
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	for i, c := range message.Calls {
		part, err := m.call(c, i == 0)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// recall returns the parts of a memo that the model itself has made, or nil. One that doesn't fit the message is none:
// whoever keeps the conversation may have left calls out.
func (m *gemini) recall(message model.Message) []*genai.Part {
	memo := message.Memo
	if memo == nil || memo.Provider != m.o.Provider || memo.Model != m.o.Model {
		return nil
	}
	var parts []*genai.Part
	if stdjson.Unmarshal(memo.Data, &parts) != nil {
		return nil // what the message says is still there, in our words
	}
	var calls []string
	for _, p := range parts {
		if p != nil && p.FunctionCall != nil {
			calls = append(calls, p.FunctionCall.ID+" "+p.FunctionCall.Name)
		}
	}
	if !slices.EqualFunc(calls, message.Calls, func(s string, c *model.Call) bool { return s == apiID(c.ID)+" "+c.Name }) {
		return nil
	}
	return parts
}

// call is a call that the model has made, or another one, or this one before it had signatures. Only the first call of an
// answer needs one.
func (m *gemini) call(c *model.Call, first bool) (*genai.Part, error) {
	var args map[string]any
	if err := json.Unmarshal(c.Arguments(), &args, lenient); err != nil {
		return nil, m.unsendable("the input of the call %q of %s is no JSON object: %v", c.ID, c.Name, err)
	}
	part := &genai.Part{FunctionCall: &genai.FunctionCall{ID: apiID(c.ID), Name: c.Name, Args: args}}
	if first && m.signs() {
		part.ThoughtSignature = []byte(anySignature)
	}
	return part, nil
}

// result is what became of a call. Older models take its images only beside it. An image of a type that none of them takes
// is a line of text: a tool's result is not the user's to change, and would fail every request from here on.
func (m *gemini) result(r model.Result) ([]*genai.Part, error) {
	key, text := "output", r.Text
	if r.Failed {
		key = "error"
	}
	response := &genai.FunctionResponse{ID: apiID(r.CallID), Name: r.Name}
	parts := []*genai.Part{{FunctionResponse: response}}
	for _, image := range r.Images {
		if image.MIMEType != "" && !takesImage(image.MIMEType) {
			text += fmt.Sprintf("\n[an image of the type %s, which you can't see]", image.MIMEType)
			continue
		}
		part, err := m.block(image)
		if err != nil {
			return nil, err
		}
		if m.generation < signing {
			parts = append(parts, part)
			continue
		}
		response.Parts = append(response.Parts, within(part))
	}
	response.Response = map[string]any{key: text}
	return parts, nil
}

// within is a part as a result has it.
func within(p *genai.Part) *genai.FunctionResponsePart {
	if f := p.FileData; f != nil {
		return &genai.FunctionResponsePart{FileData: &genai.FunctionResponseFileData{FileURI: f.FileURI, MIMEType: f.MIMEType}}
	}
	return &genai.FunctionResponsePart{InlineData: &genai.FunctionResponseBlob{Data: p.InlineData.Data, MIMEType: p.InlineData.MIMEType}}
}

// keepEmptyTexts restores in a request what the library leaves out: a signature may sit on a part with an empty text, and
// the API refuses a part with nothing but a signature.
func keepEmptyTexts(body map[string]any) map[string]any {
	contents, _ := body["contents"].([]map[string]any)
	for _, content := range contents {
		parts, _ := content["parts"].([]map[string]any)
		for _, part := range parts {
			if _, signed := part["thoughtSignature"]; signed && onlySigned(part) {
				part["text"] = ""
			}
		}
	}
	return body
}

func onlySigned(part map[string]any) bool {
	for key := range part {
		if key != "thoughtSignature" && key != "thought" {
			return false
		}
	}
	return true
}
