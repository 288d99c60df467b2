package client

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
)

// A heard is what a session's updates say, collected in the plainest way.
type heard struct {
	state    State
	texts    map[messageKey]string
	calls    []acp.ToolCallID // in order of appearance
	statuses map[acp.ToolCallID]acp.ToolCallStatus
	plan     []acp.PlanEntry
	commands []acp.AvailableCommand
	notices  int
	unknown  int
}

func (h *heard) hear(u acp.SessionUpdate) {
	h.state.Apply(u)
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		h.texts[messageKey{RoleUser, u.MessageID}] += textOf(u.Content)
	case *acp.AgentMessageChunk:
		h.texts[messageKey{RoleAgent, u.MessageID}] += textOf(u.Content)
	case *acp.AgentThoughtChunk:
		h.texts[messageKey{RoleThought, u.MessageID}] += textOf(u.Content)
	case *acp.ToolCall:
		h.call(u.ToolCallID, u.Status)
	case *acp.ToolCallUpdate:
		h.call(u.ToolCallID, u.Status.Or(""))
	case *acp.Plan:
		h.plan = u.Entries
	case *acp.AvailableCommandsUpdate:
		h.commands = u.AvailableCommands
	case *acp.Notice:
		h.notices++
	case *acp.UnknownUpdate:
		h.unknown++
	}
}

func textOf(block acp.ContentBlock) string {
	if text, ok := block.(*acp.TextContent); ok {
		return text.Text
	}
	return ""
}

func (h *heard) call(id acp.ToolCallID, status acp.ToolCallStatus) {
	if !slices.Contains(h.calls, id) {
		h.calls = append(h.calls, id)
		h.statuses[id] = acp.ToolCallStatusPending
	}
	if status != "" {
		h.statuses[id] = status
	}
}

// check compares what was heard with what the State has.
func (h *heard) check(t *testing.T) {
	s := h.state.Snapshot()
	texts := map[messageKey]string{}
	for _, m := range s.Messages.All() {
		texts[messageKey{m.Role, m.ID}] += m.Text()
	}
	var calls []acp.ToolCallID
	for _, c := range s.ToolCalls.All() {
		calls = append(calls, c.ID)
		if c.Status != h.statuses[c.ID] {
			t.Errorf("call %s is %s, want %s", c.ID, c.Status, h.statuses[c.ID])
		}
	}
	for _, diff := range []string{cmp.Diff(h.texts, texts, cmp.AllowUnexported(messageKey{})), cmp.Diff(h.calls, calls), cmp.Diff(asJSON(h.plan), asJSON(h.state.Plan())), cmp.Diff(asJSON(h.commands), asJSON(s.Commands))} {
		if diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if s.Notices.Len() != h.notices || s.Unknown.Len() != h.unknown {
		t.Errorf("%d notices and %d unknown updates, want %d and %d", s.Notices.Len(), s.Unknown.Len(), h.notices, h.unknown)
	}
	kinds := 0
	for _, e := range s.Timeline.All() {
		switch e.(type) {
		case nil:
			t.Error("the timeline has a hole")
		case *Message, *ToolCall:
			kinds++
		}
	}
	if kinds != s.Messages.Len()+s.ToolCalls.Len() {
		t.Errorf("the timeline has %d messages and calls, the lists %d", kinds, s.Messages.Len()+s.ToolCalls.Len())
	}
}

// What real agents have sent, as recorded in the folder transcripts of PATCHBAY_CORPUS: .ndjson files with a JSON object a line: who
// sent it (dir) and what (msg). A replayed history repeats message ids, so that texts are compared per role only.
func TestStateOfRealAgents(t *testing.T) {
	folder := os.Getenv("PATCHBAY_CORPUS")
	if folder == "" {
		t.Skip("PATCHBAY_CORPUS is not set: it names a folder with transcripts of real peers, which are not in the repository")
	}
	files, err := filepath.Glob(filepath.Join(folder, "transcripts", "*.ndjson"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in PATCHBAY_CORPUS=%s: %v", folder, err)
	}
	updates := 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ndjson"), func(t *testing.T) {
			for _, h := range hearAll(t, file, &updates) {
				h.check(t)
			}
		})
	}
	if updates < 1000 {
		t.Errorf("only %d updates in %d files", updates, len(files))
	}
}

// hearAll returns the sessions of a transcript. One that is loaded begins anew, as it does in a client.
func hearAll(t *testing.T, file string, updates *int) []*heard {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []*heard
	open := map[acp.SessionID]*heard{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var record struct {
			Msg struct {
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			} `json:"msg"`
		}
		if json.Unmarshal(lines.Bytes(), &record) != nil {
			continue // a transcript has other lines, too
		}
		switch record.Msg.Method {
		case acp.MethodSessionLoad:
			var req acp.LoadSessionRequest
			if json.Unmarshal(record.Msg.Params, &req) == nil {
				delete(open, req.SessionID)
			}
		case acp.MethodSessionUpdate:
			var n acp.SessionNotification
			if err := json.Unmarshal(record.Msg.Params, &n); err != nil {
				t.Errorf("%s: %v", record.Msg.Params, err)
				continue
			}
			*updates++
			h := open[n.SessionID]
			if h == nil {
				h = &heard{texts: map[messageKey]string{}, statuses: map[acp.ToolCallID]acp.ToolCallStatus{}}
				open[n.SessionID] = h
				all = append(all, h)
			}
			h.hear(n.Update)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
