package interop_test

import (
	"fmt"
	"strings"
	"testing"
)

// F77, S004.6: acpx keeps the agent of a saved session in a background process, its owner, through which later calls speak.
// `sessions new` itself starts an agent, makes the session, and ends that agent: the owner's agent is a second process, which is
// asked to load or resume the session of the first. It is cancelled there, changes its mode and model, and crashes in the middle of a
// turn. In the third, the model is told what was said before, and the mode and the model are still those.
func TestF77_AcpxKeepsItsSessionWhenTheAgentCrashes(t *testing.T) {
	const other = "claude-fable-5-1"
	a := newAcpx(t, "--approve-all", "--ttl", "60")
	model := a.scripted("", turnsOf(calls("write", `{"path":"a.txt","text":"a"}`), calls("write", `{"path":"b.txt","text":"b"}`))...)
	a.traced()
	if id := strings.TrimSpace(a.must("sessions", "new", "--name", "work")); id == "" || strings.ContainsAny(id, " \n") {
		t.Fatalf("sessions new printed %q, want an id", id)
	}
	t.Cleanup(func() { a.closeSession("work") })
	contains(t, a.must("prompt", "-s", "work", "the first"), "[done] end_turn")
	same(t, "a.txt", read(t, a.cwd, "a.txt"), "a")

	out, stop := a.background("--format", "json", "prompt", "-s", "work", "/demo hang")
	out.await(t, "session/update")
	contains(t, a.must("cancel", "-s", "work"), "cancel requested")
	stop()
	w := parseWire(t, out.String())
	same(t, "the cancelled turn", w[len(w)-1].Result["stopReason"], "cancelled")

	a.must("set-mode", "-s", "work", "plan")
	a.must("set", "-s", "work", "model", "anthropic/"+other)
	if stdout, stderr, code := a.run("prompt", "-s", "work", "/demo crash"); code == 0 {
		t.Errorf("the turn of an agent that crashed ended well:\n%s%s", stdout, stderr)
	}

	a.must("prompt", "-s", "work", "the second")
	heard := model.Last()
	same(t, "the model", heard.Model, other)
	contains(t, fmt.Sprint(heard.Messages), "the first", "Wrote the new file a.txt", "the second", `the mode "plan" has no tool "write"`)
	same(t, "b.txt was written", is(a.cwd, "b.txt"), false)
	contains(t, a.must("sessions", "list", "--filter-cwd", a.cwd), "the first")

	requests := map[string]int{}
	for _, messages := range a.agents() {
		for _, m := range messages {
			requests[m.Method]++
		}
	}
	same(t, "requests for a session", []int{requests["session/new"], requests["session/resume"] + requests["session/load"]}, []int{1, 2})
	a.checkTraces()
}
