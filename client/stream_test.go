package client_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// small is a budget that a test can spend.
var small = client.Options{Budget: 64 << 10, MaxMessageBytes: 32 << 10}

// flood lets the agent say n things of 1 KiB in a turn and then end it.
func flood(a *agent, p message, n int) (done chan struct{}) {
	done = make(chan struct{})
	go func() {
		defer close(done)
		for i := range n {
			a.send(says("s", fmt.Sprintf("%d %s", i, strings.Repeat("x", 1<<10))))
		}
		a.send(outcome(p, `{"stopReason":"end_turn"}`))
	}()
	return done
}

// What nobody loops over stalls nothing, however much it is; what was forgotten is counted.
func TestW6_NobodyHasToLoop(t *testing.T) {
	const n = 500
	c, a := connect(t, &user{}, small, noCapabilities)
	s := open(t, c, a)
	unused := s.Updates()
	turn, p := prompt(t, s, a)
	sent := flood(a, p, n)
	ends(t, turn, acp.StopReasonEndTurn)
	within(t, "the agent", sent)
	kept := 0
	for range turn.Updates() {
		kept++
	}
	if kept == 0 || kept+turn.Missed() != n {
		t.Errorf("a late loop saw %d updates and missed %d, want %d in all", kept, turn.Missed(), n)
	}
	_ = s.Close(deadline(t))
	for range unused { // ends with the session
		continue
	}
}

// A loop that is slow, far beyond the budget, sees everything.
func TestW6_ASlowLoopLosesNothing(t *testing.T) {
	const n = 500
	h := &user{}
	c, a := connect(t, h, small, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	seen, sent := 0, (chan struct{})(nil)
	a.send(says("s", "first"))
	for u := range turn.Updates() {
		if sent == nil {
			sent = flood(a, p, n)
			continue
		}
		if want := fmt.Sprint(seen, " "); !strings.HasPrefix(textOf(u), want) {
			t.Fatalf("update %d is %.20q", seen, textOf(u))
		}
		if seen++; seen == 1 {
			eventually(t, "the budget to be spent", func() bool { return strings.Count(h.all(), "s:") > 45 })
		}
	}
	if seen != n || turn.Missed() != 0 {
		t.Errorf("the loop saw %d updates and missed %d, want %d", seen, turn.Missed(), n)
	}
	ends(t, turn, acp.StopReasonEndTurn)
	within(t, "the agent", sent)
}

// A call within a loop is answered although its answer stands behind more updates than the loop may leave lying. Were
// the updates held up for the loop, it would wait for ever.
func TestW6_ACallWithinALoopIsAnswered(t *testing.T) {
	const n = 150 // of 1 KiB: past the budget, not past four times the budget
	c, a := connect(t, &user{}, small, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(says("s", "first"))
	seen := 0
	for range turn.Updates() {
		if seen++; seen > 1 {
			continue
		}
		both(t, func() error { return s.SetMode(deadline(t), "plan") }, func() {
			m := a.expect("session/set_mode")
			for i := range n {
				a.send(says("s", fmt.Sprint(i, strings.Repeat("x", 1<<10))))
			}
			a.send(outcome(m, `{}`), outcome(p, `{"stopReason":"end_turn"}`))
		})
	}
	if seen != n+1 {
		t.Errorf("the loop saw %d updates, want %d", seen, n+1)
	}
}

// Past four times the budget it is the call that fails, and not the connection.
func TestW6_ACallWithinALoopThatHoldsUpTooMuchFails(t *testing.T) {
	const n = 2000
	c, a := connect(t, &user{}, small, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(says("s", "first"))
	seen := 0
	var sent chan struct{}
	for range turn.Updates() {
		if seen++; seen > 1 {
			continue
		}
		err := bothFail(t, func() error { return s.SetMode(deadline(t), "plan") }, func() {
			a.expect("session/set_mode")
			sent = flood(a, p, n)
		})
		wantError(t, err, jsonrpc.ErrOverloaded)
	}
	if seen != n+1 {
		t.Errorf("the loop saw %d updates, want %d", seen, n+1)
	}
	within(t, "the agent", sent)
	ends(t, turn, acp.StopReasonEndTurn)
}

// Leaving a loop holds up nothing, and the next one goes on where it stopped.
func TestALoopOverATurnCanBeLeftAndGoneOnWith(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(says("s", "1"), says("s", "2"), says("s", "3"), outcome(p, `{"stopReason":"end_turn"}`))
	var got []string
	for range 3 {
		for u := range turn.Updates() {
			got = append(got, textOf(u))
			break
		}
	}
	if text := strings.Join(got, " "); text != "1 2 3" {
		t.Errorf("three loops saw %s", text)
	}
	ends(t, turn, acp.StopReasonEndTurn)
}

func TestRunWaitsWithoutKeepingUpdates(t *testing.T) {
	u := &user{}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	s := open(t, c, a)
	both(t, func() error {
		r, err := s.Run(deadline(t), acp.Text("go"))
		if err == nil && (r.StopReason != acp.StopReasonEndTurn || u.all() != "s:hi") {
			t.Errorf("Run: %+v, and the Handler saw %q", r, u.all())
		}
		return err
	}, func() { a.send(says("s", "hi"), outcome(a.expect("session/prompt"), `{"stopReason":"end_turn"}`)) })
}

// The text of a chunk is a part of the message that it came in, which must not stay in memory for a small text.
func TestAStateKeepsOnlyTheTextOfAMessage(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, m := prompt(t, s, a)
	text, meta := strings.Repeat("x", 2<<10), strings.Repeat("y", 1<<20)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 40 {
		a.send(update("s", fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","_meta":{"m":%q},"content":{"type":"text","text":%q}}`, meta, text)))
	}
	a.send(outcome(m, `{"stopReason":"end_turn"}`))
	for range turn.Updates() {
	}
	ends(t, turn, acp.StopReasonEndTurn)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 10<<20 {
		t.Errorf("the State holds %d MB for %d KB of text", grown>>20, 40*len(text)>>10)
	}
	if got := len(s.State().Messages().At(1).Text()); got != 40*len(text) {
		t.Errorf("%d bytes of text", got)
	}
}
