package openai

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// A chatAPI is Chat Completions, OpenAI's or anybody else's.
type chatAPI struct {
	m       *provider
	service openai.ChatCompletionService
}

func (api *chatAPI) wishes(r *model.Request) []wish {
	wishes := append(api.m.cacheKey(r), wish{wishUsage, "include_usage"})
	wishes = append(wishes, api.limits(r)...)
	return append(wishes, api.m.efforts(wishChatEffort, r.Thinking)...)
}

func (api *chatAPI) send(ctx context.Context, r *model.Request, granted []wish) (*http.Response, error) {
	messages, err := api.messages(r)
	if err != nil {
		return nil, err
	}
	body := openai.ChatCompletionNewParams{
		Model:           api.m.o.Model,
		Messages:        messages,
		ReasoningEffort: shared.ReasoningEffort(value(granted, wishChatEffort)),
	}
	if value(granted, wishUsage) != "" {
		body.StreamOptions = openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}
	}
	if key := value(granted, wishCacheKey); key != "" {
		body.PromptCacheKey = param.NewOpt(key)
	}
	switch value(granted, wishLimit) {
	case oldLimit:
		body.MaxTokens = param.NewOpt(api.m.maxTokens(r))
	case newLimit:
		body.MaxCompletionTokens = param.NewOpt(api.m.maxTokens(r))
	}
	for _, t := range r.Tools {
		schema, err := api.m.schema(t)
		if err != nil {
			return nil, err
		}
		body.Tools = append(body.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: param.NewOpt(t.Description), Parameters: schema,
		}))
	}
	var res *http.Response
	err = api.service.NewStreaming(ctx, body, option.WithResponseInto(&res)).Err()
	return res, err
}

// The names of the limit of an answer. OpenAI's newer models refuse the old one; most others don't know the new one, and
// ignore it.
const (
	oldLimit = "max_tokens"
	newLimit = "max_completion_tokens"
)

// limits are the wishes for an answer that is not too long, the best one first.
func (api *chatAPI) limits(r *model.Request) []wish {
	switch {
	case api.m.maxTokens(r) == 0:
		return nil
	case api.m.o.Provider == "openai":
		return []wish{{wishLimit, newLimit}, {wishLimit, oldLimit}}
	}
	return []wish{{wishLimit, oldLimit}, {wishLimit, newLimit}}
}

func (api *chatAPI) reader(a *answer) reader { return &chatReader{a: a} }
