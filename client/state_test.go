package client

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
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

// variants has a script for each type of update: what comes, and what the State has then (S000.15, S004.8).
var variants = []struct {
	of         acp.SessionUpdate
	name       string
	come, have string
}{
	{&acp.UserMessageChunk{}, "a history repeats what the user said", `
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Say "},"messageId":"u1"}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"hello"},"messageId":"u1"}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"More"},"messageId":"u2"}`, `
user u1 "Say hello"
user u2 "More"`},
	{&acp.AgentMessageChunk{}, "texts are joined, other blocks stand between them", `
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"n","uri":"file:///n"}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"},"_meta":{"k":1},"timestamp":2}`, `
agent  "ab"+{"type":"resource_link","uri":"file:///n","name":"n"}+"c" {"k":1}{"timestamp":2}`},
	{&acp.AgentMessageChunk{}, "a text with annotations is a block of its own", `
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b","annotations":{"audience":["user"]}}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"}}`, `
agent  "a"+{"type":"text","text":"b","annotations":{"audience":["user"]}}+"c"`},
	{&acp.AgentMessageChunk{}, "a warning without an id is no part of a message with one", `
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"},"messageId":"m"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Warning: x"}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"."},"messageId":"m"}`, `
agent m "Done."
agent  "Warning: x"`},
	{&acp.AgentThoughtChunk{}, "another role is another message", `
{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Yes"}}
{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm"}}`, `
thought  "Hm"
agent  "Yes"
thought  "Hm"`},
	{&acp.ToolCall{}, "a call interrupts a message that has no id, but none that has one", `
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}
{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"t"},"messageId":"m"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"}}
{"sessionUpdate":"tool_call","toolCallId":"1","title":"Read","kind":"read"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"c"}}
{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"d"}}
{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"u"},"messageId":"m"}`, `
agent  "a"
thought m "tu"
agent  "b"
tool 1 "Read" read completed content=null at=null in= out=  announced=true
agent  "cd"`},
	{&acp.ToolCallUpdate{}, "absent and null keep, values replace, lists as a whole", `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"Run","kind":"execute","rawInput":{"a":1},"locations":[{"path":"/a"}],"content":[{"type":"content","content":{"type":"text","text":"x"}}]}
{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"in_progress","content":[{"type":"terminal","terminalId":"t"}],"_meta":{"a":1}}
{"sessionUpdate":"tool_call_update","toolCallId":"1","title":null,"content":null,"rawOutput":"ok","_meta":{"b":2}}`, `
tool 1 "Run" execute in_progress content=[{"type":"terminal","terminalId":"t"}] at=[{"path":"/a"}] in={"a":1} out="ok" {"a":1,"b":2}null announced=true`},
	{&acp.ToolCallUpdate{}, "F47: an update of a call that is not known begins it, and an announcement may follow", `
{"sessionUpdate":"tool_call_update","toolCallId":"1","status":"completed","title":"Late"}
{"sessionUpdate":"tool_call_update","toolCallId":"2","title":"Other"}
{"sessionUpdate":"tool_call","toolCallId":"1","title":"Now","kind":"edit"}`, `
tool 1 "Now" edit completed content=null at=null in= out=  announced=true
tool 2 "Other" - pending content=null at=null in= out=  announced=false`},
	{&acp.ToolCallUpdate{}, "S000.9: a final status goes back only when the agent says so", `
{"sessionUpdate":"tool_call","toolCallId":"1","title":"a","status":"failed"}
{"sessionUpdate":"tool_call_update","toolCallId":"1","title":"b"}
{"sessionUpdate":"tool_call","toolCallId":"2","title":"a","status":"completed"}
{"sessionUpdate":"tool_call_update","toolCallId":"2","status":"in_progress"}`, `
tool 1 "b" - failed content=null at=null in= out=  announced=true
tool 2 "a" - in_progress content=null at=null in= out=  announced=true`},
	{&acp.Plan{}, "a plan replaces the one before", `
{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}
{"sessionUpdate":"plan","entries":[{"content":"b","priority":"low","status":"completed"}]}`, `
plan  {"type":"items","planId":"","entries":[{"content":"a","priority":"high","status":"pending"}]} removed=false
plan  {"type":"items","planId":"","entries":[{"content":"b","priority":"low","status":"completed"}]} removed=false
now : {"type":"items","planId":"","entries":[{"content":"b","priority":"low","status":"completed"}]}`},
	{&acp.PlanUpdate{}, "several plans", `
{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"one"}}
{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"q","uri":"file:///q"}}
{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"two"}}
{"sessionUpdate":"plan_update","plan":{"type":"song","planId":"r"}}`, `
plan p {"type":"markdown","planId":"p","content":"one"} removed=false
plan q {"type":"file","planId":"q","uri":"file:///q"} removed=false
plan p {"type":"markdown","planId":"p","content":"two"} removed=false
plan r {"type":"song","planId":"r"} removed=false
now p: {"type":"markdown","planId":"p","content":"two"}
now q: {"type":"file","planId":"q","uri":"file:///q"}
now r: {"type":"song","planId":"r"}`},
	{&acp.PlanRemoved{}, "a plan goes", `
{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"one"}}
{"sessionUpdate":"plan_removed","planId":"p"}
{"sessionUpdate":"plan_removed","planId":"p"}`, `
plan p {"type":"markdown","planId":"p","content":"one"} removed=false
plan p null removed=true`},
	{&acp.AvailableCommandsUpdate{}, "S004.9: commands", `
{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"A"}]}
{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"b","description":"B","input":{"hint":"h"}}]}`, `
commands: [{"name":"b","description":"B","input":{"hint":"h"}}]`},
	{&acp.CurrentModeUpdate{}, "a mode is said twice and changes once", `
{"sessionUpdate":"current_mode_update","currentModeId":"plan"}
{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`, `
mode plan
mode: "plan"`},
	{&acp.ConfigOptionUpdate{}, "options", `
{"sessionUpdate":"config_option_update","configOptions":[{"id":"x","name":"X","type":"boolean","currentValue":false}]}
{"sessionUpdate":"config_option_update","configOptions":[{"id":"x","name":"X","type":"boolean","currentValue":true}]}`, `
config: [{"id":"x","name":"X","type":"boolean","currentValue":true}]`},
	{&acp.SessionInfoUpdate{}, "absent keeps, null clears", `
{"sessionUpdate":"session_info_update","title":"T","updatedAt":"2025-01-01T00:00:00Z"}
{"sessionUpdate":"session_info_update","title":null,"_meta":{"m":1}}`, `
info: {"Title":"","UpdatedAt":"2025-01-01T00:00:00Z","Meta":{"m":1},"Unknown":null}`},
	{&acp.UsageUpdate{}, "usage and cost", `
{"sessionUpdate":"usage_update","used":1,"size":10}
{"sessionUpdate":"usage_update","used":2,"size":10,"cost":{"amount":0.5,"currency":"USD"}}`, `
usage: {"sessionUpdate":"usage_update","used":2,"size":10,"cost":{"amount":0.5,"currency":"USD"}}`},
	{&acp.Notice{}, "a notice interrupts nothing", `
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}
{"sessionUpdate":"notice","severity":"warning","title":"Slow"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"b"}}`, `
agent  "ab"
notice warning "Slow"`},
	{&acp.CompactionUpdate{}, "a compaction is patched in its place", `
{"sessionUpdate":"compaction_update","compactionId":"c","status":"in_progress"}
{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}
{"sessionUpdate":"compaction_update","compactionId":"c","status":"failed","summary":[{"type":"text","text":"s"}],"error":"e","_meta":{"m":1}}
{"sessionUpdate":"compaction_update","compactionId":"d","status":"failed","summary":[{"type":"text","text":"s"}],"error":"e"}
{"sessionUpdate":"compaction_update","compactionId":"d","status":"completed","summary":null,"error":null}`, `
compaction c failed "s" "e" {"m":1}null
agent  "a"
compaction d completed  "" `},
	{&acp.CompactionSummaryChunk{}, "chunks build the summary", `
{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"a"}}
{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"b"}}
{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed"}`, `
compaction c completed "ab" "" `},
	{&acp.SubagentUpdate{}, "a child session", `
{"sessionUpdate":"subagent_update","sessionId":"c","title":"T","state":{"state":"running"},"cwd":"/w"}
{"sessionUpdate":"subagent_update","sessionId":"c","title":null,"state":{"state":"requires_action"}}
{"sessionUpdate":"subagent_update","sessionId":"c","state":{"state":"unknown"}}`, `
subagent c
child: {"SessionID":"c","Call":"","Parent":"","Title":"","Description":"","Type":"","Prompt":"","Continues":"","Command":"","Model":"","Tools":null,"Truncated":false,"Failure":"","Status":"","State":{"state":"requires_action"},"Unconfirmed":true,"Capabilities":null,"CWD":"/w","AdditionalDirectories":null,"Meta":null,"Unknown":null}`},
	{&acp.SessionMessage{}, "a message between sessions is patched", `
{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"a","recipientSessionId":"b","content":[{"type":"text","text":"x"}]}
{"sessionUpdate":"session_message","messageId":"m","senderMessageId":"n","recipientSessionId":null}`, `
between m a→ (n, ) "x"`},
	{&acp.SessionMessageChunk{}, "chunks may come before it is known who speaks", `
{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"x"}}
{"sessionUpdate":"session_message_chunk","messageId":"m","content":{"type":"text","text":"y"}}
{"sessionUpdate":"session_message","messageId":"m","senderSessionId":"a"}`, `
between m a→ (, ) "xy"`},
	{&acp.UnknownUpdate{}, "what is not known is kept", `
{"sessionUpdate":"state_update","state":"running"}`, `
unknown state_update {"sessionUpdate":"state_update","state":"running"}`},
}

