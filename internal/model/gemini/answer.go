package gemini

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"google.golang.org/genai"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// unnamed begins the ids of calls that came without one. The API never sees them.
const unnamed = "unnamed-"

// apiID is a call's id as the API knows it, or empty.
func apiID(id string) string {
	if strings.HasPrefix(id, unnamed) {
		return ""
	}
	return id
}

// An answer is what a model has said so far.
type answer struct {
	m     *gemini
	made  *model.Calls
	tools []model.Tool

	parts   []*part // what the model wants to be told again, if signed
	signed  bool    // one of the parts has a signature
	spoken  bool    // there was text
	calls   int
	finish  genai.FinishReason
	message string // about the finish
	blocked string // why the prompt was; there is no answer
	why     string // it was refused
	usage   *usage
}

// take returns what a chunk says.
func (a *answer) take(data []byte) ([]model.Event, error) {
	var c chunk
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		return nil, a.garbage(data, err)
	}
	if len(c.Error) > 0 && c.Error.Kind() != 'n' {
		return nil, refusedIn(data)
	}
	if c.Usage != nil {
		a.usage = c.Usage // each one counts all so far
	}
	if f := c.Feedback; f.BlockReason != "" {
		a.blocked = f.BlockReason
		a.why = why(f.BlockReason, f.BlockMessage, f.Ratings)
	}
	var events []model.Event
	for _, candidate := range c.Candidates {
		if candidate.Index != 0 {
			continue // another answer, which nobody has asked for
		}
		if reason := genai.FinishReason(candidate.FinishReason); reason != "" && reason != genai.FinishReasonUnspecified {
			a.finish, a.message = reason, candidate.FinishMessage
			a.why = why(candidate.FinishReason, candidate.FinishMessage, candidate.Ratings)
		}
		for _, raw := range candidate.Content.Parts {
			event, err := a.part(raw)
			if err != nil {
				return events, a.garbage(data, err)
			}
			if event != nil {
				events = append(events, event)
			}
		}
	}
	if len(events) == 0 {
		events = append(events, model.Alive{})
	}
	return events, nil
}

func (a *answer) garbage(data []byte, err error) *model.Error {
	return &model.Error{Status: http.StatusOK, Final: true, Message: "it has sent what is no answer: " + string(data), Cause: err}
}

// part returns what a part says, or nil, and keeps the part.
func (a *answer) part(raw acp.Raw) (model.Event, error) {
	p, err := partOf(raw)
	if err != nil {
		return nil, err
	}
	a.keep(p)
	switch {
	case p.Call != nil:
		return a.call(p), nil
	case p.Text == "":
		return nil, nil
	case p.Thought:
		return model.Thought(p.Text), nil
	}
	a.spoken = true
	return model.Text(p.Text), nil
}

func (a *answer) call(p *part) model.Event {
	a.calls++
	call := a.made.New(named(p.Call.ID), p.Call.Name, p.written())
	p.named(call)
	return call
}

// named is a call's id, or one that the API never sees.
func named(id string) string {
	if id == "" {
		return unnamed + strings.ToLower(rand.Text())
	}
	return id
}

// keep remembers a part for the memo. The summaries of thoughts are for people, and don't go back unless they are signed.
func (a *answer) keep(p *part) {
	a.signed = a.signed || p.Signature != ""
	if p.Signature != "" || p.Call != nil || p.Text != "" && !p.Thought {
		a.parts = append(a.parts, p)
	}
}

// memo returns what the model wants to be told again. Pieces of text are joined; a part with a signature stays as it came.
func (a *answer) memo() *model.Memo {
	var parts []acp.Raw
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			parts = append(parts, marshal(map[string]string{"text": text.String()}))
			text.Reset()
		}
	}
	for _, p := range a.parts {
		if p.Call == nil && p.Signature == "" {
			text.WriteString(p.Text)
			continue
		}
		flush()
		parts = append(parts, p.raw)
	}
	flush()
	return &model.Memo{Provider: a.m.o.Provider, Model: a.m.o.Model, Data: marshal(parts)}
}

// ended reports whether the model has said that its answer is over. The end of the stream alone says nothing.
func (a *answer) ended() bool { return a.finish != "" || a.blocked != "" }

// end returns what is to be said after an answer that has ended.
func (a *answer) end() ([]model.Event, error) {
	var events []model.Event
	if call := a.malformed(); call != nil {
		a.finish, a.signed = genai.FinishReasonStop, false // a memo would lack the call
		a.calls++
		events = append(events, call)
	}
	stop, err := a.stop()
	if err != nil {
		return nil, err
	}
	if a.signed {
		events = append(events, a.memo())
	}
	if a.usage != nil {
		events = append(events, a.usage.event())
	}
	return append(events, stop), nil
}

// malformed is the call that the model has tried to make, if the API could not read it. What it has tried is in the message,
// in a language of its own; the name of the tool is somewhere in it.
func (a *answer) malformed() *model.Call {
	if a.finish != genai.FinishReasonMalformedFunctionCall || a.message == "" {
		return nil
	}
	name := ""
	if i := slices.IndexFunc(a.tools, func(t model.Tool) bool { return strings.Contains(a.message, t.Name) }); i >= 0 {
		name = a.tools[i].Name
	}
	return a.made.New(named(""), name, a.message)
}

// stop says why the answer has ended, or how it has failed.
func (a *answer) stop() (model.Stop, error) {
	if a.blocked != "" && a.finish == "" {
		return model.Stop{Reason: model.StopRefusal, Why: a.why}, nil
	}
	switch a.finish {
	case genai.FinishReasonStop:
		return a.whole()
	case genai.FinishReasonMaxTokens, genai.FinishReasonContinuation:
		return model.Stop{Reason: model.StopMaxTokens}, nil
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII, genai.FinishReasonImageSafety,
		genai.FinishReasonImageProhibitedContent, genai.FinishReasonImageRecitation:
		return model.Stop{Reason: model.StopRefusal, Why: a.why}, nil
	case genai.FinishReasonMalformedFunctionCall:
		return model.Stop{}, &model.Error{Message: "it has made a call that is malformed (MALFORMED_FUNCTION_CALL)"}
	case genai.FinishReasonUnexpectedToolCall:
		return model.Stop{}, &model.Error{Message: "it has called a tool that it doesn't have (" + a.why + ")"}
	}
	return model.Stop{}, &model.Error{Message: fmt.Sprintf("it has broken its answer off for the reason %s", a.why)}
}

// whole says how an answer ends that is whole. One that says nothing is none (T6); these models give it now and then, and a
// better one when asked again.
func (a *answer) whole() (model.Stop, error) {
	switch {
	case a.calls > 0:
		return model.Stop{Reason: model.StopCalls}, nil
	case a.spoken:
		return model.Stop{Reason: model.StopEnd}, nil
	}
	return model.Stop{}, &model.Error{Message: "its answer is empty"}
}
