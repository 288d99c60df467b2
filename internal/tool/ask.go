package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// maxOptions bounds what a user is asked to choose from.
const maxOptions = 20

// ErrCannotAsk is returned by an Env whose user can't be asked a question, or not such a one.
var ErrCannotAsk = errors.New("the client has no way to ask the user this")

// A Question is asked of the user.
type Question struct {
	Text    string
	Options []QuestionOption // to choose from; none means that the answer is text

	Multiple bool // any number of options may be chosen
	FreeText bool // the answer may be text, too
}

// A QuestionOption is an answer to choose. Its label is unique in the question.
type QuestionOption struct {
	Label       string `json:"label" minLength:"1" jsonschema:"A few words."`
	Description string `json:"description,omitzero" jsonschema:"What it means."`
}

// An Answer is what the user said. One without choices and text is none.
type Answer struct {
	Chosen []string // labels of options
	Text   string

	// Refused says in what way there is no answer, such as "declined to answer"; empty if there is one.
	Refused string
}

// Ask returns the tool that asks the user.
func Ask() *Tool {
	return define(Tool{
		Name: "ask",
		Description: "Asks the user a question and returns the answer, for what can't be found out otherwise and matters for how to go on. " +
			"Give options to choose from where there are some: not every client can take text.",
		Kind: acp.ToolKindOther,
	}, prepareAsk)
}

type askInput struct {
	Question string           `json:"question" minLength:"1"`
	Options  []QuestionOption `json:"options,omitzero" jsonschema:"At most 20 to choose from."`
	Multiple bool             `json:"multiple,omitzero" jsonschema:"Whether several options may be chosen."`
	FreeText bool             `json:"free_text,omitzero" jsonschema:"Whether the answer may be text instead of an option."`
}

func prepareAsk(env Env, in askInput) (*Job, error) {
	q := &Question{Text: strings.TrimSpace(in.Question), Options: in.Options, Multiple: in.Multiple, FreeText: in.FreeText}
	if err := q.check(); err != nil {
		return nil, err
	}
	return &Job{
		Title: "Ask: " + OneLine(q.Text, 200),
		Call:  harmless,
		run: func(ctx context.Context) (*Result, error) {
			answer, err := env.Ask(ctx, q)
			switch {
			case errors.Is(err, ErrCannotAsk):
				return q.unasked(), nil
			case err != nil:
				return nil, fmt.Errorf("asking the user: %w", err)
			}
			return answer.result(), nil
		},
	}, nil
}

func (q *Question) check() error {
	if q.Text == "" {
		return errors.New("the input of ask has no question")
	}
	if len(q.Options) > maxOptions {
		return fmt.Errorf("the question has %d options; at most %d can be shown", len(q.Options), maxOptions)
	}
	seen := map[string]bool{}
	for i := range q.Options {
		label := strings.TrimSpace(q.Options[i].Label)
		switch {
		case label == "":
			return fmt.Errorf("option %d of the question has no label", i+1)
		case seen[label]:
			return fmt.Errorf("the question has the option %q twice", label)
		}
		seen[label] = true
		q.Options[i].Label = label
	}
	return nil
}

// unasked is the result of a question that can't be asked: the model has to know (F145).
func (q *Question) unasked() *Result {
	advice := "Put the question into your answer and end your turn, or go on with what is most likely and say so."
	if q.Multiple || len(q.Options) == 0 {
		advice = "It may be able to ask for one of several options. Otherwise put the question into your answer and end your turn, " +
			"or go on with what is most likely and say so."
	}
	r := textResult("Can't ask: "+ErrCannotAsk.Error(), advice)
	r.Content, r.Failed = shown("Can't ask: "+ErrCannotAsk.Error()), true
	return r
}

func (a *Answer) result() *Result {
	switch {
	case a.Refused != "":
		return textResult("The user "+a.Refused, "")
	case len(a.Chosen) == 0 && a.Text == "":
		return textResult("The user chose nothing", "")
	case len(a.Chosen) == 0:
		return textResult("The user answered", a.Text)
	}
	return textResult("The user chose: "+strings.Join(a.Chosen, "; "), a.Text)
}
