package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// eliciting is an agent that asks for something in each turn, and says what came of it.
func eliciting(mode acp.ElicitationMode) *full {
	return &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		answer, err := turn.Elicit(ctx, acp.CreateElicitationRequest{Message: "How shall I go on?", Mode: mode})
		return "", turn.Text(outcome(answer, err))
	}}
}

// outcome is an answer as text.
func outcome(answer *acp.CreateElicitationResponse, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	switch action := answer.Action.(type) {
	case *acp.ElicitationAcceptAction:
		return "accept " + sorted(action.Content)
	case *acp.ElicitationDeclineAction:
		return "decline"
	case *acp.ElicitationCancelAction:
		return "cancel"
	}
	return fmt.Sprintf("%T", answer.Action)
}

func formOf(required string, properties ...acp.ElicitationProperty) *acp.ElicitationFormMode {
	return &acp.ElicitationFormMode{RequestedSchema: acp.ElicitationSchema{
		Properties: properties, Required: strings.Fields(required),
	}}
}

func property(name string, schema acp.ElicitationPropertySchema) acp.ElicitationProperty {
	return acp.ElicitationProperty{Name: name, Schema: schema}
}

// offered are the names of a permission request's options, with their ids.
func offered(question *message) string {
	var names []string
	for _, option := range question.Params.Options {
		names = append(names, option.OptionID+"="+option.Name)
	}
	return strings.Join(names, " ")
}

// A form whose fields are choices is asked by permission requests where the client takes no forms, and the answer is what
// the form's would have been.
func TestAFormFallsBackToPermissionRequests(t *testing.T) {
	no, port := false, int64(3000)
	strategy := property("strategy", &acp.StringPropertySchema{
		Title: "Strategy", Default: "bold",
		OneOf: []acp.EnumOption{{Const: "careful", Title: "Careful", Description: "small steps"}, {Const: "bold", Title: "Bold"}},
	})
	tests := map[string]struct {
		form    *acp.ElicitationFormMode
		offered []string // by each question
		shown   string   // a part of the first question
		chosen  []string
		want    string
	}{
		"a choice with labels": {
			formOf("strategy", strategy), []string{"choice_1=Bold choice_2=Careful decline=Decline"},
			`* Careful: small steps`, []string{"choice_2"}, `accept {"strategy":"careful"}`,
		},
		"a choice of values": {
			formOf("colour", property("colour", &acp.StringPropertySchema{Enum: []string{"red", "blue"}})),
			[]string{"choice_1=red choice_2=blue decline=Decline"}, "How shall I go on?", []string{"choice_2"}, `accept {"colour":"blue"}`,
		},
		"yes or no": {
			formOf("sure", property("sure", &acp.BooleanPropertySchema{Description: "be sure"})),
			[]string{"choice_1=Yes choice_2=No decline=Decline"}, "sure: be sure", []string{"choice_1"}, `accept {"sure":true}`,
		},
		"no by default": {
			formOf("sure", property("sure", &acp.BooleanPropertySchema{Default: &no})),
			[]string{"choice_1=No choice_2=Yes decline=Decline"}, "", []string{"choice_1"}, `accept {"sure":false}`,
		},
		"several, and fields with defaults": {
			formOf("strategy port", strategy,
				property("port", &acp.IntegerPropertySchema{Title: "Port", Default: &port}),
				property("note", &acp.StringPropertySchema{}),
				property("days", &acp.MultiSelectPropertySchema{Default: []string{"Monday"}, Items: &acp.StringMultiSelectItems{Enum: []string{"Monday"}}}),
				property("sure", &acp.BooleanPropertySchema{})),
			[]string{"choice_1=Bold choice_2=Careful decline=Decline", "choice_1=Yes choice_2=No choice_3=Skip decline=Decline"},
			`Taken as it is: Port: 3000, days: ["Monday"]`, []string{"choice_1", "choice_2"},
			`accept {"days":["Monday"],"port":3000,"strategy":"bold","sure":false}`,
		},
		"one that is skipped": {
			formOf("", property("sure", &acp.BooleanPropertySchema{})),
			[]string{"choice_1=Yes choice_2=No choice_3=Skip decline=Decline"}, "", []string{"choice_3"}, `accept {}`,
		},
		"defaults alone": {
			formOf("name", property("name", &acp.StringPropertySchema{Default: "main"})),
			[]string{"choice_1=Accept decline=Decline"}, "Taken as it is: name: main", []string{"choice_1"}, `accept {"name":"main"}`,
		},
		"no fields": {
			formOf(""), []string{"choice_1=Accept decline=Decline"}, "", []string{"choice_1"}, `accept {}`,
		},
		"a refusal": {
			formOf("strategy", strategy), []string{"choice_1=Bold choice_2=Careful decline=Decline"}, "", []string{"decline"}, "decline",
		},
		"a refusal at the second question": {
			formOf("strategy sure", strategy, property("sure", &acp.BooleanPropertySchema{})),
			[]string{"choice_1=Bold choice_2=Careful decline=Decline", "choice_1=Yes choice_2=No decline=Decline"},
			"", []string{"choice_1", "decline"}, "decline",
		},
		"no answer": {
			formOf("strategy", strategy), []string{"choice_1=Bold choice_2=Careful decline=Decline"}, "", []string{""}, "cancel",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := start(t, eliciting(test.form), options(), `{"elicitation":{"url":{}}}`)
			id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
			for i, chosen := range test.chosen {
				begun := p.update("tool_call")
				question := p.asked("session/request_permission")
				if begun.Params.Update["toolCallId"] != question.Params.ToolCall["toolCallId"] || begun.Params.Update["status"] != "pending" {
					t.Errorf("asked %s\nabout %s", question.text, begun.text)
				}
				if got := offered(question); got != test.offered[i] {
					t.Errorf("offered %s\nwant    %s", got, test.offered[i])
				}
				if shown := fmt.Sprint(question.Params.ToolCall); i == 0 && !strings.Contains(shown, test.shown) {
					t.Errorf("shown %s\nwant %s in it", shown, test.shown)
				}
				outcome, status := fmt.Sprintf(`{"outcome":"selected","optionId":%q}`, chosen), "completed"
				if chosen == "" {
					outcome = `{"outcome":"cancelled"}`
				}
				if chosen == "" || chosen == "decline" {
					status = "failed"
				}
				p.reply(question, `{"outcome":`+outcome+`}`)
				if end := p.update("tool_call_update"); end.Params.Update["status"] != status {
					t.Errorf("got %s, want it %s", end.text, status)
				}
			}
			p.says(test.want)
			p.stopped(id, "end_turn")
		})
	}
}

