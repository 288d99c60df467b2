package client

import (
	"testing"
)

// In version 2 null clears a member of a tool call.
func TestStateNullClears(t *testing.T) {
	s := &State{NullClears: true}
	for _, u := range read(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"Run","kind":"execute","status":"completed","rawInput":{"a":1},"rawOutput":1,"locations":[{"path":"/a"}],"content":[{"type":"terminal","terminalId":"t"}]}
{"sessionUpdate":"tool_call_update","toolCallId":"1","title":null,"kind":null,"status":null,"rawOutput":null,"locations":null,"content":null}`) {
		s.Apply(u)
	}
	same(t, show(s.Snapshot()), `tool 1 "" - pending content=null at=null in={"a":1} out=  announced=true`)
}

// S000.11, S004.8: diffs, terminals, text and the reason of a failure are at hand.
func TestStateToolOutput(t *testing.T) {
	s := applied(t, `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"Edit","status":"failed","rawOutput":{"error":"no space"},"content":[{"type":"diff","path":"/a","newText":"n"},{"type":"terminal","terminalId":"t"},{"type":"content","content":{"type":"text","text":"x"}},{"type":"content","content":{"type":"text","text":"y"}}]}`)
	c := s.ToolCall("1")
	if d := c.Diffs(); len(d) != 1 || d[0].Path != "/a" || d[0].OldText != nil {
		t.Errorf("diffs: %s", asJSON(d))
	}
	if ids := c.Terminals(); len(ids) != 1 || ids[0] != "t" {
		t.Errorf("terminals: %v", ids)
	}
	if c.Text() != "xy" || c.Failure() != "no space" {
		t.Errorf("text %q, failure %q", c.Text(), c.Failure())
	}
	if s.ToolCall("2") != nil {
		t.Error("there is a call 2")
	}
}
