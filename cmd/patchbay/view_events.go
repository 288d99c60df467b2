package main

import (
	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// An eventView prints one object an event, when it happens. docs/run.md is the reference of the events.
type eventView struct {
	*output
}

// The events. Their member type comes first.
type (
	startEvent struct {
		Type      string              `json:"type"` // start
		SessionID acp.SessionID       `json:"sessionId"`
		Cwd       string              `json:"cwd"`
		Agent     *acp.Implementation `json:"agent,omitzero"`
	}
	updateEvent struct {
		Type      string        `json:"type"` // update
		SessionID acp.SessionID `json:"sessionId"`
		Update    acp.Raw       `json:"update"` // as in the protocol
	}
	permissionEvent struct {
		Type       string                   `json:"type"` // permission
		ToolCallID acp.ToolCallID           `json:"toolCallId"`
		Title      string                   `json:"title"`
		Kind       acp.ToolKind             `json:"kind,omitzero"`
		Allowed    bool                     `json:"allowed"`
		By         string                   `json:"by"`
		OptionID   acp.PermissionOptionID   `json:"optionId,omitzero"`
		OptionKind acp.PermissionOptionKind `json:"optionKind,omitzero"`
	}
	noteEvent struct {
		Type string `json:"type"` // note
		Text string `json:"text"`
	}
	endEvent struct {
		Type       string         `json:"type"` // end
		StopReason acp.StopReason `json:"stopReason,omitzero"`
		Usage      *acp.Usage     `json:"usage,omitzero"`
		Denied     []denial       `json:"denied"`
		ExitCode   int            `json:"exitCode"`
		reportedError
	}
)

func (v *eventView) begin(agent *acp.Implementation, s *client.Session) {
	v.event(&startEvent{"start", s.ID(), s.CWD(), agent})
}

func (v *eventView) update(s *client.Session, u acp.SessionUpdate) {
	// Only within a notification an update says of what type it is.
	text, err := json.Marshal(&acp.SessionNotification{SessionID: s.ID(), Update: u}, jsonOptions)
	if err != nil {
		v.note("an update is missing: " + err.Error())
		return
	}
	v.event(&updateEvent{"update", s.ID(), rawjson.Get(text, "update")})
}

func (v *eventView) question(*client.Session, *client.ToolCall) bool { return false }

func (v *eventView) decided(d *decision) {
	e := permissionEvent{Type: "permission", ToolCallID: d.call.ID, Title: titleOf(d.call), Kind: d.call.Kind, Allowed: d.allowed, By: d.by}
	if d.option != nil {
		e.OptionID, e.OptionKind = d.option.OptionID, d.option.Kind
	}
	v.event(&e)
}

func (v *eventView) note(text string) { v.event(&noteEvent{"note", text}) }

func (v *eventView) end(o *outcome) error {
	e := endEvent{Type: "end", Denied: append([]denial{}, o.denied...)}
	if o.result != nil {
		e.StopReason, e.Usage = o.result.StopReason, o.result.Usage
	}
	if o.end != nil {
		e.ExitCode, e.reportedError = o.end.code, newReportedError(o.end)
	}
	return v.print(&e)
}

// event prints an event. What is wrong with the output, failed says.
func (v *eventView) event(e any) { _ = v.print(e) }