func TestState(t *testing.T) {
	for _, v := range variants {
		t.Run(reflect.TypeOf(v.of).Elem().Name()+"/"+v.name, func(t *testing.T) {
			s := applied(t, v.come)
			same(t, show(s.Snapshot()), v.have)
		})
	}
}

// A new type of update in package acp needs a case in apply and a script here.
func TestStateHandlesEveryUpdate(t *testing.T) {
	have := map[string]bool{}
	for _, v := range variants {
		have[reflect.TypeOf(v.of).Elem().Name()] = true
		if !new(State).apply(v.of) {
			t.Errorf("State.apply does not know %T", v.of)
		}
	}
	files, err := filepath.Glob("../acp/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the sources of package acp: %v, %v", files, err)
	}
	found := 0
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			m, ok := d.(*ast.FuncDecl)
			if !ok || m.Recv == nil || m.Name.Name != "sessionUpdate" {
				continue
			}
			found++
			if name := m.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name; !have[name] {
				t.Errorf("acp.%s has no script", name)
			}
		}
	}
	if found < 20 {
		t.Errorf("found %d types of updates, want 20 at least", found)
	}
}

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

// S004.2: the answer that opens a session has modes, options, and models beside the protocol.
func TestStateBegin(t *testing.T) {
	var resp acp.NewSessionResponse
	if err := json.Unmarshal([]byte(`{"sessionId":"s","modes":{"currentModeId":"m","availableModes":[{"id":"m","name":"M"}]},
		"configOptions":[{"id":"x","name":"X","type":"boolean","currentValue":true}],
		"models":{"currentModelId":"p/a","availableModels":[{"modelId":"p/a","name":"A","_meta":{}},3,{"modelId":"p/b","name":"B","description":null}]}}`), &resp); err != nil {
		t.Fatal(err)
	}
	var s State
	s.Begin(resp.Modes, resp.ConfigOptions, resp.Unknown)
	s.Begin(nil, nil, nil)
	s.SetModel("p/b")
	same(t, show(s.Snapshot()), `
mode: "m"
modes: [{"id":"m","name":"M"}]
config: [{"id":"x","name":"X","type":"boolean","currentValue":true}]
models: {"Current":"p/b","Available":[{"ID":"p/a","Name":"A","Description":"","Raw":{"modelId":"p/a","name":"A","_meta":{}}},{"ID":"p/b","Name":"B","Description":"","Raw":{"modelId":"p/b","name":"B","description":null}}]}`)
}

