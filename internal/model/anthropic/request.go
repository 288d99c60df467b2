package anthropic

import (
	"cmp"
	stdjson "encoding/json"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// defaultMaxTokens bounds an answer if nobody else does.
const defaultMaxTokens = 32_000

// body writes a request in the words of the API, with the thoughts of earlier answers or without. It says whether there
// are any.
func (m *claude) body(r *model.Request, withThoughts bool) (body sdk.MessageNewParams, hasThoughts bool, err error) {
	c := conversation{m: m, withThoughts: withThoughts}
	if err := c.add(r.Messages); err != nil {
		return body, false, err
	}
	body = sdk.MessageNewParams{
		Model:     m.o.Model,
		MaxTokens: m.maxTokens(r),
		Messages:  c.messages,
		Tools:     tools(r.Tools),
	}
	if strings.TrimSpace(r.System) != "" {
		body.System = []sdk.TextBlockParam{{Text: r.System, CacheControl: sdk.NewCacheControlEphemeralParam()}}
	}
	if m.o.Thinking {
		m.generation.think(r.Thinking, &body)
	}
	markLast(body.Messages)
	return body, c.hasThoughts, nil
}

// maxTokens bounds an answer: the API wants a number.
func (m *claude) maxTokens(r *model.Request) int64 {
	return int64(cmp.Or(r.Limit(m.o.MaxTokens), max(m.o.MaxTokens, 0), defaultMaxTokens))
}

func tools(list []model.Tool) []sdk.ToolUnionParam {
	var out []sdk.ToolUnionParam
	for _, t := range list {
		tool := &sdk.ToolParam{Name: t.Name, InputSchema: schema(t.Schema)}
		if t.Description != "" {
			tool.Description = sdk.String(t.Description)
		}
		out = append(out, sdk.ToolUnionParam{OfTool: tool})
	}
	if len(out) > 0 {
		out[len(out)-1].OfTool.CacheControl = sdk.NewCacheControlEphemeralParam()
	}
	return out
}

// schema sends a schema as it is. Without one, a tool takes any object.
func schema(s acp.Raw) sdk.ToolInputSchemaParam {
	if len(s) == 0 || s.Kind() == 'n' {
		s = acp.Raw(`{"type":"object"}`)
	}
	return param.Override[sdk.ToolInputSchemaParam](rawMessage(s))
}

// rawMessage has the standard library, which the vendor's uses, write JSON as it is.
func rawMessage(raw acp.Raw) stdjson.RawMessage { return stdjson.RawMessage(raw) }

// markLast marks the ends of the last two messages of the user for the cache: the last one for the next request to
// find, and the one before since the last request has put it there.
func markLast(messages []sdk.MessageParam) {
	marks := 2 // and one each on the tools and on the system prompt: the API takes four
	for i := len(messages) - 1; i >= 0 && marks > 0; i-- {
		user := messages[i].OfUser
		if user == nil {
			continue
		}
		if control := user.Content[len(user.Content)-1].GetCacheControl(); control != nil {
			*control = sdk.NewCacheControlEphemeralParam()
			marks--
		}
	}
}

// A conversation is a request's messages on their way to the API's.
type conversation struct {
	m            *claude
	withThoughts bool

	messages    []sdk.MessageParam
	hasThoughts bool
	ids         ids
}

func (c *conversation) add(messages []model.Message) error {
	if err := model.CheckCalls(messages); err != nil {
		return &model.Error{Final: true, Message: err.Error()}
	}
	for i, message := range messages {
		if err := c.one(message); err != nil {
			return &model.Error{Final: true, Message: fmt.Sprintf("message %d of the conversation: %v", i+1, err)}
		}
	}
	if len(c.messages) == 0 || messages[len(messages)-1].Role != model.RoleUser {
		return &model.Error{Final: true, Message: "the conversation does not end with something that the user says"}
	}
	return nil
}

func (c *conversation) one(message model.Message) error {
	var blocks []sdk.ContentBlockParamUnion
	var err error
	switch message.Role {
	case model.RoleUser:
		blocks, err = c.user(message)
	case model.RoleAssistant:
		blocks, err = c.assistant(message)
	default:
		err = fmt.Errorf("nobody has the role %q", message.Role)
	}
	switch {
	case err != nil:
		return err
	case len(blocks) == 0: // the API refuses a message without content
	case message.Role == model.RoleUser:
		c.messages = append(c.messages, sdk.NewUserMessage(blocks...))
	default:
		c.messages = append(c.messages, sdk.NewAssistantMessage(blocks...))
	}
	return nil
}

// user puts the results first, as the API wants it.
func (c *conversation) user(message model.Message) ([]sdk.ContentBlockParamUnion, error) {
	var blocks []sdk.ContentBlockParamUnion
	for _, r := range message.Results {
		b, err := c.m.result(r, c.ids.sent(r.CallID))
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, b)
	}
	content, err := c.m.content(message.Content)
	return append(blocks, content...), err
}

func (c *conversation) assistant(message model.Message) ([]sdk.ContentBlockParamUnion, error) {
	c.ids.begin()
	if memo := c.m.recall(message); memo != nil {
		return c.recalled(memo), nil
	}
	blocks, err := c.m.content(message.Content)
	if err != nil {
		return nil, err
	}
	for _, call := range message.Calls {
		blocks = append(blocks, sdk.NewToolUseBlock(c.ids.rename(call.ID), rawMessage(call.Arguments()), call.Name))
	}
	return blocks, nil
}

func (c *conversation) recalled(memo []block) []sdk.ContentBlockParamUnion {
	var kept []block
	for _, b := range memo {
		c.hasThoughts = c.hasThoughts || b.isThought()
		if b.isThought() && !c.withThoughts {
			continue
		}
		if b.Type == "tool_use" {
			c.ids.keep(b.ID)
		}
		kept = append(kept, b)
	}
	return sentBack(kept)
}
