package client

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
)

// show writes what a snapshot has, a line an entry and a line a setting.
func show(s Snapshot) string {
	var b strings.Builder
	for _, e := range s.Timeline.All() {
		b.WriteString(showEntry(e) + "\n")
	}
	line := func(name string, some bool, v any) {
		if some {
			fmt.Fprintf(&b, "%s: %s\n", name, asJSON(v))
		}
	}
	for _, p := range s.Plans {
		line("now "+string(p.ID), true, p.Content)
	}
	for _, a := range s.Subagents {
		line("child", true, a)
	}
	line("commands", s.Commands != nil, s.Commands)
	line("mode", s.Mode != "", s.Mode)
	line("modes", s.Modes != nil, s.Modes)
	line("config", s.Config != nil, s.Config)
	line("models", s.Models.Current != "", s.Models)
	line("usage", s.Usage != nil, s.Usage)
	line("info", !reflect.DeepEqual(s.Info, Info{}), s.Info)
	return b.String()
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func showEntry(e Entry) string {
	switch e := e.(type) {
	case *Message:
		return strings.TrimSpace(fmt.Sprintf("%s %s %s %s %s", e.Role, e.ID, showBody(e.Body), showMore(e.Meta, e.Unknown), map[bool]string{true: "sent"}[e.Sent]))
	case *ToolCall:
		return fmt.Sprintf("tool %s %q %s %s content=%s at=%s in=%s out=%s %s announced=%t", e.ID, e.Title, or(e.Kind, "-"), e.Status,
			asJSON(e.Content), asJSON(e.Locations), string(e.RawInput), string(e.RawOutput), showMore(e.Meta, e.Unknown), e.Announced)
	case *Plan:
		return fmt.Sprintf("plan %s %s removed=%t", e.ID, asJSON(e.Content), e.Removed)
	case *Notice:
		return fmt.Sprintf("notice %s %q", e.Severity, e.Title)
	case *Compaction:
		return fmt.Sprintf("compaction %s %s %s %q %s", e.ID, e.Status, showBody(e.Summary), e.Error, showMore(e.Meta, e.Unknown))
	case *ModeChange:
		return "mode " + string(e.Mode)
	case *Subagent:
		return "subagent " + string(e.SessionID)
	case *SessionMessage:
		return fmt.Sprintf("between %s %s→%s (%s, %s) %s", e.ID, e.Sender, e.Recipient, e.SenderMessageID, e.RecipientMessageID, showBody(e.Body))
	case *Unknown:
		return fmt.Sprintf("unknown %s %s", e.Update.Type, string(e.Update.Raw))
	}
	return fmt.Sprintf("%T?", e)
}

func showBody(b Body) string {
	var parts []string
	for _, block := range b.Blocks() {
		if text, ok := block.(*acp.TextContent); ok && text.Annotations == nil {
			parts = append(parts, fmt.Sprintf("%q", text.Text))
			continue
		}
		parts = append(parts, asJSON(block))
	}
	return strings.Join(parts, "+")
}

func showMore(meta acp.Meta, unknown acp.Unknown) string {
	if len(meta)+len(unknown) == 0 {
		return ""
	}
	return asJSON(meta) + asJSON(unknown)
}

// read decodes updates, one a line.
func read(t testing.TB, lines string) []acp.SessionUpdate {
	t.Helper()
	var updates []acp.SessionUpdate
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		var n acp.SessionNotification
		if err := json.Unmarshal([]byte(`{"sessionId":"s","update":`+strings.TrimSpace(line)+`}`), &n); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		updates = append(updates, n.Update)
	}
	return updates
}

func applied(t testing.TB, lines string) *State {
	t.Helper()
	s := new(State)
	for _, u := range read(t, lines) {
		s.Apply(u)
	}
	return s
}

func same(t *testing.T, got, want string) {
	t.Helper()
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
