package anthropic

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// vendor is the provider whose API it is.
const vendor = "anthropic"

// defaultURL is where the vendor listens.
const defaultURL = "https://api.anthropic.com"

// maxPauses bounds how often a model that pauses is asked to go on.
const maxPauses = 8

// Options say which model to speak with, and how. BaseURL is without "/v1/messages". Audio is nothing that the model takes,
// whatever Prompt says.
type Options = wire.Options

// New returns a model. It fails if the options have no model, or a key or URL that can't be one.
func New(o Options) (model.Model, error) {
	if err := o.Complete(vendor, defaultURL); err != nil {
		return nil, err
	}
	o.BaseURL = strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), "/v1")
	o.Prompt.Audio = false
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(),
		option.WithoutOpenTelemetry(),
		option.WithMaxRetries(0),
		option.WithBaseURL(o.BaseURL),
		option.WithHTTPClient(o.Client()),
		option.WithMiddleware(expectStream),
	}
	if o.Key != "" {
		options = append(options, option.WithAPIKey(o.Key))
	}
	if o.Key != "" && o.BaseURL != defaultURL {
		// The vendor takes the key as a bearer token; many a server that imitates it knows only the older header.
		options = append(options, option.WithHeader("X-Api-Key", o.Key))
	}
	return &claude{o: o, generation: generationOf(o.Model), messages: sdk.NewClient(options...).Messages}, nil
}

// A claude is one of the provider's models.
type claude struct {
	o          Options
	generation generation
	messages   sdk.MessageService
}

// Info says what the model is.
func (m *claude) Info() model.Info { return m.o.Info() }

// Stream has the model go on with a conversation.
func (m *claude) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		a := &answer{yield: yield, made: model.NewCalls(r), from: m.o.Provider}
		err := m.answer(ctx, r, a)
		switch {
		case err == nil, errors.Is(err, errLeft):
		case ctx.Err() != nil:
			yield(nil, ctx.Err())
		default:
			yield(nil, m.failure(err))
		}
	}
}

func (m *claude) answer(ctx context.Context, r *model.Request, a *answer) error {
	body, hasThoughts, err := m.body(r, true)
	if err != nil {
		return err
	}
	err = m.ask(ctx, body, a)
	if hasThoughts && !a.begun && rejectsThoughts(err) {
		if body, _, err = m.body(r, false); err != nil {
			return err
		}
		err = m.ask(ctx, body, a)
	}
	for range maxPauses {
		if err != nil || !a.paused {
			return err
		}
		body.Messages = append(body.Messages, sdk.NewAssistantMessage(sentBack(a.pausedAt)...))
		err = m.ask(ctx, body, a)
	}
	if err == nil && a.paused {
		return &model.Error{Message: fmt.Sprintf("it has paused more than %d times", maxPauses)}
	}
	return err
}

// ask makes one request and reads the answer to its end.
func (m *claude) ask(ctx context.Context, body sdk.MessageNewParams, a *answer) error {
	var response *http.Response
	if err := m.messages.NewStreaming(ctx, body, append(m.headers(body), option.WithResponseInto(&response))...).Err(); err != nil {
		return err
	}
	defer response.Body.Close()
	return a.read(response.Body)
}

// headers are what a request needs besides its body. The models that think on a budget think between their calls only
// if asked to.
func (m *claude) headers(body sdk.MessageNewParams) []option.RequestOption {
	if body.Thinking.OfEnabled == nil || m.generation.style != styleBudget {
		return nil
	}
	return []option.RequestOption{option.WithHeader("Anthropic-Beta", sdk.AnthropicBetaInterleavedThinking2025_05_14)}
}