func TestStatePromptAndEcho(t *testing.T) {
	for name, c := range map[string]struct{ come, have string }{
		"no echo": {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}`, `
user  "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
agent  "Hi"`},
		"the same in chunks": {`
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Look"},"messageId":"m"}
{"sessionUpdate":"usage_update","used":0,"size":0}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":" at this"},"messageId":"m"}
{"sessionUpdate":"user_message_chunk","content":{"type":"resource_link","name":"n","uri":"u"},"messageId":"m"}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"(expanded)"},"messageId":"m"}`, `
user m "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
usage: {"sessionUpdate":"usage_update","used":0,"size":0}`},
		"somebody else": {`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Looking"}}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Look"}}`, `
user  "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
user  "Looking"`},
		"too late": {`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}
{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Look"}}`, `
user  "Look at "+"this"+{"type":"resource_link","uri":"u","name":"n"}  sent
agent  "Hi"
user  "Look"`},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			s.UserPrompt(acp.Text("Look at "), acp.Text("this"), acp.Link("n", "u"))
			for _, u := range read(t, c.come) {
				s.Apply(u)
			}
			same(t, show(s.Snapshot()), c.have)
			if text := s.Messages().At(0).Text(); text != "Look at this" {
				t.Errorf("the prompt's text is %q", text)
			}
		})
	}
}

func TestStateEndTurnBeginsAnotherMessage(t *testing.T) {
	s := applied(t, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`)
	s.EndTurn()
	s.Apply(acp.AgentText("b"))
	same(t, show(s.Snapshot()), `
agent  "a"
agent  "b"`)
}