// W11: a form that choices can't answer is refused before a byte is written, and so is one that asks too much.
func TestW11_AFormThatChoicesCannotAnswerIsNotAsked(t *testing.T) {
	var five []acp.ElicitationProperty
	for i := range 5 {
		five = append(five, property(fmt.Sprint("sure", i), &acp.BooleanPropertySchema{}))
	}
	for name, form := range map[string]*acp.ElicitationFormMode{
		"a text":             formOf("name", property("name", &acp.StringPropertySchema{})),
		"nothing but texts":  formOf("", property("name", &acp.StringPropertySchema{})),
		"a number":           formOf("ratio", property("ratio", &acp.NumberPropertySchema{}), property("sure", &acp.BooleanPropertySchema{})),
		"an unknown field":   formOf("pigeon", property("pigeon", &acp.UnknownPropertySchema{Type: "_pigeon", Raw: acp.Raw(`{"type":"_pigeon"}`)})),
		"an undefined field": formOf("ghost", property("sure", &acp.BooleanPropertySchema{})),
		"five questions":     formOf("", five...),
		"many choices":       formOf("n", property("n", &acp.StringPropertySchema{Enum: make([]string, 21)})),
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, eliciting(form), options(), `{}`)
			id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
			p.says("error: " + (&acp.UnsupportedError{Method: "elicitation/create", Capability: "clientCapabilities.elicitation.form"}).Error())
			p.stopped(id, "end_turn")
		})
	}
}

// A page is shown as text where the client takes no pages, and accepted when the user has been there. Nothing that a
// client might open by itself leaves, not even a form (URL security).
func TestAPageFallsBackToTextAndAQuestion(t *testing.T) {
	const page = "https://login.example.com/connect?id=7"
	for option, want := range map[string]string{"done": "accept null", "decline": "decline", "": "cancel"} {
		a := eliciting(&acp.ElicitationURLMode{ElicitationID: "e", URL: page})
		p := start(t, a, options(), `{"elicitation":{"form":{}}}`)
		id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
		p.says("How shall I go on?\n\n" + page + "\n\n")
		p.update("tool_call")
		question := p.asked("session/request_permission")
		if got := offered(question); got != "done=Done decline=Decline" {
			t.Errorf("offered %s", got)
		}
		if title := question.Params.ToolCall["title"]; title != "Visit login.example.com" || !strings.Contains(question.text, page) {
			t.Errorf("asked %s", question.text)
		}
		outcome := fmt.Sprintf(`{"outcome":"selected","optionId":%q}`, option)
		if option == "" {
			outcome = `{"outcome":"cancelled"}`
		}
		p.reply(question, `{"outcome":`+outcome+`}`)
		p.update("tool_call_update")
		p.says(want)
		p.stopped(id, "end_turn")
	}
	for _, page := range []string{"", "no page", "https://ann:secret@example.com/", "https://exa\nmple.com"} {
		p := start(t, eliciting(&acp.ElicitationURLMode{ElicitationID: "e", URL: page}), options(), `{}`)
		id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
		p.says(fmt.Sprintf("error: elicit: the page is %q, want a URL with a host and without credentials", page))
		p.stopped(id, "end_turn")
	}
}

