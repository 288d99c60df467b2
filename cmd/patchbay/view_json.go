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

func (v *jsonView) begin(*acp.Implementation, *client.Session)      {}
func (v *jsonView) update(*client.Session, acp.SessionUpdate)       {}
func (v *jsonView) question(*client.Session, *client.ToolCall) bool { return false }
func (v *jsonView) decided(*decision)                               {}
func (v *jsonView) note(text string)                                { warn(text) }

// warn prints a note beside formats that have no place for one.
func warn(text string) { fmt.Fprintln(os.Stderr, "patchbay:", cleanLine(text)) }

// A report is what --format json prints. docs/run.md is its reference.
type report struct {
	Agent      *acp.Implementation `json:"agent,omitzero"`
	SessionID  acp.SessionID       `json:"sessionId,omitzero"`
	Text       string              `json:"text"`
	ToolCalls  []reportedCall      `json:"toolCalls"`
	Denied     []denial            `json:"denied"`
	StopReason acp.StopReason      `json:"stopReason,omitzero"`
	Usage      *acp.Usage          `json:"usage,omitzero"`
	ExitCode   int                 `json:"exitCode"`
	reportedError
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
	r := report{Agent: o.agent, ToolCalls: []reportedCall{}, Denied: append([]denial{}, o.denied...)}
	if o.session != nil {
		r.SessionID = o.session.ID()
		r.fill(o.session.State())
	}
	if o.result != nil {
		r.StopReason, r.Usage = o.result.StopReason, o.result.Usage
	}
	if o.end != nil {
		r.ExitCode, r.reportedError = o.end.code, newReportedError(o.end)
	}
	return v.print(&r, jsontext.WithIndent("  "))
}

// fill takes the agent's words and tool calls from the state of a session. Messages are parted by an empty line.
func (r *report) fill(s *client.State) {
	for _, m := range s.Messages().All() {
		if m.Role != client.RoleAgent {
			continue
		}
		if r.Text != "" {
			r.Text += "\n\n"
		}
		r.Text += strings.TrimRight(m.Text(), "\n")
	}
	for _, c := range s.ToolCalls().All() {
		r.ToolCalls = append(r.ToolCalls, reportedCall{c.ID, c.Title, c.Kind, c.Status, c.Locations, c.Content, c.RawInput, c.RawOutput})
	}
}

// print writes a value and a line feed.
func (o *output) print(value any, opts ...json.Options) error {
	text, err := json.Marshal(value, append(opts, jsonOptions)...)
	if err != nil {
		return err
	}
	o.write(append(text, '\n'))
	return o.err
}