func TestStateTrim(t *testing.T) {
	var s State
	for i := range 100 {
		s.Apply(&acp.AgentMessageChunk{Content: acp.Text("m"), MessageID: acp.MessageID(fmt.Sprint(i))})
		s.Apply(&acp.ToolCall{ToolCallID: acp.ToolCallID(fmt.Sprint(i)), Title: "t"})
		s.Apply(&acp.Notice{Title: "n"})
		s.Apply(&acp.UnknownUpdate{Type: "u"})
		s.Apply(&acp.CompactionSummaryChunk{CompactionID: acp.CompactionID(fmt.Sprint(i))})
		s.Apply(&acp.SessionMessageChunk{MessageID: acp.MessageID(fmt.Sprint(i))})
	}
	before := s.Snapshot()
	s.Trim(7)
	s.Apply(&acp.AgentMessageChunk{Content: acp.Text("again"), MessageID: "5"})
	s.Apply(&acp.AgentMessageChunk{Content: acp.Text("+"), MessageID: "99"})
	s.Apply(&acp.ToolCallUpdate{ToolCallID: "99", Title: acp.Some("last")})
	same(t, show(s.Snapshot()), `
between 98 → (, ) 
agent 99 "m+"
tool 99 "last" - pending content=null at=null in= out=  announced=true
notice  "n"
unknown u 
compaction 99   "" 
between 99 → (, ) 
agent 5 "again"`)
	if before.Timeline.Len() != 600 || before.ToolCalls.At(99).Title != "t" {
		t.Error("an earlier snapshot has changed")
	}
	s.Trim(0)
	if n := s.Timeline().Len() + s.Messages().Len() + s.ToolCalls().Len(); n != 0 {
		t.Errorf("%d things are left", n)
	}
	s.Apply(acp.AgentText("x"))
	same(t, show(s.Snapshot()), `agent  "x"`)
}

