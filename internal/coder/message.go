package coder

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

type message = model.Message

// A keptMessage is a message of the conversation as it is stored.
type keptMessage struct {
	Role    model.Role       `json:"role"`
	Content []jsontext.Value `json:"content,omitempty"`
	Calls   []keptCall       `json:"calls,omitempty"`
	Results []keptResult     `json:"results,omitempty"`
	Memo    *keptMemo        `json:"memo,omitempty"`
}

type keptCall struct {
	ID     string         `json:"id"`
	Name   string         `json:"name"`
	Input  jsontext.Value `json:"input,omitempty"`
	Broken string         `json:"broken,omitempty"`
}

type keptResult struct {
	CallID string           `json:"callId"`
	Name   string           `json:"name"`
	Text   string           `json:"text"`
	Images []jsontext.Value `json:"images,omitempty"`
	Failed bool             `json:"failed,omitempty"`
}

type keptMemo struct {
	Provider string         `json:"provider"`
	Model    string         `json:"model,omitempty"`
	Data     jsontext.Value `json:"data,omitempty"`
}

func encodeMessage(m model.Message) ([]byte, error) {
	kept := keptMessage{Role: m.Role}
	var err error
	if kept.Content, err = encodeBlocks(m.Content); err != nil {
		return nil, err
	}
	for _, c := range m.Calls {
		kept.Calls = append(kept.Calls, keptCall{c.ID, c.Name, jsontext.Value(c.Input), c.Broken})
	}
	for _, r := range m.Results {
		images, err := encodeBlocks(r.Images)
		if err != nil {
			return nil, err
		}
		kept.Results = append(kept.Results, keptResult{r.CallID, r.Name, r.Text, images, r.Failed})
	}
	if m.Memo != nil {
		kept.Memo = &keptMemo{m.Memo.Provider, m.Memo.Model, jsontext.Value(m.Memo.Data)}
	}
	return json.Marshal(kept, jsontext.AllowInvalidUTF8(true))
}

func encodeBlocks[B acp.ContentBlock](blocks []B) (list []jsontext.Value, err error) {
	for _, block := range blocks {
		text, err := json.Marshal(block, jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

func decodeMessage(text []byte) (m model.Message, err error) {
	var kept keptMessage
	if err := json.Unmarshal(text, &kept); err != nil {
		return m, fmt.Errorf("a message of the conversation can't be read: %w", err)
	}
	m.Role = kept.Role
	if m.Content, err = decodeBlocks[acp.ContentBlock](kept.Content); err != nil {
		return m, err
	}
	for _, c := range kept.Calls {
		m.Calls = append(m.Calls, &model.Call{ID: c.ID, Name: c.Name, Input: acp.Raw(c.Input), Broken: c.Broken})
	}
	for _, r := range kept.Results {
		images, err := decodeBlocks[*acp.ImageContent](r.Images)
		if err != nil {
			return m, err
		}
		m.Results = append(m.Results, model.Result{CallID: r.CallID, Name: r.Name, Text: r.Text, Images: images, Failed: r.Failed})
	}
	if kept.Memo != nil {
		m.Memo = &model.Memo{Provider: kept.Memo.Provider, Model: kept.Memo.Model, Data: acp.Raw(kept.Memo.Data)}
	}
	return m, nil
}

func decodeBlocks[B acp.ContentBlock](list []jsontext.Value) (blocks []B, err error) {
	for _, text := range list {
		var block acp.ContentBlock
		if _, err := acp.Decode(text, &block); err != nil {
			return nil, fmt.Errorf("content of the conversation can't be read: %w", err)
		}
		b, ok := block.(B)
		if !ok {
			return nil, fmt.Errorf("content of the conversation is a %T", block)
		}
		blocks = append(blocks, b)
	}
	return blocks, nil
}