// A client that takes no pages is not told that one is done with; one that does is.
func TestTheEndOfAPageIsForClientsThatTakePages(t *testing.T) {
	for capabilities, told := range map[string]bool{`{}`: false, `{"elicitation":{"form":{}}}`: false, `{"elicitation":{"url":{}}}`: true} {
		conn, p := connect(t, nothing, options())
		p.call("initialize", `{"protocolVersion":1,"clientCapabilities":`+capabilities+`}`)
		if err := conn.CompleteElicitation(t.Context(), "e"); err != nil {
			t.Error(err)
		}
		if told {
			if m := p.next(); m.Method != "elicitation/complete" {
				t.Errorf("got %s", m.text)
			}
		}
		p.silent()
	}
}

// T4, T2: a question that stands for a form ends with its turn, and so does what the client sees of it.
func TestT4_AQuestionEndsWithItsTurn(t *testing.T) {
	asked := make(chan error, 1)
	a := &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		_, err := turn.Elicit(context.WithoutCancel(ctx), acp.CreateElicitationRequest{Mode: formOf("")})
		asked <- err
		return "", err
	}}
	o := options()
	o.KeepHistory = true
	conn, p := connect(t, a, o)
	p.call("initialize", `{"protocolVersion":1}`)
	session := p.newSession()
	id := p.ask("session/prompt", prompt(session, "hi"))
	p.update("tool_call")
	p.asked("session/request_permission")
	p.send(notification("session/cancel", in(session)))
	if m := p.next(); m.Method != "$/cancel_request" {
		t.Errorf("got %s", m.text)
	}
	if end := p.update("tool_call_update"); end.Params.Update["status"] != "failed" {
		t.Errorf("got %s", end.text)
	}
	p.stopped(id, "cancelled")
	if err := <-asked; !errors.Is(err, agent.ErrCancelled) {
		t.Errorf("Elicit returned %v", err)
	}
	if turns := conn.Session(acp.SessionID(session)).History(); len(turns) != 1 || len(turns[0].Updates) != 0 {
		t.Errorf("the history is %+v", turns) // a question is no part of it, as an elicitation is not
	}
	p.silent()
}

// T2: a question that is open when Prompt returns has a final status before the answer, and the history knows nothing of it.
func TestT2_AQuestionDoesNotOutliveItsTurn(t *testing.T) {
	asked, begun := make(chan error, 1), make(chan struct{})
	a := &full{PromptFunc: func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		go func() {
			_, err := turn.Elicit(context.Background(), acp.CreateElicitationRequest{Mode: formOf("")})
			asked <- err
		}()
		<-begun
		return "", nil
	}}
	o := options()
	o.KeepHistory = true
	conn, p := connect(t, a, o)
	p.call("initialize", `{"protocolVersion":1}`)
	session := p.newSession()
	id := p.ask("session/prompt", prompt(session, "hi"))
	p.update("tool_call")
	p.asked("session/request_permission")
	close(begun)
	if end := p.update("tool_call_update"); end.Params.Update["status"] != "failed" {
		t.Errorf("got %s", end.text)
	}
	p.stopped(id, "end_turn")
	if err := <-asked; err == nil {
		t.Error("the question was answered")
	}
	if turns := conn.Session(acp.SessionID(session)).History(); len(turns) != 1 || len(turns[0].Updates) != 0 {
		t.Errorf("the history is %+v", turns)
	}
}

// Between turns a session asks so, too. What is about another session, or about none, is not asked in this one.
func TestASessionAsksByPermissionRequests(t *testing.T) {
	conn, p := connect(t, nothing, options())
	p.call("initialize", `{"protocolVersion":1}`)
	s := conn.Session(acp.SessionID(p.newSession()))
	p.stopped(p.ask("session/prompt", prompt(string(s.ID()), "hi")), "end_turn")
	done := make(chan string, 1)
	go func() {
		done <- outcome(s.Elicit(context.Background(), acp.CreateElicitationRequest{Mode: formOf("")}))
	}()
	p.update("tool_call")
	p.reply(p.asked("session/request_permission"), `{"outcome":{"outcome":"selected","optionId":"choice_1"}}`)
	p.update("tool_call_update")
	if got := <-done; got != "accept {}" {
		t.Errorf("got %s", got)
	}
	for _, scope := range []acp.ElicitationScope{&acp.ElicitationSessionScope{SessionID: "other"}, &acp.ElicitationRequestScope{}} {
		if _, err := s.Elicit(t.Context(), acp.CreateElicitationRequest{Mode: formOf(""), Scope: scope}); !errors.Is(err, acp.ErrUnsupported) {
			t.Errorf("%T: got %v", scope, err)
		}
	}
	if _, err := conn.Elicit(t.Context(), acp.CreateElicitationRequest{Mode: formOf("")}); !errors.Is(err, acp.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
	p.silent()
}