func TestStateIsReadWhileItGrows(t *testing.T) {
	var s State
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 3 {
		readers.Go(func() {
			for {
				last := s.Snapshot()
				if last.Messages.Len() > 0 && strings.Trim(last.Messages.At(0).Text(), "x") != "" {
					t.Error("a text is torn")
				}
				_ = show(last)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for i := range 500 {
		s.Apply(acp.AgentText("x"))
		s.Apply(&acp.ToolCallUpdate{ToolCallID: acp.ToolCallID(fmt.Sprint(i % 70)), Title: acp.Some(fmt.Sprint(i))})
	}
	close(done)
	readers.Wait()
}

// Each method that returns a part returns what the whole has.
func TestStateParts(t *testing.T) {
	var lines []string
	for _, v := range variants {
		lines = append(lines, strings.TrimSpace(v.come))
	}
	s := applied(t, strings.Join(lines, "\n"))
	s.SetModes(&acp.SessionModeState{CurrentModeID: "m", AvailableModes: []acp.SessionMode{{ID: "m", Name: "M"}}})
	s.SetModes(nil)
	s.SetModel("x")
	w := s.Snapshot()
	for name, pair := range map[string][2]any{
		"timeline":         {s.Timeline().Slice(), w.Timeline.Slice()},
		"messages":         {s.Messages().Slice(), w.Messages.Slice()},
		"tool calls":       {s.ToolCalls().Slice(), w.ToolCalls.Slice()},
		"notices":          {s.Notices().Slice(), w.Notices.Slice()},
		"compactions":      {s.Compactions().Slice(), w.Compactions.Slice()},
		"session messages": {s.SessionMessages().Slice(), w.Exchanges.Slice()},
		"unknown":          {s.Unknown().Slice(), w.Unknown.Slice()},
		"plans":            {s.Plans(), w.Plans},
		"plan":             {s.Plan(), w.Plans[0].Entries()},
		"subagents":        {s.Subagents(), w.Subagents},
		"commands":         {s.Commands(), w.Commands},
		"mode":             {s.Mode(), acp.SessionModeID("m")},
		"modes":            {s.Modes(), w.Modes},
		"config":           {s.Config(), w.Config},
		"models":           {s.Models(), Models{Current: "x"}},
		"usage":            {s.Usage(), w.Usage},
		"info":             {s.Info(), w.Info},
		"title":            {s.Title(), w.Info.Title},
	} {
		if v := reflect.ValueOf(pair[1]); name != "title" && v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
			t.Errorf("%s: nothing to compare", name)
		}
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
}

// A lone plan is the plan, whether it has an id or not; of several there is none.
func TestStatePlan(t *testing.T) {
	s := applied(t, `{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"a","priority":"low","status":"pending"}]}}`)
	if p := s.Plan(); len(p) != 1 || p[0].Content != "a" {
		t.Errorf("the only plan: %s", asJSON(p))
	}
	s.Apply(&acp.PlanUpdate{Plan: &acp.PlanMarkdown{PlanID: "q"}})
	if p := s.Plan(); p != nil {
		t.Errorf("one of two plans: %s", asJSON(p))
	}
}

func TestStateRevision(t *testing.T) {
	var s State
	s.Apply(nil)
	if s.Revision() != 0 {
		t.Error("no update counts as one")
	}
	s.Apply(acp.AgentText("x"))
	if s.Revision() != 1 || s.Snapshot().Revision != 1 {
		t.Errorf("revision %d after an update", s.Revision())
	}
}
