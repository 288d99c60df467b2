package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// messages is the conversation as Chat Completions has it: each result is a message of its own.
func (api *chatAPI) messages(r *model.Request) ([]openai.ChatCompletionMessageParamUnion, error) {
	messages, err := told(r.Messages, api.user, api.assistant)
	if r.System != "" {
		messages = slices.Insert(messages, 0, openai.SystemMessage(r.System)) // not "developer", which only OpenAI knows
	}
	return messages, err
}

// assistant is what the model has said, in its own words if they are known.
func (api *chatAPI) assistant(msg model.Message) ([]openai.ChatCompletionMessageParamUnion, error) {
	if memo := api.m.memo(msg, '{'); memo != nil {
		return []openai.ChatCompletionMessageParamUnion{
			param.Override[openai.ChatCompletionMessageParamUnion](json.RawMessage(memo)),
		}, nil
	}
	text := said(msg)
	if text == "" && len(msg.Calls) == 0 {
		return nil, nil
	}
	said := openai.ChatCompletionAssistantMessageParam{}
	if text != "" {
		said.Content.OfString = param.NewOpt(text)
	}
	for _, c := range msg.Calls {
		said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: string(c.Arguments())},
			},
		})
	}
	return []openai.ChatCompletionMessageParamUnion{{OfAssistant: &said}}, nil
}

// user is the results of calls, and then what the user says. The pictures of results come after all of them, as if the user
// showed them: a result can be text only, and nothing may stand between two.
func (api *chatAPI) user(msg model.Message) (messages []openai.ChatCompletionMessageParamUnion, err error) {
	var parts []part
	for _, r := range msg.Results {
		messages = append(messages, openai.ToolMessage(outcome(r), r.CallID))
		pictures, err := api.m.pictures(r)
		if err != nil {
			return nil, err
		}
		if len(pictures) > 0 {
			parts = append(parts, part{text: fmt.Sprintf("The result of %s (%s) shows:\n", r.Name, r.CallID)})
			parts = append(parts, pictures...)
		}
	}
	content, err := api.m.parts(msg.Content)
	if err != nil {
		return nil, err
	}
	switch parts = append(parts, content...); {
	case len(parts) == 0:
		return messages, nil
	case len(parts) == 1 && parts[0].kind == partText:
		return append(messages, openai.UserMessage(parts[0].text)), nil
	}
	list := make([]openai.ChatCompletionContentPartUnionParam, len(parts))
	for i, p := range parts {
		list[i] = contentPart(p)
	}
	return append(messages, openai.UserMessage(list)), nil
}

func contentPart(p part) openai.ChatCompletionContentPartUnionParam {
	switch p.kind {
	case partImage:
		return openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: p.text})
	case partSound:
		return openai.InputAudioContentPart(openai.ChatCompletionContentPartInputAudioInputAudioParam{Data: p.text, Format: p.name})
	case partFile:
		return openai.FileContentPart(openai.ChatCompletionContentPartFileFileParam{
			FileData: param.NewOpt(p.text), Filename: param.NewOpt(p.name),
		})
	}
	return openai.TextContentPart(p.text)
}
