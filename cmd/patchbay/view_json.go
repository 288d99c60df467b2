package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// jsonOptions are how everything is printed. The agent's own JSON may hold what is not quite legal.
var jsonOptions = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// A jsonView prints one object at the end.
type jsonView struct{ *output }

func (v *jsonView) begin(*outcome)                                  {}
func (v *jsonView) history(*client.Session, acp.SessionUpdate)      {}
func (v *jsonView) update(*client.Session, acp.SessionUpdate)       {}
func (v *jsonView) question(*client.Session, *client.ToolCall) bool { return false }
func (v *jsonView) decided(*decision)                               {}
func (v *jsonView) note(text string)                                { warn(text) }

// warn prints a note beside formats that have no place for one.
func warn(text string) { fmt.Fprintln(os.Stderr, "patchbay:", cleanLine(text)) }

// A report is what --format json prints. docs/run.md is its reference.
type report struct {
	Agent     *acp.Implementation `json:"agent,omitzero"`
	Text      string              `json:"text"`
	ToolCalls []reportedCall      `json:"toolCalls"`
	ending
}

// An ending is what is to be said of a run when it is over.
type ending struct {
	SessionID    acp.SessionID      `json:"sessionId,omitzero"`
	Opened       beginning          `json:"opened,omitzero"`
	Replaced     acp.SessionID      `json:"replaced,omitzero"`
	Answer       string             `json:"answer"`
	Denied       []denial           `json:"denied"`
	FilesChanged []string           `json:"filesChanged"`
	StopReason   acp.StopReason     `json:"stopReason,omitzero"`
	Usage        *acp.Usage         `json:"usage,omitzero"`
	Cost         *acp.Cost          `json:"cost,omitzero"`
	Subagents    []reportedSubagent `json:"subagents,omitzero"`
	DurationMS   int64              `json:"durationMs"`
	ExitCode     int                `json:"exitCode"`
	reportedError
}

func newEnding(o *outcome) ending {
	e := ending{
		Opened: o.beginning, Replaced: o.replaced, Denied: append([]denial{}, o.denied...), FilesChanged: append([]string{}, o.changed...),
		Cost: o.cost, DurationMS: o.took.Milliseconds(),
	}
	if o.session != nil {
		e.SessionID, e.Answer = o.session.ID(), o.answer()
		e.Subagents = subagentsSince(o.subagents, reportSubagents(o.session.State().SubagentTree()))
	}
	if o.result != nil {
		e.StopReason, e.Usage = o.result.StopReason, o.result.Usage
	}
	if o.end != nil {
		e.ExitCode, e.reportedError = o.end.code, newReportedError(o.end)
	}
	return e
}

// A reportedError says what went wrong, if anything has. The code and the data are those of the agent's answer, from which a
// program can tell a rate limit from a wrong key (F157, F168).
type reportedError struct {
	Error     string  `json:"error,omitzero"`
	ErrorCode int     `json:"errorCode,omitzero"`
	ErrorData acp.Raw `json:"errorData,omitzero"`
}

func newReportedError(end *exitError) reportedError {
	r := reportedError{Error: end.Error()}
	if sent, ok := errors.AsType[*acp.Error](end); ok {
		r.ErrorCode, r.ErrorData = sent.Code, sent.Data
	}
	return r
}

// A reportedCall is a tool call as it was at the end.
type reportedCall struct {
	ToolCallID acp.ToolCallID         `json:"toolCallId"`
	Title      string                 `json:"title"`
	Kind       acp.ToolKind           `json:"kind,omitzero"`
	Status     acp.ToolCallStatus     `json:"status"`
	Locations  []acp.ToolCallLocation `json:"locations,omitzero"`
	Content    []acp.ToolCallContent  `json:"content,omitzero"`
	RawInput   acp.Raw                `json:"rawInput,omitzero"`
	RawOutput  acp.Raw                `json:"rawOutput,omitzero"`
}

func (v *jsonView) end(o *outcome) error {
	r := report{Agent: o.agent, ToolCalls: []reportedCall{}, ending: newEnding(o)}
	if o.session == nil {
		return v.print(&r, jsontext.WithIndent("  "))
	}
	r.Text = strings.Join(o.messages(), "\n\n")
	for i, c := range o.session.State().ToolCalls().All() {
		if i >= o.called {
			r.ToolCalls = append(r.ToolCalls, reportedCall{c.ID, c.Title, c.Kind, c.Status, c.Locations, c.Content, c.RawInput, c.RawOutput})
		}
	}
	return v.print(&r, jsontext.WithIndent("  "))
}

// messages returns what the agent has said in the turn, message by message, without its thoughts.
func (o *outcome) messages() (list []string) {
	for i, m := range o.session.State().Messages().All() {
		if text := strings.TrimRight(m.Text(), "\n"); i >= o.said && m.Role == client.RoleAgent && text != "" {
			list = append(list, text)
		}
	}
	return list
}

// answer returns the last message of the turn, which is what an agent says when its work is done.
func (o *outcome) answer() string {
	all := o.messages()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}

// print writes a value and a line feed.
func (o *output) print(value any, opts ...json.Options) error {
	text, err := json.Marshal(value, append(opts, jsonOptions)...)
	if err != nil {
		return err
	}
	o.write(append(harmlessJSON(text), '\n'))
	return o.err
}
