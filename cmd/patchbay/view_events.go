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
		Opened    beginning           `json:"opened"`
		Replaced  acp.SessionID       `json:"replaced,omitzero"`
		Cwd       string              `json:"cwd"`
		Agent     *acp.Implementation `json:"agent,omitzero"`
	}
	updateEvent struct {
		Type      string        `json:"type"` // update
		SessionID acp.SessionID `json:"sessionId"`
		History   bool          `json:"history,omitzero"`
		Update    acp.Raw       `json:"update"` // as in the protocol
	}
	permissionEvent struct {
		Type       string                   `json:"type"` // permission
		ToolCallID acp.ToolCallID           `json:"toolCallId"`
		Title      string                   `json:"title"`
		Kind       acp.ToolKind             `json:"kind,omitzero"`
		Allowed    bool                     `json:"allowed"`
		By         string                   `json:"by"`
		Rule       string                   `json:"rule,omitzero"`
		OptionID   acp.PermissionOptionID   `json:"optionId,omitzero"`
		OptionKind acp.PermissionOptionKind `json:"optionKind,omitzero"`
	}
	noteEvent struct {
		Type string `json:"type"` // note
		Text string `json:"text"`
	}
	endEvent struct {
		Type string `json:"type"` // end
		ending
	}
)

func (v *eventView) begin(o *outcome) {
	v.event(&startEvent{"start", o.session.ID(), o.beginning, o.replaced, o.session.CWD(), o.agent})
}

func (v *eventView) update(s *client.Session, u acp.SessionUpdate)  { v.updated(s, u, false) }
func (v *eventView) history(s *client.Session, u acp.SessionUpdate) { v.updated(s, u, true) }

func (v *eventView) updated(s *client.Session, u acp.SessionUpdate, history bool) {
	// Only within a notification an update says of what type it is.
	text, err := json.Marshal(&acp.SessionNotification{SessionID: s.ID(), Update: u}, jsonOptions)
	if err != nil {
		v.note("an update is missing: " + err.Error())
		return
	}
	v.event(&updateEvent{"update", s.ID(), history, rawjson.Get(text, "update")})
}

func (v *eventView) question(*client.Session, *client.ToolCall) bool { return false }

func (v *eventView) decided(d *decision) {
	e := permissionEvent{Type: "permission", ToolCallID: d.call.ID, Title: titleOf(d.call), Kind: d.call.Kind, Allowed: d.allowed, By: d.by, Rule: d.rule}
	if d.option != nil {
		e.OptionID, e.OptionKind = d.option.OptionID, d.option.Kind
	}
	v.event(&e)
}

func (v *eventView) note(text string) { v.event(&noteEvent{"note", text}) }

func (v *eventView) end(o *outcome) error { return v.print(&endEvent{"end", newEnding(o)}) }

// event prints an event. What is wrong with the output, failed says.
func (v *eventView) event(e any) { _ = v.print(e) }
