package agent_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// A slowTape takes its time with the first update, until others wait behind it, and notes how many it is given at once.
type slowTape struct {
	tape
	queued  func() int // how many updates wait to be recorded
	atOnce  []int
	explode bool // it panics with more than one
}

func (r *slowTape) Update(list ...acp.SessionUpdate) error {
	for len(r.atOnce) == 0 && len(list)+r.queued() < 10 {
		runtime.Gosched() // the others are on their way
	}
	r.atOnce = append(r.atOnce, len(list))
	if r.explode && len(list) > 1 {
		panic("the recorder fails")
	}
	return r.tape.Update(list...)
}

// sayAtOnce has a turn say ten things at the same time, nine of them while the first is recorded, and returns the errors.
func sayAtOnce(turn *agent.Turn, r *slowTape) []error {
	r.queued = turn.Session().Unrecorded
	errs := make([]error, 10)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = sayOne(turn, i) })
	}
	all.Wait()
	return errs
}

// sayOne is Text, with what a recorder panics with as an error.
func sayOne(turn *agent.Turn, i int) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return turn.Text(fmt.Sprint(i))
}

// What comes while something is recorded is recorded together, and sent in the order in which it was recorded.
func TestUpdatesAreRecordedTogether(t *testing.T) {
	r := &slowTape{}
	_, p, session := recordedBy(t, r, func(turn *agent.Turn) (acp.StopReason, error) {
		return "", errors.Join(sayAtOnce(turn, r)...)
	})
	id := p.ask("session/prompt", prompt(session, "hi"))
	var sent []string
	for m := p.next(); string(m.ID) != id; m = p.next() {
		sent = append(sent, "text "+m.chunk())
	}
	if lines := r.has(); !slices.Equal(lines[1:len(lines)-1], sent) || len(sent) != 10 {
		t.Errorf("recorded %q, and sent %q", lines, sent)
	}
	if len(r.atOnce) > 2 {
		t.Errorf("recorded at once: %d", r.atOnce)
	}
}

// Of updates that are recorded together, one that can't be does not keep the others from being recorded and sent.
func TestOneThatCantBeRecordedIsAlone(t *testing.T) {
	full := errors.New("the disk is full")
	r := &slowTape{tape: tape{fail: func(line string) error {
		if line == "text 4" {
			return full
		}
		return nil
	}}}
	var errs []error
	_, p, session := recordedBy(t, r, func(turn *agent.Turn) (acp.StopReason, error) {
		errs = sayAtOnce(turn, r)
		return "", nil
	})
	id := p.ask("session/prompt", prompt(session, "hi"))
	var sent []string
	for m := p.next(); string(m.ID) != id; m = p.next() {
		sent = append(sent, m.chunk())
	}
	slices.Sort(sent)
	if got := strings.Join(sent, ""); got != "012356789" {
		t.Errorf("sent: %s", got)
	}
	if failed := slices.DeleteFunc(errs, func(err error) bool { return err == nil }); len(failed) != 1 || !errors.Is(failed[0], full) {
		t.Errorf("the errors are %v", failed)
	}
}

// A recorder that panics fails what it was given, and holds up nothing that comes later.
func TestW9_ARecorderThatPanicsHoldsNothingUp(t *testing.T) {
	r := &slowTape{explode: true}
	failed := 0
	_, p, session := recordedBy(t, r, func(turn *agent.Turn) (acp.StopReason, error) {
		for _, err := range sayAtOnce(turn, r) {
			if err != nil {
				failed++
			}
		}
		return "", turn.Text("last")
	})
	id := p.ask("session/prompt", prompt(session, "hi"))
	last := ""
	for m := p.next(); string(m.ID) != id; m = p.next() {
		last = m.chunk()
	}
	if last != "last" || failed == 0 {
		t.Errorf("%d failed, and the last word was %q", failed, last)
	}
}

// Tool calls that are announced together are recorded at once, and each is a call like any other. One with a status that there
// is not, or an id that is open, is announced no more than the others.
func TestToolCallsAreAnnouncedTogether(t *testing.T) {
	r := &slowTape{queued: func() int { return 10 }}
	_, p, session := recordedBy(t, r, func(turn *agent.Turn) (acp.StopReason, error) {
		calls, err := turn.ToolCalls(acp.ToolCall{Title: "one"}, acp.ToolCall{Title: "two", Status: acp.ToolCallStatusInProgress})
		if err != nil || len(calls) != 2 {
			return "", fmt.Errorf("%v, %w", calls, err)
		}
		for _, wrong := range []acp.ToolCall{{ToolCallID: "x", Status: "done"}, {ToolCallID: calls[0].ID()}} {
			if none, err := turn.ToolCalls(acp.ToolCall{ToolCallID: "free"}, wrong); !errors.Is(err, agent.ErrToolCallStatus) && wrong.Status == "" || err == nil || none != nil {
				t.Errorf("%v, %v", none, err)
			}
		}
		return "", errors.Join(calls[1].Complete(), calls[0].Complete())
	})
	id := p.ask("session/prompt", prompt(session, "hi"))
	var kinds []string
	for m := p.next(); string(m.ID) != id; m = p.next() {
		kinds = append(kinds, m.kind())
	}
	if want := []string{"tool_call", "tool_call", "tool_call_update", "tool_call_update"}; !slices.Equal(kinds, want) || !slices.Equal(r.atOnce, []int{2, 1, 1}) {
		t.Errorf("sent: %q; recorded at once: %d", kinds, r.atOnce)
	}
}
