package coder_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// How many sessions there are on each of the four wires, and how many turns of each are cancelled: 200 in all.
const (
	cancelledSessions = 2
	cancelledTurns    = 25
)

// cancelTime is how soon a cancel takes effect: within a second, where the program isn't slowed down to be watched for races.
func cancelTime() time.Duration {
	if raceEnabled {
		return 10 * time.Second
	}
	return time.Second
}

// T1, T3, T4, F48: a cancel at any moment of a busy turn ends it as cancelled within a second, leaves nothing running that
// the turn was waiting for, grandchildren and those in a session of their own included, and doesn't touch the next prompt. What was
// started in the background is the session's, and ends with that (F92).
func TestT4_CancelAtAnyMoment(t *testing.T) {
	var mu sync.Mutex
	var took []time.Duration
	commands := map[string]int{}
	var all sync.WaitGroup
	for _, w := range wires {
		for n := range cancelledSessions {
			all.Go(func() { // not by t.Parallel, which runs no more at once than there are processors
				t.Run(fmt.Sprint(w.name, n), func(t *testing.T) {
					c := cancelledSession(t, w, fmt.Sprintf("%s-%d-%d", w.name, n, os.Getpid()), uint64(n))
					mu.Lock()
					defer mu.Unlock()
					took = append(took, c.took...)
					for kind, n := range c.commands {
						commands[kind] += n
					}
				})
			})
		}
	}
	all.Wait()
	slices.Sort(took)
	if n := len(took); n > 0 {
		t.Logf("%d turns were cancelled: in the median within %v, 99 of 100 within %v, all within %v", n, took[n/2], took[n*99/100], took[n-1])
	}
	if commands["fore"] < 10 || commands["back"] < 10 {
		t.Errorf("the turns began with too few commands to speak of: %v", commands)
	}
}

// A cancelled is how long cancels took, and how many commands had been called when they came.
type cancelled struct {
	took     []time.Duration
	commands map[string]int
}

// cancelledSession takes turns and cancels each, with a prompt between them.
func cancelledSession(t *testing.T, w wire, mark string, seed uint64) *cancelled {
	all := &cancelled{commands: map[string]int{}}
	s := modeltest.New(t, busyModel(mark))
	c := w.begin(t, s, &client{}, "a.txt", "a")
	rng := rand.New(rand.NewPCG(5, seed))
	for i := range cancelledTurns {
		c.forget()
		prompt := &acp.PromptRequest{SessionID: c.session, Prompt: []acp.ContentBlock{acp.Text(fmt.Sprintf("work %d", i))}}
		turn, err := c.rpc.Start(t.Context(), acp.MethodSessionPrompt, prompt)
		if err != nil {
			t.Fatal(err)
		}
		c.awaitUpdates(rng.IntN(16), 5*time.Second)
		<-time.After(time.Duration(rng.IntN(5000)) * time.Microsecond)
		begin := time.Now()
		c.cancel()
		var answer acp.PromptResponse
		if err := turn.Wait(t.Context(), &answer); err != nil || answer.StopReason != acp.StopReasonCancelled {
			t.Errorf("turn %d: got %+v, %v", i, answer, err)
		}
		all.took = append(all.took, time.Since(begin))
		commands := c.commands()
		for kind, n := range commands {
			all.commands[kind] += n
		}
		var left []string
		if commands["fore"] > 0 {
			left = running("fore-" + mark)
		}
		for len(left) > 0 && time.Since(begin) < cancelTime() {
			left = running("fore-" + mark)
		}
		if last := all.took[i]; last > cancelTime() || len(left) > 0 {
			t.Errorf("turn %d took %v to end, and left %q", i, last, left)
		}
		next := fmt.Sprintf("and now? %d", i)
		if got := c.turn(next, acp.StopReasonEndTurn); saidText(got) != "fine: "+next || c.script(got) != "" {
			t.Errorf("after turn %d it said %q and did\n%s", i, saidText(got), c.script(got))
		}
	}
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
	if left := running(mark); len(left) > 0 {
		t.Errorf("still running after the session: %q", left)
	}
	return all
}

// awaitUpdates waits until a turn has sent so many updates or runs a command that doesn't end, but no longer than a time.
func (c *client) awaitUpdates(n int, most time.Duration) {
	await(c.Context(), c.said, most, func() bool { return len(c.updates) >= n || runsForever(c.updates) })
}

// runsForever reports whether a command has begun that doesn't end.
func runsForever(updates []acp.SessionUpdate) bool {
	var id acp.ToolCallID
	for _, u := range updates {
		switch u := u.(type) {
		case *acp.ToolCall:
			if strings.Contains(string(u.RawInput), "CANCEL_MARK=fore") {
				id = u.ToolCallID
			}
		case *acp.ToolCallUpdate:
			if id != "" && u.ToolCallID == id && u.Status.Or("") == acp.ToolCallStatusInProgress {
				return true
			}
		}
	}
	return false
}

// commands counts the calls that the turn has made, those of commands by their mark.
func (c *client) commands() map[string]int {
	count := map[string]int{}
	for _, u := range c.seen() {
		call, ok := u.(*acp.ToolCall)
		if !ok {
			continue
		}
		kind := "other"
		for _, marked := range []string{"fore", "back"} {
			if strings.Contains(string(call.RawInput), "CANCEL_MARK="+marked) {
				kind = marked
			}
		}
		count[kind]++
	}
	return count
}

// busyModel streams words, reasoning and calls of all sorts, without an end. Asked what now, it answers.
func busyModel(mark string) func(*modeltest.Heard) modeltest.Answer {
	var asked atomic.Int32
	fore := fmt.Sprintf(`{"command":"export CANCEL_MARK=fore-%s; sleep 1000 & (setsid sleep 1000 &); sh -c 'sleep 1000; true'"}`, mark)
	back := fmt.Sprintf(`{"background":true,"command":"export CANCEL_MARK=back-%s; sleep 1000 & exec sleep 1000"}`, mark)
	return func(h *modeltest.Heard) modeltest.Answer {
		last := h.Messages[len(h.Messages)-1].Text
		if i := strings.Index(last, "and now?"); i >= 0 {
			return modeltest.Answer{Text: "fine: " + last[i:]}
		}
		slow := modeltest.Fault{Piece: func(int) { <-time.After(time.Millisecond) }}
		switch asked.Add(1) % 4 {
		case 0:
			return modeltest.Answer{Text: "some words that come slowly", Calls: []modeltest.Called{called("plan", `{"entries":[{"content":"a"}]}`)}, Fault: slow}
		case 1:
			return modeltest.Answer{Calls: []modeltest.Called{called("read", `{"path":"a.txt"}`), called("list", `{}`), called("shell", `{"command":"sleep 0.02; sleep 0.01"}`)}, Fault: slow}
		case 2:
			return modeltest.Answer{Thought: "hm", Calls: []modeltest.Called{called("shell", back), called("write", `{"path":"b.txt","text":"b"}`)}, Fault: slow}
		}
		return modeltest.Answer{Calls: []modeltest.Called{called("shell", fore)}, Fault: slow}
	}
}

// running are the command lines of the processes that have a mark in them or in their environment.
func running(mark string) (found []string) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		line, _ := os.ReadFile(path) // it may have ended, or be another user's
		environment, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		if bytes.Contains(line, []byte(mark)) || bytes.Contains(environment, []byte(mark)) {
			found = append(found, string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
		}
	}
	return found
}
