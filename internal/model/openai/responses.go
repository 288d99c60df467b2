package openai

import (
	"context"
	"net/http"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// A responsesAPI is OpenAI's Responses.
type responsesAPI struct {
	m       *provider
	service responses.ResponseService
}

// wishes are about reasoning: its amount, its summary for people, and its encrypted form for the next request.
func (api *responsesAPI) wishes(r *model.Request) []wish {
	wishes := api.m.cacheKey(r)
	if api.m.o.Thinking {
		wishes = append(wishes, wish{wishSummary, "auto"}, wish{wishInclude, string(responses.ResponseIncludableReasoningEncryptedContent)})
	}
	return append(wishes, api.m.efforts(wishEffort, r.Thinking)...)
}

func (api *responsesAPI) send(ctx context.Context, r *model.Request, granted []wish) (*http.Response, error) {
	items, err := told(r.Messages, api.user, api.assistant) // calls, results and reasoning stand beside the messages
	if err != nil {
		return nil, err
	}
	body := responses.ResponseNewParams{
		Model: api.m.o.Model,
		Store: param.NewOpt(false),
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
		Reasoning: shared.ReasoningParam{
			Effort:  shared.ReasoningEffort(value(granted, wishEffort)),
			Summary: shared.ReasoningSummary(value(granted, wishSummary)),
		},
	}
	if r.System != "" {
		body.Instructions = param.NewOpt(r.System)
	}
	if include := value(granted, wishInclude); include != "" {
		body.Include = []responses.ResponseIncludable{responses.ResponseIncludable(include)}
	}
	if key := value(granted, wishCacheKey); key != "" {
		body.PromptCacheKey = param.NewOpt(key)
	}
	if n := api.m.maxTokens(r); n > 0 {
		body.MaxOutputTokens = param.NewOpt(n)
	}
	for _, t := range r.Tools {
		schema, err := api.m.schema(t)
		if err != nil {
			return nil, err
		}
		body.Tools = append(body.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name:        t.Name,
			Description: param.NewOpt(t.Description),
			Parameters:  schema,
			Strict:      param.NewOpt(false), // the default is true, and takes only some schemas
		}})
	}
	var res *http.Response
	err = api.service.NewStreaming(ctx, body, option.WithResponseInto(&res)).Err()
	return res, err
}

func (api *responsesAPI) reader(a *answer) reader {
	return &responsesReader{a: a, spoken: map[string]bool{}}
}
