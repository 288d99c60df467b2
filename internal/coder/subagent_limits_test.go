package coder_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// toolNames are the tools that a request offers.
func toolNames(r *model.Request) (names []string) {
	for _, t := range r.Tools {
		names = append(names, t.Name)
	}
	return names
}

// A subagent has the tools of its type, and no others if it calls them anyway; one that a subagent has started has none of its own.
func TestSubagentsHaveTheToolsOfTheirType(t *testing.T) {
	m := parent([]*model.Call{startTask("1", "general", "outer"), startTask("2", "explore", "look")}, func(_ context.Context, r *model.Request) []any {
		switch {
		case len(lastOf(r).Results) > 0:
			return says(lastOf(r).Results[0].Text)
		case first(r) == "outer":
			return calls(startTask("1", "general", "inner"))
		case first(r) == "inner":
			return calls(startTask("1", "general", "innermost"))
		}
		return calls(&model.Call{ID: "1", Name: "write", Input: acp.Raw(`{"path":"a","text":"b"}`)})
	})
	c := opens(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, coder.With(m))
	c.turn("go", acp.StopReasonEndTurn)
	all := toolNames(m.about("go")[0])
	without := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == "task" })
	for about, want := range map[string][]string{"outer": all, "inner": without, "look": {"list", "glob", "grep", "read"}} {
		requests := m.about(about)
		if diff := cmp.Diff(want, toolNames(requests[0])); diff != "" {
			t.Errorf("tools of %q (-want +got):\n%s", about, diff)
		}
		if !strings.Contains(requests[0].System, "You are a subagent of the type") {
			t.Errorf("%q is told\n%s", about, requests[0].System)
		}
		if result := lastOf(requests[1]).Results[0]; about != "outer" && (!result.Failed || !strings.HasPrefix(result.Text, "there is no tool named")) {
			t.Errorf("%q is told %+v", about, result)
		}
	}
	if len(m.about("innermost")) > 0 {
		t.Error("a subagent of a subagent has started one")
	}
}

// Subagents that are called in one answer work at the same time, eight at most. What they start themselves doesn't wait for them.
func TestSubagentsWorkAtTheSameTime(t *testing.T) {
	begun, gate := make(chan string, 20), make(chan struct{})
	var tasks []*model.Call
	for i := range 10 {
		tasks = append(tasks, startTask(fmt.Sprint(i), "general", fmt.Sprint("n", i)))
	}
	m := parent(tasks, func(ctx context.Context, r *model.Request) []any {
		if len(lastOf(r).Results) > 0 {
			return says(lastOf(r).Results[0].Text)
		}
		begun <- first(r)
		select {
		case <-gate:
		case <-ctx.Done():
			return []any{ctx.Err()}
		}
		if first(r) == "n0" || first(r) == "n1" {
			return calls(startTask("1", "explore", "below"))
		}
		return says("ok")
	})
	c := opens(t, &client{}, coder.With(m))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.turn("go", acp.StopReasonEndTurn)
	}()
	for range 8 {
		<-begun
	}
	select {
	case name := <-begun:
		t.Errorf("a ninth one works: %s", name)
	default:
	}
	close(gate)
	<-ended
	requests := m.about("go")
	for i, result := range lastOf(requests[len(requests)-1]).Results {
		if result.Failed {
			t.Errorf("subagent %d: %s", i, result.Text)
		}
	}
}

// A session has a hundred subagents at most, also if some of them worked in another process.
func TestSubagentsAreCounted(t *testing.T) {
	m := &actor{answer: func(_ context.Context, r *model.Request) []any {
		switch {
		case !strings.HasPrefix(first(r), "go"):
			return says("ok")
		case len(lastOf(r).Results) > 0:
			return says(lastOf(r).Results[0].Text)
		}
		var tasks []*model.Call
		for i := range 10 {
			tasks = append(tasks, startTask(fmt.Sprint(i), "explore", "x"))
		}
		return calls(tasks...)
	}}
	dir := t.TempDir()
	db := openStore(t, dir)
	c := opens(t, &client{}, coder.WithStore(m, db))
	for range 5 {
		c.turn("go", acp.StopReasonEndTurn)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	next := &client{dir: c.dir, session: c.session}
	next.connect(t, coder.WithStore(m, openStore(t, dir)))
	if _, err := next.load(); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		next.turn("go", acp.StopReasonEndTurn)
	}
	if said := saidText(next.turn("go", acp.StopReasonEndTurn)); !strings.HasPrefix(said, "the session has had 100 subagents, which is the most") {
		t.Errorf("the model was told %q", said)
	}
}
