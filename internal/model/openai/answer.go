package openai

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// An answer is what the model says, on its way to whoever listens.
type answer struct {
	m     *provider
	r     *model.Request
	yield func(model.Event, error) bool

	made  *model.Calls
	calls int // that have been passed on
	bytes int // of everything, to estimate the tokens

	source  string // of the last piece of text: pieces of different sources are paragraphs
	thought string // the same of the last thought
}

func (a *answer) tell(e model.Event) error {
	if !a.yield(e, nil) {
		return errGone
	}
	return nil
}

// say passes a piece of text on, from a source within the answer.
func (a *answer) say(source, text string) error {
	if text == "" {
		return nil
	}
	text = apart(&a.source, source, text)
	a.bytes += len(text)
	return a.tell(model.Text(text))
}

// think passes a piece of reasoning on.
func (a *answer) think(source, text string) error {
	if text == "" {
		return nil
	}
	text = apart(&a.thought, source, text)
	a.bytes += len(text)
	return a.tell(model.Thought(text))
}

// apart begins a new paragraph where the source changes.
func apart(last *string, source, text string) string {
	before := *last
	*last = source
	if before == "" || before == source {
		return text
	}
	return "\n\n" + text
}

// call passes a complete call on.
func (a *answer) call(c *model.Call) error {
	a.calls++
	a.bytes += len(c.Name) + len(c.Input)
	return a.tell(c)
}

// end is everything that comes after the last word.
func (a *answer) end(memo acp.Raw, usage *model.Usage, stop model.Stop) error {
	if len(memo) > 0 {
		if err := a.tell(&model.Memo{Provider: a.m.o.Provider, Model: a.m.o.Model, Data: memo}); err != nil {
			return err
		}
	}
	if usage == nil {
		usage = a.estimate()
	}
	if err := a.tell(*usage); err != nil {
		return err
	}
	return a.tell(stop)
}

// estimate stands in for servers that don't count.
func (a *answer) estimate() *model.Usage {
	in := len(a.r.System)
	for _, msg := range a.r.Messages {
		in += msg.Bytes()
	}
	for _, t := range a.r.Tools {
		in += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return &model.Usage{
		InputTokens: model.Tokens(in), OutputTokens: model.Tokens(a.bytes),
		Estimate: "one token for each four bytes of text, since the provider does not count",
	}
}

// memo is what the message is to be told as, if this model has said so in this API: Responses keeps a list, Chat Completions
// an object.
func (m *provider) memo(msg model.Message, kind jsontext.Kind) acp.Raw {
	memo := msg.Memo
	if memo == nil || memo.Provider != m.o.Provider || memo.Model != m.o.Model || memo.Data.Kind() != kind {
		return nil
	}
	return memo.Data
}
