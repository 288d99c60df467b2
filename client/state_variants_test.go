package client

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

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
