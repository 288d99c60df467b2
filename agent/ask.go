package agent

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// An asker asks the user by permission requests what the client does not take as an elicitation. Each question is a tool
// call that the client sees beginning and ending. None of it is in the history, as an elicitation is not.
type asker struct {
	session *Session
	turn    *Turn // nil between turns
	call    caller
	show    func(acp.SessionUpdate) error
}

// The options of a question that stand for no value.
var (
	declineOption = acp.PermissionOption{OptionID: "decline", Name: "Decline", Kind: acp.PermissionOptionKindRejectOnce}
	doneOption    = acp.PermissionOption{OptionID: "done", Name: "Done", Kind: acp.PermissionOptionKindAllowOnce}
)

// errDismissed is how a question ends that the user closed without an answer.
var errDismissed = errors.New("the question was dismissed")

// errDeclined is how a question ends whose answer is no.
var errDeclined = errors.New("the question was declined")

// elicit asks for what an elicitation would have asked for. A nil asker can't ask anything.
func (a *asker) elicit(ctx context.Context, req *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	if a == nil || !a.concerns(req.Scope) {
		return nil, unsupportedMode(req.Mode)
	}
	if err := a.session.usable(); err != nil {
		return nil, err
	}
	var content map[string]acp.ElicitationContentValue
	var err error
	switch mode := req.Mode.(type) {
	case *acp.ElicitationFormMode:
		form := choicesOnly(&mode.RequestedSchema)
		if form == nil {
			return nil, unsupportedMode(mode)
		}
		content, err = a.form(ctx, req.Message, form)
	case *acp.ElicitationURLMode:
		err = a.page(ctx, req.Message, mode.URL)
	default:
		return nil, unsupportedMode(mode)
	}
	var action acp.ElicitationAction = &acp.ElicitationAcceptAction{Content: content}
	switch {
	case errors.Is(err, errDeclined):
		action = &acp.ElicitationDeclineAction{}
	case errors.Is(err, errDismissed):
		action = &acp.ElicitationCancelAction{}
	case err != nil:
		return nil, err
	}
	return &acp.CreateElicitationResponse{Action: action}, nil
}

// concerns reports whether a question may be asked in the asker's session.
func (a *asker) concerns(scope acp.ElicitationScope) bool {
	in, ok := scope.(*acp.ElicitationSessionScope)
	return ok && in.SessionID == a.session.ID()
}

// form asks the questions of a form one after the other. The first one that is not answered ends it.
func (a *asker) form(ctx context.Context, message string, f *form) (map[string]acp.ElicitationContentValue, error) {
	content := f.given
	for i := range f.questions {
		q := &f.questions[i]
		chosen, err := a.ask(ctx, q.title(message, len(f.questions)), q.details(message, f), append(q.options(), declineOption))
		if err != nil {
			return nil, err
		}
		if value, ok := q.value(chosen.OptionID); ok {
			content[q.name] = value
		}
	}
	return content, nil
}

// page shows where to go and asks whether the user has been there. The address is text and no link that a client might
// look up: only the user opens it, having seen all of it, as the specification wants.
func (a *asker) page(ctx context.Context, message, address string) error {
	page, err := url.Parse(address)
	if err != nil || page.Host == "" || page.User != nil {
		return fmt.Errorf("elicit: the page is %q, want a URL with a host and without credentials", address)
	}
	text := address
	if message != "" {
		text = message + "\n\n" + address
	}
	if err := a.show(a.session.message(nil, text)); err != nil {
		return err
	}
	_, err = a.ask(ctx, "Visit "+page.Host, text, []acp.PermissionOption{doneOption, declineOption})
	return err
}

// ask asks one question and returns the option that the user chose, which is not declineOption.
func (a *asker) ask(ctx context.Context, title, text string, options []acp.PermissionOption) (*acp.PermissionOption, error) {
	id := acp.ToolCallID(a.session.next("ask"))
	call := &acp.ToolCall{ToolCallID: id, Title: title, Kind: acp.ToolKindOther, Status: acp.ToolCallStatusPending}
	question := acp.ToolCallUpdate{ToolCallID: id, Title: acp.Some(title), Kind: acp.Some(call.Kind), Status: acp.Some(call.Status)}
	if text != "" {
		call.Content = []acp.ToolCallContent{acp.ToolContent(acp.Text(text))}
		question.Content = acp.Some(call.Content)
	}
	if err := a.show(call); err != nil {
		return nil, err
	}
	chosen, err := a.choose(ctx, question, options)
	end := &acp.ToolCallUpdate{ToolCallID: id, Status: acp.Some(acp.ToolCallStatusFailed)}
	said := "No answer."
	switch {
	case err == nil:
		end.Status = acp.Some(acp.ToolCallStatusCompleted)
		said = chosen.Name
	case errors.Is(err, errDeclined):
		said = "Declined."
	}
	end.Content = acp.Some(slices.Concat(call.Content, []acp.ToolCallContent{acp.ToolContent(acp.Text(said))}))
	if failure := a.show(end); failure != nil && err == nil {
		return nil, failure
	}
	return chosen, err
}

// choose makes the permission request of a question.
func (a *asker) choose(ctx context.Context, question acp.ToolCallUpdate, options []acp.PermissionOption) (*acp.PermissionOption, error) {
	outcome, err := a.session.conn.requestPermission(ctx, a.call, &acp.RequestPermissionRequest{
		SessionID: a.session.ID(), ToolCall: question, Options: options,
	})
	if err != nil {
		return nil, err
	}
	option, err := chosen(outcome, options)
	switch {
	case errors.Is(err, ErrCancelled) && (a.turn == nil || a.turn.ctx.Err() == nil):
		return nil, errDismissed
	case err != nil:
		return nil, err
	case option.OptionID == declineOption.OptionID:
		return nil, errDeclined
	}
	return option, nil
}

// showQuestion sends what belongs to a question that is asked in the turn. A question that is open when the turn ends is
// failed with it (T2).
func (t *Turn) showQuestion(u acp.SessionUpdate) error {
	t.gate.RLock()
	defer t.gate.RUnlock()
	if t.ended {
		return ErrTurnEnded
	}
	t.NewMessage()
	err := t.session.post(t.sending, u)
	if id, status, ok := statusOf(u); ok && !unsent(err) {
		t.track(id, status, &openCall{question: true})
	}
	return err
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}
