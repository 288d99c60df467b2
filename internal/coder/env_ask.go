package coder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// The fields of the form that asks a question.
const (
	choiceField = "choice"
	textField   = "answer"
)

// Ask asks the user by a form. A client that has no forms is asked by a permission request if one option is to be chosen,
// which package agent sees to; everything else it can't be asked (F145).
func (e *env) Ask(ctx context.Context, q *tool.Question) (*tool.Answer, error) {
	response, err := e.turn.Elicit(ctx, acp.CreateElicitationRequest{
		Message: tool.Visible(q.Text),
		Mode:    &acp.ElicitationFormMode{RequestedSchema: questionForm(q)},
		Scope:   &acp.ElicitationSessionScope{SessionID: e.turn.Session().ID(), ToolCallID: e.call.ID()},
	})
	switch {
	case errors.Is(err, acp.ErrUnsupported):
		return nil, tool.ErrCannotAsk
	case err != nil:
		return nil, err
	}
	switch action := response.Action.(type) {
	case *acp.ElicitationAcceptAction:
		return answerOf(q, action.Content)
	case *acp.ElicitationDeclineAction:
		return &tool.Answer{Refused: "declined to answer"}, nil
	case *acp.ElicitationCancelAction:
		return &tool.Answer{Refused: "closed the question without an answer"}, nil
	}
	return nil, errors.New("the client's answer is not known")
}

// questionForm makes a form of a question: a field to choose, a field for text, or both.
func questionForm(q *tool.Question) acp.ElicitationSchema {
	var form acp.ElicitationSchema
	var options []acp.EnumOption
	for _, o := range q.Options {
		options = append(options, acp.EnumOption{Const: o.Label, Title: tool.Visible(o.Label), Description: tool.Visible(o.Description)})
	}
	switch {
	case len(options) == 0:
	case q.Multiple:
		form.Properties = acp.ElicitationProperties{{Name: choiceField, Schema: &acp.MultiSelectPropertySchema{
			Title: "Choose any", Items: &acp.TitledMultiSelectItems{AnyOf: options},
		}}}
	default:
		form.Properties = acp.ElicitationProperties{{Name: choiceField, Schema: &acp.StringPropertySchema{Title: "Choose one", OneOf: options}}}
	}
	switch {
	case len(options) == 0:
		form.Properties = acp.ElicitationProperties{{Name: textField, Schema: &acp.StringPropertySchema{Title: "Answer"}}}
		form.Required = []string{textField}
	case q.FreeText:
		form.Properties = append(form.Properties, acp.ElicitationProperty{
			Name: textField, Schema: &acp.StringPropertySchema{Title: "Or in your own words"},
		})
	case !q.Multiple:
		form.Required = []string{choiceField}
	}
	return form
}

// answerOf reads what was filled in. A client's mistake is no answer of the user's.
func answerOf(q *tool.Question, content map[string]acp.ElicitationContentValue) (*tool.Answer, error) {
	answer := &tool.Answer{}
	if text, ok := content[textField]; ok {
		if err := json.Unmarshal(text.Raw, &answer.Text); err != nil {
			return nil, fmt.Errorf("the client answered %s for a text", text.Raw)
		}
		answer.Text = strings.TrimSpace(answer.Text)
	}
	choice, ok := content[choiceField]
	if !ok {
		return answer, nil
	}
	var one string
	if json.Unmarshal(choice.Raw, &one) == nil {
		answer.Chosen = []string{one}
	} else if err := json.Unmarshal(choice.Raw, &answer.Chosen); err != nil {
		return nil, fmt.Errorf("the client answered %s for a choice", choice.Raw)
	}
	for _, label := range answer.Chosen {
		if !slices.ContainsFunc(q.Options, func(o tool.QuestionOption) bool { return o.Label == label }) {
			return nil, fmt.Errorf("the client chose %q, which was not offered", label)
		}
	}
	return answer, nil
}
