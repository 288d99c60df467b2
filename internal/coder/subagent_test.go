package coder_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/patchbay-dev/patchbay/acp"
	ourclient "github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// An actor is a model that answers each request by what stands in it, since several subagents may ask at the same time.
type actor struct {
	answer func(ctx context.Context, r *model.Request) []any

	mu       sync.Mutex
	requests []*model.Request
}

func (a *actor) Info() model.Info {
	return model.Info{Name: "actor/one", Provider: "actor", Title: "Actor", ContextTokens: 100_000}
}

func (a *actor) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	a.mu.Lock()
	a.requests = append(a.requests, r)
	a.mu.Unlock()
	return func(yield func(model.Event, error) bool) {
		for _, each := range a.answer(ctx, r) {
			if err, failed := each.(error); failed {
				yield(nil, err)
				return
			}
			if !yield(each.(model.Event), nil) {
				return
			}
		}
	}
}

// about returns the requests of the conversation that begins with a prompt.
func (a *actor) about(prompt string) (list []*model.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range a.requests {
		if first(r) == prompt {
			list = append(list, r)
		}
	}
	return list
}

// first is what a conversation begins with.
func first(r *model.Request) string { return r.Messages[0].Content[0].(*acp.TextContent).Text }

// lastOf is the last message that a request has: what was asked, or what came of calls.
func lastOf(r *model.Request) model.Message { return r.Messages[len(r.Messages)-1] }

// says and calls are answers of a model.
func says(text string) []any { return []any{model.Text(text), stop(model.StopEnd)} }

func calls(list ...*model.Call) []any {
	var events []any
	for _, c := range list {
		events = append(events, c)
	}
	return append(events, stop(model.StopCalls))
}

// startTask is a call of the tool task.
func startTask(id, kind, prompt string) *model.Call {
	return &model.Call{ID: id, Name: "task", Input: acp.Raw(fmt.Sprintf(`{"description":"do %[2]s","prompt":%[2]q,"subagent_type":%[1]q}`, kind, prompt))}
}

// parent is a model whose first answer is calls, whose second is "done", and whose subagents answer as they are told.
func parent(begin []*model.Call, child func(ctx context.Context, r *model.Request) []any) *actor {
	return &actor{answer: func(ctx context.Context, r *model.Request) []any {
		switch {
		case first(r) != "go":
			return child(ctx, r)
		case len(lastOf(r).Results) == 0:
			return calls(begin...)
		}
		return says("done")
	}}
}

// opens makes a client of an agent and opens a session in a folder with files.
func opens(t *testing.T, c *client, a *coder.Coder, files ...string) *client {
	t.Helper()
	c.connect(t, a)
	c.dir = t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(c.dir, files[i])
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(files[i+1]), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	return c
}

// A taskOutput is the rawOutput of the tool task.
type taskOutput struct {
	Output, Error string
	Metadata      struct {
		SessionID acp.SessionID
		Summary   []struct {
			ID, Tool string
			State    struct{ Status, Title string }
		}
		Truncated bool
		Model     struct{ ModelID, ProviderID string }
	}
}

// outputs are those of the tasks in a turn, in the order in which they ended.
func outputs(t *testing.T, updates []acp.SessionUpdate) (list []taskOutput) {
	t.Helper()
	for _, u := range updates {
		change, ok := u.(*acp.ToolCallUpdate)
		raw, said := acp.Raw(nil), false
		if ok {
			raw, said = change.RawOutput.Get()
		}
		if !said {
			continue
		}
		var out taskOutput
		if err := json.Unmarshal(raw, &out, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatal(err)
		}
		list = append(list, out)
	}
	return list
}

// S004.12: who knows only tool calls sees a subagent as S004 shows it: its input with the first announcement, a word for each step
// while it works, and at the end its session, its steps and its model. Nothing of the subagent's own comes with it.
func TestASubagentIsAToolCall(t *testing.T) {
	c := begin(t, &client{}, "a.txt", "TODO: rest\n")
	updates := c.turn(`task explore: "find TODO then read a.txt"`, acp.StopReasonEndTurn)
	var call *acp.ToolCall
	steps := 0
	for _, u := range updates {
		switch u := u.(type) {
		case *acp.ToolCall:
			if call != nil {
				t.Errorf("a second call %s", u.Title)
			}
			call = u
		case *acp.ToolCallUpdate:
			if status, _ := u.Status.Get(); status == acp.ToolCallStatusInProgress {
				steps++
			}
		}
	}
	const input = `{"description":"find TODO then read a.txt","prompt":"find TODO then read a.txt","subagent_type":"explore"}`
	if call == nil || call.Kind != acp.ToolKindOther || call.Name != "task" || string(call.RawInput) != input {
		t.Fatalf("the call is %+v", call)
	}
	if steps != 5 { // the beginning, and two for each step
		t.Errorf("%d updates are in progress", steps)
	}
	list := outputs(t, updates)
	if len(list) != 1 {
		t.Fatalf("%d outputs", len(list))
	}
	out := list[0]
	var summary []string
	for _, step := range out.Metadata.Summary {
		summary = append(summary, step.Tool+" "+step.State.Status+" "+step.State.Title)
		if step.ID == "" {
			t.Error("a step has no id")
		}
	}
	if diff := cmp.Diff([]string{`grep completed Find "TODO" in .`, "read completed Read a.txt"}, summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	id := out.Metadata.SessionID
	if id == "" || id == c.session || out.Metadata.Truncated || out.Metadata.Model.ModelID != "offline" || out.Metadata.Model.ProviderID != "offline" {
		t.Errorf("metadata %+v", out.Metadata)
	}
	if end := "Done: 2 of 2 steps succeeded.\n\n<task_metadata>\nsession_id: " + string(id) + "\n</task_metadata>"; !strings.HasSuffix(out.Output, end) {
		t.Errorf("the output is %q", out.Output)
	}
	var state ourclient.State
	for _, u := range updates {
		state.Apply(u)
	}
	a := state.Subagents()
	if len(a) != 1 || a[0].SessionID != id || a[0].Type != "explore" || a[0].Status != acp.ToolCallStatusCompleted || len(a[0].Tools) != 2 {
		t.Errorf("our client sees %+v", a)
	}
}
