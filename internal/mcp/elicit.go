package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

// maxAsking is how many questions of a server's may be open. Further ones are refused.
const maxAsking = 4

// An Elicitation is a question of a server's to the user. Its texts are the server's, without secrets.
type Elicitation struct {
	// Server is the name of the server that asks; the user has to be told.
	Server string

	// CallID is the Call.ID of the call that it asks for, if that is known: servers don't say, so it is empty if several of
	// its calls are under way, or none.
	CallID string

	// Message says what is asked for.
	Message string

	// Mode is a form, *acp.ElicitationFormMode, or a web page, *acp.ElicitationURLMode.
	Mode acp.ElicitationMode
}

// elicit passes a question on to the user.
func (s *server) elicit(ctx context.Context, l *live, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	o := &s.set.options
	question, err := s.question(p)
	if err != nil {
		return nil, err
	}
	if _, isPage := question.Mode.(*acp.ElicitationURLMode); isPage && !o.ElicitURL || !s.ask() {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	defer s.asked()
	l.questions.Add(1)
	defer l.questions.Add(-1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.over, cancel)()
	action, err := o.Elicit(ctx, question)
	if err != nil {
		s.set.options.Logger.Debug("MCP server", "server", s.name, "question", s.set.redactor.reason(err.Error()))
		return &sdk.ElicitResult{Action: "cancel"}, nil
	}
	return answer(action)
}

// declining answers the questions of servers that ask although they were told that nobody can be asked.
func declining(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if method == "elicitation/create" {
			return &sdk.ElicitResult{Action: "decline"}, nil
		}
		return next(ctx, method, r)
	}
}

// question reads what a server asks.
func (s *server) question(p *sdk.ElicitParams) (Elicitation, error) {
	r := s.set.redactor
	q := Elicitation{Server: s.name, CallID: s.onlyCall(), Message: cut(r.text(p.Message), maxDescription)}
	if p.Mode == "url" {
		q.Mode = &acp.ElicitationURLMode{ElicitationID: acp.ElicitationID(p.ElicitationID), URL: r.text(p.URL)}
		return q, nil
	}
	form := &acp.ElicitationFormMode{}
	text, err := json.Marshal(p.RequestedSchema)
	if err == nil && p.RequestedSchema != nil {
		_, err = acp.Decode(r.raw(text), &form.RequestedSchema)
	}
	if err != nil {
		return q, fmt.Errorf("the requested schema is none of a form: %w", err)
	}
	q.Mode = form
	return q, nil
}

// answer is what the user did, as servers are told.
func answer(action acp.ElicitationAction) (*sdk.ElicitResult, error) {
	switch a := action.(type) {
	case *acp.ElicitationAcceptAction:
		result := &sdk.ElicitResult{Action: "accept"}
		if a.Content != nil {
			result.Content = make(map[string]any, len(a.Content))
		}
		for name, value := range a.Content {
			var v any
			if err := json.Unmarshal(value.Raw, &v); err != nil {
				return nil, fmt.Errorf("the answer to %q can't be passed on: %w", name, err)
			}
			result.Content[name] = v
		}
		return result, nil
	case *acp.ElicitationDeclineAction:
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	return &sdk.ElicitResult{Action: "cancel"}, nil
}

// ask counts a question, unless there are too many. The clocks of calls stand still until asked.
func (s *server) ask() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking >= maxAsking {
		return false
	}
	s.asking++
	for _, c := range s.calls {
		c.clock.stop()
	}
	return true
}

func (s *server) asked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking--
	if s.asking > 0 {
		return
	}
	for _, c := range s.calls {
		c.clock.restart()
	}
}

// onlyCall returns the id of the call that is under way, if there is one only.
func (s *server) onlyCall() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls) != 1 {
		return ""
	}
	for _, c := range s.calls {
		return c.id
	}
	return ""
}
