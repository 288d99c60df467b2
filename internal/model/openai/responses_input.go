package openai

import (
	"encoding/json"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// assistant is what the model has said, in its own words if they are known.
func (api *responsesAPI) assistant(msg model.Message) (items []responses.ResponseInputItemUnionParam, err error) {
	if memo := api.m.memo(msg, '['); memo != nil {
		var list []json.RawMessage
		if err := json.Unmarshal(memo, &list); err != nil {
			return nil, api.m.final("the memo of an answer is damaged: %v", err)
		}
		for _, item := range list {
			items = append(items, param.Override[responses.ResponseInputItemUnionParam](item))
		}
		return items, nil
	}
	if text := said(msg); text != "" {
		items = append(items, responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant))
	}
	for _, c := range msg.Calls {
		items = append(items, responses.ResponseInputItemParamOfFunctionCall(string(c.Arguments()), c.ID, c.Name))
	}
	return items, nil
}

// user is the results of calls, and then what the user says.
func (api *responsesAPI) user(msg model.Message) (items []responses.ResponseInputItemUnionParam, err error) {
	for _, r := range msg.Results {
		item, err := api.result(r)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	parts, err := api.m.parts(msg.Content)
	if err != nil || len(parts) == 0 {
		return items, err
	}
	if len(parts) == 1 && parts[0].kind == partText {
		return append(items, responses.ResponseInputItemParamOfMessage(parts[0].text, responses.EasyInputMessageRoleUser)), nil
	}
	var content responses.ResponseInputMessageContentListParam
	for _, p := range parts {
		content = append(content, inputContent(p))
	}
	return append(items, responses.ResponseInputItemParamOfMessage(content, responses.EasyInputMessageRoleUser)), nil
}

func inputContent(p part) responses.ResponseInputContentUnionParam {
	switch p.kind {
	case partImage:
		return responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
			ImageURL: param.NewOpt(p.text), Detail: responses.ResponseInputImageDetailAuto,
		}}
	case partFile:
		return responses.ResponseInputContentUnionParam{OfInputFile: &responses.ResponseInputFileParam{
			FileData: param.NewOpt(p.text), Filename: param.NewOpt(p.name),
		}}
	}
	return responses.ResponseInputContentParamOfInputText(p.text)
}

// result is the outcome of a call: plain text, or a list if there are pictures.
func (api *responsesAPI) result(r model.Result) (responses.ResponseInputItemUnionParam, error) {
	item := responses.ResponseInputItemParamOfFunctionCallOutput(outcome(r))
	pictures, err := api.m.pictures(r)
	if len(pictures) > 0 {
		list := responses.ResponseFunctionCallOutputItemListParam{{
			OfInputText: &responses.ResponseInputTextContentParam{Text: outcome(r)},
		}}
		for _, p := range pictures {
			list = append(list, responses.ResponseFunctionCallOutputItemUnionParam{
				OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: param.NewOpt(p.text)},
			})
		}
		item = responses.ResponseInputItemParamOfFunctionCallOutput(list)
	}
	item.OfFunctionCallOutput.CallID = param.NewOpt(r.CallID)
	return item, err
}

// schema is a tool's schema in the library's shape. Only its outermost members are taken apart.
func (m *provider) schema(t model.Tool) (map[string]any, error) {
	if len(t.Schema) == 0 {
		return map[string]any{"type": "object", "properties": struct{}{}}, nil
	}
	members, ok := parseObject(t.Schema)
	if !ok {
		return nil, m.final("the schema of the tool %s is no JSON object", t.Name)
	}
	schema := make(map[string]any, len(members))
	for name, v := range members {
		schema[name] = json.RawMessage(v)
	}
	return schema, nil
}

// maxTokens bounds the answer; 0 leaves it to the provider.
func (m *provider) maxTokens(r *model.Request) int64 { return int64(r.Limit(m.o.MaxTokens)) }
