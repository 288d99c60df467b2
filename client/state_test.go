package client

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

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
